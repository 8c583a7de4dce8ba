import { FILE_EXTENSION } from '../format/dist-format.ts';
import { TEMPORARY_SUFFIX } from '../lib/replace-file.ts';
import type { PresentFile } from './publication.ts';

/** A place to which files are published. What fails there rejects with a `CommandError`. */
export interface Target {
  /** Its name in messages. */
  name: string;
  /** The files there whose paths match `PUBLISHED`, by path. */
  list(): Promise<Map<string, PresentFile>>;
  /** @returns undefined if the file does not exist */
  read(file: string): Promise<Buffer | undefined>;
  /** Writes a file; a reader sees all of it or nothing. */
  write(file: string, content: Buffer): Promise<void>;
  remove(file: string): Promise<void>;
}

/** The path of an immutable file of dist/, or of the temporary file that a killed process left of one. */
export const PUBLISHED = new RegExp(
  String.raw`^[a-z0-9-]+/[a-z0-9_.]+\.[0-9a-f]{32}\.${FILE_EXTENSION}(?:${TEMPORARY_SUFFIX})?$`,
);
