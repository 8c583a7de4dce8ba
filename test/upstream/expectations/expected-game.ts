import type { Override } from '../../../scripts/read/definition.ts';

/**
 * A build: the dump folders that form it (each laid out in the build's own folder, or in one inside it), when upstream took them up (UTC),
 * how many characters it has, and what a gate rightly finds in the step to it.
 */
export interface ExpectedBuild {
  build: string;
  folders: (string | { dump: string; into: string })[];
  released_at: string;
  characters: number;
  overrides?: Override[];
}

/** The value at a dotted path of a record (numbers are positions in a list); undefined: nothing is there. */
export interface ExpectedValue {
  id: string;
  path: string;
  value: unknown;
}

/** A game: its folder among the dumps, its builds, oldest first, and what the newest one holds. */
export interface ExpectedGame {
  folder: string;
  builds: ExpectedBuild[];
  /** Records in each list that the dumps give. */
  datasets: Record<string, number>;
  /** In the full records of characters. */
  values: ExpectedValue[];
  /** In the records of datasets. */
  records: (ExpectedValue & { dataset: string })[];
}
