import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { LOCK_FILE } from '../../scripts/format/dist-format.ts';

/** A lock that was not renewed for so long is that of a process that has died, in ms. */
const STALE_MS = 60_000;

/** Returns since when a `gamedata` has been writing to a dist/ folder, in ms since 1970; 0 when none does. */
export async function readLock(folder: string): Promise<number> {
  const file = path.join(folder, LOCK_FILE);
  try {
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > STALE_MS) return 0;
    const { since }: { since?: string } = JSON.parse(await readFile(file, 'utf8'));
    return Date.parse(since ?? '') || 0;
  } catch {
    return 0;
  }
}
