import type { JsonObject } from '../format/dist-format.ts';

/** The values of an attribute in the records of one collection. Null is no value. */
export interface AttributeValues {
  /** How many records have it. */
  has: number;
  /** The smallest and the largest number; of lists, the numbers of elements. Absent if there is none. */
  min?: number;
  max?: number;
  /** How many different texts and booleans there are; absent if there is none. */
  distinct?: number;
}

/** An attribute of a collection, by its dotted key. */
export interface AttributeCoverage extends AttributeValues {
  attribute: string;
  /** Its values in the build before; absent if there is no such collection. */
  before?: AttributeValues;
  /** Whether it changed in a way that new records do not explain. */
  moved: boolean;
}

/** What the records of a collection have: `characters` or a dataset. */
export interface CollectionCoverage {
  collection: string;
  /** How many records it has; 1 for a dataset that is one object. */
  records: number;
  /** How many it had in the build before; absent if there is no such collection. */
  records_before?: number;
  /** How many of them have aliases; absent if none has. */
  aliases?: number;
  /** Those that moved most come first, then the others in the order of the records. */
  attributes: AttributeCoverage[];
}

/** What the newest build of a game has, beside the build before it. */
export interface BuildCoverage {
  game: string;
  build: string;
  before?: string;
  collections: CollectionCoverage[];
}

/** The records of a collection. */
export interface CollectionRecords {
  list: string;
  records: readonly JsonObject[];
}

/** The collections of a build, by name. */
export interface BuildRecords {
  build: string;
  lists: ReadonlyMap<string, CollectionRecords>;
}

/** Which attributes a table lists: those that moved since the build before, all, or none. */
export type CoverageChoice = 'moved' | 'all' | 'none';
