import type { Override } from '../../../scripts/read/game-schema.ts';

/**
 * A build: the dump folders that it consists of (each is laid out in the build's folder, or in a folder inside), when upstream published
 * them (UTC), how many characters it has, and what gates correctly find in the step to it.
 */
export interface ExpectedBuild {
  build: string;
  folders: (string | { dump: string; into: string })[];
  released_at: string;
  characters: number;
  overrides?: Override[];
}

/** The value at a dotted path of a record (numbers are positions in a list); undefined if there is none. */
export interface ExpectedValue {
  id: string;
  path: string;
  value: unknown;
}

/** A game: its folder among the dumps, its builds, oldest first, and what the newest one holds. */
export interface ExpectedGame {
  folder: string;
  builds: ExpectedBuild[];
  /** The number of records in each list that comes from the dumps. */
  datasets: Record<string, number>;
  /** By dataset, the attributes that the full dumps have and the shipped builds of them do not: these were released without. */
  unshipped?: Record<string, string[]>;
  /** Values in the full records of characters. */
  values: ExpectedValue[];
  /** Values in the records of datasets. */
  records: (ExpectedValue & { dataset: string })[];
}
