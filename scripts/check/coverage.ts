import type { JsonObject } from '../format/dist-format.ts';
import { Port } from '../lib/port.ts';

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

/** Counts what builds have, and shows it. */
export interface Coverage {
  /** Compares what the collections of a build have with those of the build before it, if there is one. */
  coverBuild(game: string, after: BuildRecords, before: BuildRecords | undefined): BuildCoverage;
  /** What records have, alone. */
  coverList(collection: CollectionRecords): CollectionCoverage;
  /** Renders one table for each build, with a line feed at its end; `''` for nothing. */
  renderBuilds(coverages: readonly BuildCoverage[], choice: CoverageChoice): string;
  /** Renders what the records of a collection have, as lines. */
  renderCollection(collection: CollectionCoverage, choice: CoverageChoice): string[];
}

/** Without it nothing is counted, and nothing shown. */
export const COVERAGE = new Port<Coverage>();

/** Renders what builds have, as `Coverage` does. */
export async function renderCoverage(
  coverages: readonly BuildCoverage[],
  choice: CoverageChoice,
): Promise<string> {
  return (await COVERAGE.load())?.renderBuilds(coverages, choice) ?? '';
}
