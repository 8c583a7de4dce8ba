import { mkdir, open, readFile, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { filesOf, INDEX_FILE, type Index } from '../format/dist-format.ts';
import { inParallel } from '../lib/in-parallel.ts';
import { replaceFile } from '../lib/replace-file.ts';
import type { GamePlan } from './plan.ts';
import { readNamedFiles } from './read-dist.ts';

/** What a write did: how many bytes the built games have, and how many of them had to be written. */
export interface Written {
  bytes: number;
  newBytes: number;
}

/** Files that are written at once: most of the time of each is waiting for the disk to have it. */
const AT_ONCE = 4;

/**
 * Brings dist/ to what is planned: first every file that is missing, then, in one atomic step, the index that names them. Whatever
 * happens before that step, a reader sees the old state whole.
 *
 * @param present the index that is there
 */
export async function writeDist(
  folder: string,
  plans: GamePlan[],
  index: Index,
  present: Index | undefined,
): Promise<Written> {
  const written: Written = { bytes: 0, newBytes: 0 };
  for (const { slug, files, bytes } of plans) {
    written.bytes += bytes;
    await mkdir(path.join(folder, slug), { recursive: true });
    const before = written.newBytes;
    await inParallel([...files], AT_ONCE, async ([file, content]) => {
      const target = path.join(folder, file);
      if (await hasSize(target, content.length)) return;
      await replaceFile(target, content);
      written.newBytes += content.length;
    });
    if (written.newBytes > before) await syncFolder(path.join(folder, slug));
  }

  const target = path.join(folder, INDEX_FILE);
  const bytes = encodeIndex(index);
  const current = await readFile(target).catch(() => undefined);
  if (!current?.equals(bytes)) {
    // First: a reader of the old index must have its files for some days, also when this is the last that happens.
    if (present) await markUnnamed(folder, present, plans, index);
    await replaceFile(target, bytes);
    await syncFolder(folder);
  }
  return written;
}

/** The bytes of index.json. */
export function encodeIndex(index: Index): Buffer {
  return Buffer.from(`${JSON.stringify(index, null, 1)}\n`);
}

/** A file's name carries the hash of its content, so that only a torn copy could differ; its size tells. */
async function hasSize(file: string, size: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.size === size;
}

/** Sets the time of files that will no longer be named: how long they have not been is what `prune` goes by. */
async function markUnnamed(folder: string, before: Index, plans: GamePlan[], after: Index): Promise<void> {
  const manifests = new Set(after.games.map(({ manifest }) => manifest.file));
  const changed = before.games.filter(({ manifest }) => !manifests.has(manifest.file));
  const named = new Set(plans.flatMap(({ entries }) => entries.flatMap(filesOf)).map(({ file }) => file));
  const now = new Date();
  for (const file of (await readNamedFiles(folder, changed)).keys()) {
    if (!named.has(file)) await utimes(path.join(folder, file), now, now).catch(() => {});
  }
}

/** Makes the renames in a folder last through a power cut. Windows cannot open folders, and needs no such step. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
