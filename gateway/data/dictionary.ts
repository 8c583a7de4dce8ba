import type {
  Attribute,
  AttributeDictionary,
  AttributeValue,
  CollectionAttributes,
} from '../../scripts/format/attributes.ts';
import {
  compareNatural,
  encodeList,
  type JsonObject,
  parseDictionary,
} from '../../scripts/format/dist-format.ts';
import { once } from '../../scripts/system.ts';
import { Collection, type Column } from '../query/collection.ts';
import { translationOf } from '../query/translation.ts';

/** The attribute dictionary of a build. */
export class Dictionary {
  /** Identifies the content. */
  readonly tag: string;
  readonly #read: () => AttributeDictionary;
  /** The generated datasets `facets`, by list and by the language of their labels. */
  readonly #facets = new WeakMap<Collection, Map<string | undefined, Collection>>();

  /** @param file the bytes of the dictionary, which are parsed at their first use */
  constructor(tag: string, file: Buffer) {
    this.tag = tag;
    this.#read = once(() => parseDictionary(file));
  }

  /**
   * Returns the facets of a list with the labels of their values. They are computed at the first request.
   *
   * @param language of the labels, one of the game's languages; undefined for the dictionary's own
   */
  facetsOf(collection: string, list: Collection, language?: string): Collection {
    const byLanguage = this.#facets.get(list) ?? new Map<string | undefined, Collection>();
    const facets = byLanguage.get(language) ?? describeFacets(list, this.of(collection).attributes, language);
    this.#facets.set(list, byLanguage.set(language, facets));
    return facets;
  }

  /** @param collection `characters` or the key of a dataset */
  of(collection: string): CollectionAttributes {
    const dictionary = this.#read();
    return (Object.hasOwn(dictionary, collection) && dictionary[collection]) || NOTHING;
  }
}

const NOTHING: CollectionAttributes = { records: 0, attributes: [] };

/** A gap: at least half of the records have the attribute, and at least 5 % lack it. */
const GAP = { having: 0.5, lacking: 0.05 };

/** Counts, by collection and attribute, the records without an attribute that most others have: attributes of the records, and stats. */
export function countGaps(dictionary: Dictionary, collections: readonly string[]) {
  const gaps = collections.map((collection) => {
    const { records, attributes } = dictionary.of(collection);
    const found = attributes.flatMap(({ key, count }) => {
      const isGap = count >= records * GAP.having && records - count >= records * GAP.lacking;
      return isGap && /^(?:stats\.)?[^.]+$/.test(key) ? [[key, records - count] as const] : [];
    });
    return [collection, Object.fromEntries(found)] as const;
  });
  return Object.fromEntries(gaps.filter(([, found]) => Object.keys(found).length > 0));
}

/** How many values of a facet are listed. */
const MAX_VALUES = 50;
/** A longer text is prose, which nobody chooses from a list. */
const MAX_TEXT = 100;

/** The labels of an attribute's values, by the values as texts. */
type LabelsOfValues = Map<string, JsonObject>;

/**
 * Makes the generated dataset `facets`: one record per facet of a list, `{id, type, list, count, distinct}`, with `values: [{value, label, count}]`
 * in ascending order, and `min` and `max` for numbers. Numbers with many values have only the range. Of many texts, the most frequent are listed;
 * `rest` is the number of the others, and of the records that have them.
 *
 * @param attributes the dictionary, with the labels of coded values
 * @param language of the labels, as in the names of attributes
 */
function describeFacets(list: Collection, attributes: readonly Attribute[], language?: string): Collection {
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
  const { key, type, list, values, codes } = column;
  const range = type === 'number' && { min: values[0] ?? '', max: values.at(-1) ?? '' };
  const isCounted = type !== 'number' || values.length <= MAX_VALUES;
  const count = codes.filter((code) => code !== -1).length;
  const counted = isCounted && countValues(column, labels);
  return { id: key, type, list, count, distinct: values.length, ...range, ...counted };
}

function countValues({ values, coded: { rowsOf } }: Column, labels: LabelsOfValues): JsonObject {
  const all = values.map((value, code) => ({
    value,
    ...labels.get(String(value)),
    count: rowsOf[code]?.length ?? 0,
  }));
  const listed = new Set(
    all
      .filter(({ value }) => String(value).length <= MAX_TEXT)
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_VALUES),
  );
  const others = all.filter((each) => !listed.has(each));
  const rest = { distinct: others.length, count: others.reduce((sum, { count }) => sum + count, 0) };
  return { values: all.filter((each) => listed.has(each)), ...(others.length > 0 && { rest }) };
}

/** Returns labels in a language: from the dictionary, or from the texts of the records with the value. A replaced label is kept as `label_en`. */
function translateLabels(labels: LabelsOfValues, column: Column, list: Collection, language: string) {
  const translated = new Map(labels);
  const other = list.columns.get(translationOf(column.key, language));
  const areTexts = [column, other].every((each) => each?.type === 'string' && !each.list);
  for (const [code, rows] of areTexts ? column.coded.rowsOf.entries() : []) {
    const texts = new Set(rows.flatMap((row) => other?.values[other.codes[row] ?? -1] ?? []));
    const [value, [label]] = [String(column.values[code]), texts];
    // A value whose records differ has no text.
    if (label !== undefined && texts.size === 1) translated.set(value, { ...labels.get(value), label });
  }
  for (const [value, { label, ...others }] of labels) {
    const other = others[`label_${language}`];
    if (other !== undefined)
      translated.set(value, { label: other, ...(label !== undefined && { label_en: label }), ...others });
  }
  return translated;
}
