import type { BuildEntry, BulkFormat } from '../format/dist-format.ts';
import { Port } from '../lib/port.ts';
import type { Progress } from '../lib/progress.ts';
import type { FileKeeper, Keeping } from './planned-files.ts';

/** The game whose builds are written in other formats than JSON. */
export interface BulkOptions {
  game: { slug: string; title: string; language?: string | undefined };
  formats: readonly BulkFormat[];
  /** How many of the newest builds are written in them. */
  newest: number;
  keeping: Keeping;
  /** Takes the files that are made, and has those of the plan. */
  files: FileKeeper;
}

/** Writes the builds of a plan in other formats. */
export interface BulkWriter {
  /**
   * Returns the builds with references to their files.
   *
   * @param kept the names of the builds that were not compiled again: their files in dist/ are not written again
   * @param onBegin called with each build that is written
   * @throws DamagedFile if a file of a build cannot be read
   */
  addTo(
    entries: readonly BuildEntry[],
    kept: ReadonlySet<string>,
    onBegin: (build: string) => void,
  ): Promise<BuildEntry[]>;
}

/** The formats other than JSON. */
export const BULK = new Port<(options: BulkOptions) => BulkWriter>();

/** What is published, from where and to where. */
export interface Publication {
  dist: string;
  /** A folder, or `s3://bucket/prefix`. */
  target: string;
  /** The address of a store other than AWS. */
  endpoint: string | undefined;
  /** Whether builds are published that no part compared with those before. */
  uncheckedSteps: boolean;
}

/** Copies dist/ to where others read it, and returns what it did, in one line. */
export const PUBLISH = new Port<(publication: Publication, progress: Progress) => Promise<string>>();
