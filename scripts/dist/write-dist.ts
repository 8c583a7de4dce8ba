import { open, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf, INDEX_FILE, type Index } from '../format/dist-format.ts';
import { inParallel, makePrivateFolder, readRegularFile, replacePrivateFile } from '../system.ts';
import type { GamePlan } from './plan.ts';
import { readNamedFiles } from './read-dist.ts';
import { hasSize, Stage } from './stage.ts';

/** The size of the built games' files, and how many of these bytes were new. */
export interface Written {
  bytes: number;
  newBytes: number;
}

/** How many files are written at once: most of the time, the disk is the limit. */
const MAX_PARALLEL_WRITES = 4;

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
    if (stage) await new Stage(stage).move(staged);
    const before = written.newBytes;
    for (const ref of staged) written.newBytes += ref.bytes;
    await inParallel([...files], MAX_PARALLEL_WRITES, async ([file, content]) => {
      const target = path.join(folder, file);
      if (await hasSize(target, content.length)) return;
      await replacePrivateFile(target, content);
      written.newBytes += content.length;
    });
    if (written.newBytes > before) await syncFolder(path.join(folder, slug));
  }

  const target = path.join(folder, INDEX_FILE);
  const bytes = encodeIndex(index);
  const current = await readRegularFile(target).catch(() => undefined);
  if (!current?.equals(bytes)) {
    // Before the index is replaced: `prune` keeps files of the old index for some days, counted from this time.
    if (present) await markUnnamed(folder, present, plans, index);
    await replacePrivateFile(target, bytes);
    await syncFolder(folder);
    await removeSuperseded(folder, plans);
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

/** Syncs a folder, so that renames in it survive a power cut. Windows cannot open folders, and does not need this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const MANIFEST = /^manifest\.[0-9a-f]{32}\.json$/;
/**
 * How many unreferenced manifests of a game are kept. A manifest lists all builds, so that keeping all of them would need space quadratic in the
 * number of builds. A reader reads the manifest right after the index.
 */
const KEPT = 10;

/** Removes the manifests of games that many later ones have superseded. Their times say when that happened (`writeDist`). */
export async function removeSuperseded(
  folder: string,
  games: readonly { slug: string; manifest: FileRef }[],
): Promise<void> {
  for (const { slug, manifest } of games) {
    const names = (await readdir(path.join(folder, slug))).filter((name) => MANIFEST.test(name));
    const old = names.map((name) => `${slug}/${name}`).filter((file) => file !== manifest.file);
    if (old.length <= KEPT) continue;
    const times = await Promise.all(
      old.map(async (file) => ({ file, at: (await stat(path.join(folder, file))).mtimeMs })),
    );
    const superseded = times.sort((a, b) => b.at - a.at).slice(KEPT);
    for (const { file } of superseded) await rm(path.join(folder, file), { force: true });
  }
}
