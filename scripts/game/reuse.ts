import type { CorrectedSoFar } from '../corrections/apply-corrections.ts';
import type { GamePlan } from '../dist/plan.ts';
import type { Finding } from '../findings/findings.ts';
import type { BuildEntry } from '../format/dist-format.ts';
import type { BuildFiles } from '../read/build-files.ts';

/** The folders with the results of earlier runs. */
export interface ReuseFolders {
  /** The folder with compiled files, dist/. */
  out: string;
  /** The cache folder, which can be deleted at any time. */
  cache: string;
}

/** What is remembered from build to build: by gates, and of what upstream has where corrections replace it. */
export interface Remembrance {
  /** JSON; undefined without the part that has gates. */
  seen: unknown;
  corrected: CorrectedSoFar;
}

/** The result of compiling a build: its entry in the manifest, what is remembered up to it, and warnings with their lines. */
export interface Remembered extends Remembrance {
  entry: BuildEntry;
  findings: Finding[];
}

/** The results of compiling builds, by a key of everything that each depends on. A result is only used if dist/ has all its files. */
export interface BuildMemo {
  /**
   * Hashes everything that the result of a build depends on.
   *
   * @param title of the game
   * @param before the entry of the build before it: gates and the diff depend on its content
   * @param state what is remembered of all builds before it
   */
  keyOf(title: string, files: BuildFiles, before: BuildEntry | undefined, state: Remembrance): string;
  /**
   * The result with this key; undefined if there is none, or if dist/ lacks one of its files.
   *
   * @param isNewest whether the build is the newest of its game, which has files for all of its lists
   */
  find(key: string, isNewest: boolean): Remembered | undefined;
  /** Remembers a result; `save` writes it. */
  remember(key: string, remembered: Remembered): void;
  /** Writes the results that were found or remembered, and forgets all others. A cache that cannot be written only costs time. */
  save(): Promise<void>;
}

/** A run of `gamedata build`: which games it builds, from which folder to which. */
export interface Run {
  data: string;
  out: string;
  cache: string;
  slugs: readonly string[];
  /** Whether the index keeps other games. */
  keepOthers: boolean;
  /** The formats in which builds are written besides JSON, and of how many builds. */
  formats: readonly string[];
}

/** What a run printed: its warnings, and how much it built. */
export interface Printed {
  warnings: string;
  totals: string;
}

/** Knows whether a run has nothing to do: it is the same run as the last one, its inputs have not been written since, and dist/ has not changed. */
export interface LastRun {
  /** @returns what the last run printed, if this one would have the same result */
  find(): Promise<Printed | undefined>;
  /** Remembers this run, unless an input was written during it. A memory that cannot be written only costs time. */
  remember(plans: readonly GamePlan[], printed: Printed): Promise<void>;
}
