import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Dump, DumpFile } from './list-files.ts';
import { compareNatural } from '../../format/dist-format.ts';
import type { PresentFile, ReadPaths } from './present-files.ts';

/** The difference between a dump and the present files. Paths are inside the build's folder, except those of `DumpFile`. */
export interface Addition {
  /** In the dump but not present. */
  added: DumpFile[];
  /** Present with other bytes. */
  changed: DumpFile[];
  /** How many files of the dump are present with the same bytes. */
  unchanged: number;
  /** Present but missing in the dump. */
  removed: string[];
  /** Present, not in the dump, and never part of one: they stay. */
  kept: string[];
  /** Files of the dump that the game does not read. */
  leftOut: string[];
}

/** How to add a dump. */
export interface DumpScope {
  /** The sub-folder of the build that the dump replaces; `''` for the whole build. */
  into: string;
  /** Whether the dump is incomplete, so that files missing in it are not removed. */
  partial: boolean;
  /** Whether a path inside the build's folder can be in such a dump; other files stay. Absent: all can. */
  covers?: (file: string) => boolean;
}

/** Compares a dump with the present files from `findPresentFiles`. */
export async function planAddition(
  { folder, files }: Dump,
  present: ReadonlyMap<string, PresentFile>,
  paths: ReadPaths,
  { into, partial, covers = () => true }: DumpScope,
): Promise<Addition> {
  const addition: Addition = { added: [], changed: [], unchanged: 0, removed: [], kept: [], leftOut: [] };
  const inDump = new Set<string>();
  for (const file of files) {
    const target = path.posix.join(into, file.path);
    const presentFile = present.get(target);
    inDump.add(target);
    if (!paths.isRead(target)) addition.leftOut.push(file.path);
    else if (presentFile === undefined) addition.added.push(file);
    else if (await hasContentOf(path.join(folder, file.path), presentFile)) addition.unchanged++;
    else addition.changed.push(file);
  }
  for (const file of [...present.keys()].sort(compareNatural)) {
    if (inDump.has(file) || !file.startsWith(into === '' ? '' : `${into}/`)) continue;
    if (!partial) addition[paths.comesWithDump(file) && covers(file) ? 'removed' : 'kept'].push(file);
  }
  return addition;
}

/** Whether a file has the same bytes as one that a build has. That of a reference need not be there. */
export async function hasContentOf(file: string, presentFile: PresentFile): Promise<boolean> {
  if (presentFile.reference) return (await hashFile(file)) === presentFile.reference.sha256;
  const [size, sizeOfKnown] = await Promise.all(
    [file, presentFile.path].map(async (each) => (await stat(each)).size),
  );
  if (size !== sizeOfKnown) return false;
  const [hash, hashOfKnown] = await Promise.all([hashFile(file), hashFile(presentFile.path)]);
  return hash === hashOfKnown;
}

/** The SHA-256 of a file, hexadecimal. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
