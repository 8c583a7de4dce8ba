import type { Attribute, AttributeValue } from '../../scripts/format/attributes.ts';
import { compareNatural, encodeList, type JsonObject } from '../../scripts/format/dist-format.ts';
import { inSteps, NUMBERS_A_STEP, type Steps } from '../http/work.ts';
import { Collection } from './collection.ts';
import type { Column, Scalar } from './column.ts';

/** At most this many values of a facet are listed. */
const MAX_VALUES = 50;
/** So many are gathered before only those that most records have are kept. */
const MAX_SORTED = 1024;
/** A longer text is prose, and is not chosen from a list. */
const MAX_TEXT = 100;

/** The labels of an attribute's values, by the values as texts. */
export type LabelsOfValues = Map<string, JsonObject>;

/**
 * Makes the generated dataset `facets`: a record for each facet of a list, `{id, type, list, count, distinct}` with `values: [{value, label,
 * count}]` in ascending order, and `min` and `max` for numbers. Numbers with many values have only the range. Of many texts, those that most
 * records have are listed; `rest` is the number of the others, and of the records that have them.
 *
 * @param attributes the dictionary, which has the labels of coded values
 * @param translate replaces the labels of a facet by those in a language
 */
export function* describeFacets(
  list: Collection,
  attributes: readonly Attribute[] = [],
  translate?: (labels: LabelsOfValues, column: Column) => Steps<LabelsOfValues>,
): Steps<Collection> {
  const labels = new Map(attributes.map(({ key, values = [] }) => [key, readLabels(values)]));
  const records: JsonObject[] = [];
  for (const column of list.columns.values()) {
    yield column.postings;
    const labelsOfKey = labels.get(column.key) ?? new Map<string, JsonObject>();
    records.push(
      yield* describeFacet(column, translate ? yield* translate(labelsOfKey, column) : labelsOfKey),
    );
  }
  records.sort((a, b) => compareNatural(String(a.id), String(b.id)));
  return new Collection(Buffer.from(encodeList(records)));
}

function readLabels(values: readonly AttributeValue[]): LabelsOfValues {
  return new Map(values.map(({ value, count: _, ...labels }) => [String(value), labels as JsonObject]));
}

function* describeFacet(column: Column, labels: LabelsOfValues): Steps<JsonObject> {
  const { key, type, list, values, present } = column;
  const range: JsonObject =
    type === 'number' ? { min: values[0] ?? '', max: values[values.length - 1] ?? '' } : {};
  const isCounted = type !== 'number' || values.length <= MAX_VALUES;
  const counted = isCounted ? yield* countValues(column, labels) : {};
  return { id: key, type, list, count: present, distinct: values.length, ...range, ...counted };
}

function* countValues({ values, offsets }: Column, labels: LabelsOfValues): Steps<JsonObject> {
  const countOf = (code: number) => (offsets[code + 1] ?? 0) - (offsets[code] ?? 0);
  let listed: number[] = [];
  const keepMost = () => {
    listed.sort((a, b) => countOf(b) - countOf(a) || a - b);
    listed = listed.slice(0, MAX_VALUES);
  };
  yield* inSteps(values.length, NUMBERS_A_STEP, (from, to) => {
    for (let code = from; code < to; code++) {
      if (!isShort(values[code] ?? '')) continue;
      if (listed.push(code) >= MAX_SORTED) keepMost();
    }
  });
  if (listed.length > MAX_VALUES) keepMost();
  const counts = listed
    .sort((a, b) => a - b)
    .map((code) => {
      const value = values[code] ?? '';
      return { value, ...labels.get(String(value)), count: countOf(code) };
    });
  const left = values.length - listed.length;
  if (left === 0) return { values: counts };
  const all = offsets[values.length] ?? 0;
  const rest = { distinct: left, count: all - counts.reduce((sum, { count }) => sum + count, 0) };
  return { values: counts, rest };
}

function isShort(value: Scalar): boolean {
  return typeof value !== 'string' || value.length <= MAX_TEXT;
}
