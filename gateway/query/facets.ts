import { compareNatural, encodeList, type JsonObject } from '../../scripts/format/dist-format.ts';
import { Collection } from './collection.ts';
import type { Column, Scalar } from './column.ts';

/** A number facet with more distinct values than this has only a range. */
const MAX_NUMBERS = 50;

/**
 * Makes the generated dataset `facets`: a record for each facet of a roster, `{id, type, list, count}` with `values: [{value, count}]` in
 * ascending order, and `min` and `max` for numbers. Numbers with many values have only the range.
 */
export function describeFacets(roster: Collection): Collection {
  const records = [...roster.columns.values()].map(describeFacet);
  records.sort((a, b) => compareNatural(a.id as string, b.id as string));
  return new Collection(Buffer.from(encodeList(records)));
}

function describeFacet(column: Column): JsonObject {
  const { key, type, list, values, present } = column;
  const range: JsonObject =
    type === 'number' ? { min: values[0] as Scalar, max: values[values.length - 1] as Scalar } : {};
  const counted = type !== 'number' || values.length <= MAX_NUMBERS ? { values: countValues(column) } : {};
  return { id: key, type, list, count: present, distinct: values.length, ...range, ...counted };
}

function countValues({ values, offsets }: Column): JsonObject[] {
  return values.map((value, code) => ({
    value,
    count: (offsets[code + 1] as number) - (offsets[code] as number),
  }));
}
