import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { INDEX_FILE, type Index } from './dist-format.ts';
import type { GamePlan } from './plan.ts';

/** What a write did: how many bytes the index now names, and how many had to be written. */
interface Written {
  bytes: number;
  newBytes: number;
}

/**
 * Brings dist/ to what is planned: first every file that is missing, then, in one atomic step, the index that names them. Whatever
 * happens before that step, a reader sees the old state whole.
 */
export async function writeDist(folder: string, plans: GamePlan[], index: Index): Promise<Written> {
  const written: Written = { bytes: 0, newBytes: 0 };
  for (const { slug, files } of plans) {
    await mkdir(path.join(folder, slug), { recursive: true });
    for (const [file, bytes] of files) {
      written.bytes += bytes.length;
      const target = path.join(folder, file);
      if (await hasSize(target, bytes.length)) continue;
      await replaceFile(target, bytes);
      written.newBytes += bytes.length;
    }
    await syncFolder(path.join(folder, slug));
  }

  const target = path.join(folder, INDEX_FILE);
  const bytes = Buffer.from(`${JSON.stringify(index, null, 1)}\n`);
  const present = await readFile(target).catch(() => undefined);
  if (!present?.equals(bytes)) {
    await replaceFile(target, bytes);
    await syncFolder(folder);
  }
  return written;
}

/** A file's name carries the hash of its content, so that only a torn copy could differ; its size tells. */
async function hasSize(file: string, size: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.size === size;
}

/** Writes beside the target, syncs, renames: the target is never seen half-written. */
async function replaceFile(target: string, bytes: Buffer): Promise<void> {
  const beside = `${target}.${process.pid}.tmp`;
  try {
    const handle = await open(beside, 'w', 0o644);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
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
