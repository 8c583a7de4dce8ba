import type { Condition } from './condition.ts';
import { foldText, foldTexts } from './fold.ts';

/** A value of a filter that a client may have meant. */
export interface Meant {
  parameter: string;
  value: string;
}

/** Facets with more values are prose or ids: nobody types them in another case. */
const MAX_VALUES = 1000;

/** Finds a value that no record has, but that differs from one only in case, accents or width; undefined if there is none. */
export function findMeant(conditions: readonly Condition[]): Meant | undefined {
  for (const { column, negated, unknown } of conditions) {
    if (negated || column.type !== 'string' || column.values.length > MAX_VALUES) continue;
    for (const text of unknown) {
      const folded = foldText(text);
      const at = foldTexts(column.values as readonly string[]).indexOf(folded);
      if (at !== -1) return { parameter: column.key, value: column.values[at] as string };
    }
  }
  return undefined;
}
