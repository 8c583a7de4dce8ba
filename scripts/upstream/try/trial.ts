import type { CoverageChoice } from '../../check/coverage.ts';

/** What to evaluate, and on which tables. */
export interface Trial {
  data: string;
  slug: string;
  /** The expression; undefined to evaluate `mapped`, or to describe the tables. */
  text: string | undefined;
  /** `characters` or the key of a dataset, to evaluate its mapping in game.json. */
  mapped?: string;
  /** The newest if undefined. */
  build?: string;
  /** The table for whose rows the expression is evaluated; undefined for all tables at once. */
  from?: string;
  row?: string;
  /** The folder with copies of files that builds name by reference. */
  upstream?: string;
  limit: number;
  /** Which attributes of all results are listed. */
  coverage: CoverageChoice;
}
