import type { Attribute, AttributeValue } from '../../scripts/format/attributes.ts';
import { compareNatural, encodeList, type JsonObject } from '../../scripts/format/dist-format.ts';
import { Collection } from './collection.ts';
import type { Column } from './column.ts';
import { translationOf } from './translation.ts';

/** At most this many values of a facet are listed. */
const MAX_VALUES = 50;
/** A longer text is prose, and is not chosen from a list. */
const MAX_TEXT = 100;

/** The labels of an attribute's values, by the values as texts. */
type LabelsOfValues = Map<string, JsonObject>;

/**
 * Makes the generated dataset `facets`: a record for each facet of a list, `{id, type, list, count, distinct}` with `values: [{value, label,
 * count}]` in ascending order, and `min` and `max` for numbers. Numbers with many values have only the range. Of many texts, those that most
 * records have are listed; `rest` is the number of the others, and of the records that have them.
 *
 * @param attributes the dictionary, which has the labels of coded values
 * @param language the language of the labels, as in the names of attributes
 */
export function describeFacets(
  list: Collection,
  attributes: readonly Attribute[] = [],
  language?: string,
): Collection {
  const labels = new Map(attributes.map(({ key, values = [] }) => [key, readLabels(values)]));
  const records = [...list.columns.values()].map((column) => {
    const own = labels.get(column.key) ?? new Map<string, JsonObject>();
    return describeFacet(column, language === undefined ? own : translateLabels(own, column, list, language));
  });
  records.sort((a, b) => compareNatural(String(a.id), String(b.id)));
  return new Collection(Buffer.from(encodeList(records)));
}

function readLabels(values: readonly AttributeValue[]): LabelsOfValues {
  return new Map(values.map(({ value, count: _, ...labels }) => [String(value), labels as JsonObject]));
}

function describeFacet(column: Column, labels: LabelsOfValues): JsonObject {
  const { key, type, list, values, present } = column;
  const range: JsonObject =
    type === 'number' ? { min: values[0] ?? '', max: values[values.length - 1] ?? '' } : {};
  const isCounted = type !== 'number' || values.length <= MAX_VALUES;
  const counted = isCounted ? countValues(column, labels) : {};
  return { id: key, type, list, count: present, distinct: values.length, ...range, ...counted };
}

function countValues({ values, coded: { counts } }: Column, labels: LabelsOfValues): JsonObject {
  const countOf = (code: number) => counts[code] ?? 0;
  const listed = [...values.keys()]
    .filter((code) => String(values[code]).length <= MAX_TEXT)
    .sort((a, b) => countOf(b) - countOf(a) || a - b)
    .slice(0, MAX_VALUES)
    .sort((a, b) => a - b)
    .map((code) => {
      const value = values[code] ?? '';
      return { value, ...labels.get(String(value)), count: countOf(code) };
    });
  const left = values.length - listed.length;
  if (left === 0) return { values: listed };
  const all = counts.reduce((sum, count) => sum + count, 0);
  const rest = { distinct: left, count: all - listed.reduce((sum, { count }) => sum + count, 0) };
  return { values: listed, rest };
}

/**
 * Returns labels in a language: that of the dictionary, or the text that the records with the value have in that language. A replaced label is
 * kept as `label_en`.
 */
function translateLabels(
  labels: LabelsOfValues,
  column: Column,
  list: Collection,
  language: string,
): LabelsOfValues {
  const translated = new Map(labels);
  for (const [value, label] of textsIn(column, list, language))
    translated.set(value, { ...labels.get(value), label });
  for (const [value, { label, ...others }] of labels) {
    const other = others[`label_${language}`];
    if (other !== undefined)
      translated.set(value, { label: other, ...(label !== undefined && { label_en: label }), ...others });
  }
  return translated;
}

/** Returns the texts that records have in a language beside each value. A value whose records disagree has none. */
function textsIn(
  { key, type, list: isList, values, codes }: Column,
  list: Collection,
  language: string,
): Map<string, string> {
  const other = list.columns.get(translationOf(key, language));
  const texts = new Map<string, string>();
  if (type !== 'string' || isList || other === undefined || other.list || other.type !== 'string')
    return texts;
  const ambiguous = new Set<string>();
  for (const [row, code] of codes.entries()) {
    const otherCode = other.codes[row] ?? -1;
    if (code === -1 || otherCode === -1) continue;
    const [value, text] = [values[code] as string, other.values[otherCode] as string];
    if ((texts.get(value) ?? text) !== text) ambiguous.add(value);
    texts.set(value, text);
  }
  for (const value of ambiguous) texts.delete(value);
  return texts;
}
