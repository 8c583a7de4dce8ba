import { CommandError } from '../../system.ts';
import type { Dump } from './list-files.ts';
import type { PresentFile } from './present-files.ts';
import type { Apart } from './run-apart.ts';
import { type RawTrim, trimDump } from './trim.ts';

/** A dump that is trimmed in a process of its own. */
export interface TrimTask {
  dump: Dump;
  rules: Readonly<Record<string, RawTrim>>;
  into: string;
  /** The paths in the folder of the build that the game reads, of the dump's files and the present ones. */
  read: readonly string[];
  /** The entries of the present files: only JSON passes between processes. */
  present: [string, PresentFile][];
  maxBytes: number;
  folder: string;
}

/** Trims a dump; see `trimDump`. */
export default async function trim({
  dump,
  rules,
  into,
  read,
  present,
  maxBytes,
  folder,
}: TrimTask): Promise<Apart<Dump>> {
  const paths = new Set(read);
  const scope = { into, isRead: (file: string) => paths.has(file), present: new Map(present), maxBytes };
  try {
    return await trimDump(dump, rules, scope, folder);
  } catch (error) {
    if (error instanceof CommandError) return { problem: error.message };
    throw error;
  }
}
