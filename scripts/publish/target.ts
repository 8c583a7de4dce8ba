import type { PresentFile } from './publication.ts';

/** A place that files are published to; a plain object a kind of place. What cannot be done there is a `CommandError`. */
export interface Target {
  /** What messages call it. */
  name: string;
  /** The immutable files of a dist/ that are there, by path, and what a killed publication left of one; never anything else. */
  list(): Promise<Map<string, PresentFile>>;
  /** @returns undefined where there is no such file */
  read(file: string): Promise<Buffer | undefined>;
  /** Writes a file, so that a reader sees all of it or nothing. */
  write(file: string, content: Buffer): Promise<void>;
  remove(file: string): Promise<void>;
}

/** An immutable file of a dist/, or what was being written when a process was killed. */
export const PUBLISHED = /^[a-z0-9-]+\/[a-z0-9_.]+\.[0-9a-f]{32}\.json(?:\.gz|\.br)?(?:\.\d+\.tmp)?$/;
