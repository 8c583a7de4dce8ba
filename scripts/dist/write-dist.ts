import { open, utimes } from 'node:fs/promises';
import path from 'node:path';
import { filesOf, INDEX_FILE, type Index } from '../format/dist-format.ts';
import { makePrivateFolder, readRegularFile, replacePrivateFile } from '../system.ts';
import type { GamePlan } from './plan.ts';
import { readNamedFiles } from './read-dist.ts';
import { moveStaged } from './stage.ts';

/** The size of the built games' files, and how many of these bytes were new. */
export interface Written {
  bytes: number;
  newBytes: number;
}

/**
 * Writes a plan to dist/: first every missing file, then, in one atomic step, the index that references them. If anything fails before that step,
 * readers still see the complete old state.
 *
 * @param present the current index
 */
export async function writeDist(
  folder: string,
  plans: GamePlan[],
  index: Index,
  present: Index | undefined,
): Promise<Written> {
  const written: Written = { bytes: 0, newBytes: 0 };
  for (const { slug, files, staged, stage, bytes } of plans) {
    written.bytes += bytes;
    await makePrivateFolder(path.join(folder, slug));
    if (stage) await moveStaged(stage, staged);
    for (const [file, content] of files) await replacePrivateFile(path.join(folder, file), content);
    written.newBytes += staged.reduce((sum, ref) => sum + ref.bytes, 0);
    if (staged.length > 0) await syncFolder(path.join(folder, slug));
  }

  const target = path.join(folder, INDEX_FILE);
  const bytes = encodeIndex(index);
  const current = await readRegularFile(target).catch(() => undefined);
  if (!current?.equals(bytes)) {
    // Before the index is replaced: `prune` keeps files of the old index for some days, counted from this time.
    if (present) await markUnnamed(folder, present, plans, index);
    await replacePrivateFile(target, bytes);
    await syncFolder(folder);
  }
  return written;
}

export function encodeIndex(index: Index): Buffer {
  return Buffer.from(`${JSON.stringify(index, null, 1)}\n`);
}

/** Sets the time of files that the next index no longer references. `prune` removes them some days after this time. */
async function markUnnamed(folder: string, before: Index, plans: GamePlan[], after: Index): Promise<void> {
  const manifests = new Set(after.games.map(({ manifest }) => manifest.file));
  const changed = before.games.filter(({ manifest }) => !manifests.has(manifest.file));
  const named = new Set(plans.flatMap(({ entries }) => entries.flatMap(filesOf)).map(({ file }) => file));
  const now = new Date();
  for (const file of (await readNamedFiles(folder, changed)).keys()) {
    if (!named.has(file)) await utimes(path.join(folder, file), now, now).catch(() => {});
  }
}

/** Syncs a folder, so that renames in it survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
