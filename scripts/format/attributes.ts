// The attribute dictionary of a build, a file of dist/: the meaning of each attribute of each collection, and its values there.

/** The value of an attribute that is neither an object nor a list. */
export type Scalar = string | number | boolean;

/** The type of an attribute's values or, for a list, of its elements. `any`: values of several types, or lists of lists. */
export type AttributeType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'any';

/** The meaning of values for people and programs. Booleans and objects have no kind. */
// biome-ignore format: a row of names.
export const ATTRIBUTE_KINDS = ['id', 'text', 'number', 'percentage', 'date', 'color', 'image', 'reference'] as const;
/** One of `ATTRIBUTE_KINDS`. The unit of a percentage says whether 5 or 0.05 is 5 %. A date is ISO 8601; a color is `#rrggbb`. */
export type AttributeKind = (typeof ATTRIBUTE_KINDS)[number];

/** A name for people, in English, and in other languages if known: `label_ja`. */
export interface Labels {
  label?: string;
  [language: `label_${string}`]: string;
}

/** Words that games write in capitals. */
const SHORT_WORDS = /\b(atk|cd|def|dmg|dps|exp|hp|id|mp|np|npc|qp|sp|spd|ssr|tp)(s?)\b/g;

/** The words for a key without a label: `stats.crit_rate` → `Crit rate`, `base.atk` → `ATK`, `npcs` → `NPCs`. */
export function wordsOf(key: string): string {
  const words = key
    .slice(key.lastIndexOf('.') + 1)
    .replaceAll('_', ' ')
    .replace(/\bcalc\b/, 'calculation')
    .replace(SHORT_WORDS, (_, word: string, plural: string) => word.toUpperCase() + plural);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** A value of an attribute, with the number of its records. */
export type AttributeValue = { value: Scalar; count: number } & Labels;

/**
 * An attribute of a collection in a build. Members that do not apply are absent. The first group is written by the game's maintainers, the second is
 * derived from the data.
 */
export type Attribute = {
  /**
   * The dotted key. Steps into objects and into lists of objects look the same: `ascension.materials.name`. The attributes of an object follow it
   * directly.
   */
  key: string;
  /** The meaning, in a sentence. */
  description?: string;
  kind?: AttributeKind;
  unit?: string;
  /** The level or condition of the values: "level 90 after the last ascension". */
  level?: string;
  /** Whether higher or lower is better for a player; if absent, the name says it. */
  better?: 'higher' | 'lower';
  /** The names of the skills that a list of costs is for, each for itself; if absent, it is one. */
  skills?: string[];
  /** What the data does not count among the costs of a character, in words. */
  uncounted?: string[];
  /** The collection whose ids the values are: a dataset's key, or `characters`. */
  ref?: string;
  /** The expected range, now and later. */
  expected?: { min?: number; max?: number };
  /** Whether the values are a closed set: `values` then lists all values of the build. */
  closed?: true;

  /** Absent if no record has a value. */
  type?: AttributeType;
  /** Whether it is a list. */
  list: boolean;
  /** Whether it is missing in some records, or in some of the objects that it belongs to. */
  optional?: true;
  /** Whether some values are null. */
  nullable?: true;
  /** How many records have a value: neither null nor an empty list. */
  count: number;
  /** The number of distinct values; absent for objects. */
  distinct?: number;
  /** The smallest and the largest number. */
  min?: number;
  max?: number;
  /** All values, ascending: for a closed set, and if there are few. */
  values?: AttributeValue[];
  /** Some values, if not all are listed. */
  examples?: Scalar[];
} & Labels;

/** The attributes of a collection: of a list with `records` records, or of a single object. */
export interface CollectionAttributes {
  records: number;
  attributes: Attribute[];
}

/** The content of a dictionary's file, by `characters` or the key of a dataset. */
export interface AttributeDictionary {
  [collection: string]: CollectionAttributes;
}
