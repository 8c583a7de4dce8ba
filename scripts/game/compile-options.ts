import type { Keeping } from '../dist/planned-files.ts';
import type { BulkFormat } from '../format/dist-format.ts';
import type { UpstreamOptions } from '../read/reference.ts';
import type { Published } from '../recorded/published-builds.ts';
import type { ReuseFolders } from './reuse.ts';

/** Some builds of a game: those with a name, and the newest. */
export interface ChosenBuilds {
  names: readonly string[];
  /** How many of the newest. */
  newest: number;
}

/** How a game is compiled. */
export interface CompileOptions {
  /** The folders with earlier results. Without them, all builds are compiled. */
  reuse?: ReuseFolders | undefined;
  /** Whether earlier results may be used. New results are remembered in any case. */
  trust?: boolean;
  /**
   * Whether the findings of gates and about recorded builds are only warnings, as for commands that only read. Cannot be combined with
   * `reuse`.
   */
  lenient?: boolean;
  /**
   * The builds to compile; by default all. What depends on the builds left out is neither checked nor compared. Cannot be combined with
   * `reuse`.
   */
  only?: ChosenBuilds;
  /** What happens to the files that are made; by default the plan holds them in memory. */
  keep?: Keeping;
  /** The formats in which each build is written besides JSON; by default none. */
  formats?: readonly BulkFormat[];
  /** How many of the newest builds are written in these formats; by default all. */
  formatsOf?: number | undefined;
  /** What is published: released builds of it may not change, even if builds.lock.json does not have them. */
  published?: Published;
  /** How files are fetched that builds name by reference, and where their copies are kept. */
  upstream?: UpstreamOptions;
  /** ms since 1970. A recorded build that is released later may change. Without it, no recorded build may change. */
  now?: number;
}
