import type { MeantValue } from '../../core/api/ports.ts';
import type { Column } from '../../core/query/column.ts';
import type { Filters } from '../../core/query/filters.ts';
import { foldText, foldTexts } from '../../core/query/fold.ts';

/** Facets with more values are prose or ids: nobody types them in another case. */
const MAX_VALUES = 1000;
/** Longer texts are not folded: that can take the square of their length. */
const MAX_TEXT_LENGTH = 200;

/** Finds a value that no record has, but that differs from one only in case, accents or width; undefined if there is none. */
export function findMeant({ conditions, groups }: Filters): MeantValue | undefined {
  const all = [...conditions, ...groups.flatMap((group) => group.conditions)];
  for (const { facet, column, negated, unknown } of all) {
    if (negated || column.type !== 'string' || column.values.length > MAX_VALUES) continue;
    if (unknown.length === 0) continue;
    const known = foldedValues(column);
    for (const text of unknown) {
      if (text.length > MAX_TEXT_LENGTH) continue;
      const value = known.get(foldText(text));
      if (value !== undefined) return { parameter: facet, value };
    }
  }
  return undefined;
}

/** The values of columns by their folded texts; a request can name many values of many columns. */
const folded = new WeakMap<Column, ReadonlyMap<string, string>>();

function foldedValues(column: Column): ReadonlyMap<string, string> {
  let known = folded.get(column);
  if (known === undefined) {
    const values = column.values as readonly string[];
    const texts = foldTexts(values);
    // Of values with the same text, the first stays.
    known = new Map(values.map((value, at): [string, string] => [texts[at] as string, value]).reverse());
    folded.set(column, known);
  }
  return known;
}
