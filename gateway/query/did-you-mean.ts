import type { Filters } from './filters.ts';
import { foldText, foldTexts } from './fold.ts';

/** A value of a filter that a client may have meant. */
export interface Meant {
  parameter: string;
  value: string;
}

/** Facets with more values are prose or ids: nobody types them in another case. */
const MAX_VALUES = 1000;

/** Finds a value that no record has, but that differs from one only in case, accents or width; undefined if there is none. */
export function findMeant({ conditions, groups }: Filters): Meant | undefined {
  const all = [...conditions, ...groups.flatMap((group) => group.conditions)];
  for (const { facet, column, negated, unknown } of all) {
    if (negated || column.type !== 'string' || column.values.length > MAX_VALUES) continue;
    for (const text of unknown) {
      const folded = foldText(text);
      const at = foldTexts(column.values as readonly string[]).indexOf(folded);
      if (at !== -1) return { parameter: facet, value: column.values[at] as string };
    }
  }
  return undefined;
}
