import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../../scripts/lib/regular-file.ts';
import { replaceFile } from '../../scripts/lib/replace-file.ts';

/** In the folder of a store: when its last backup was complete. */
const LAST_BACKUP = 'last-backup';
/** A draft of a backup, which has a random name beside the backup. */
const DRAFT = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;
/** A draft in progress is written to all the time; an older one was left by a process that was killed. */
const STALE_MS = 600_000;

/** Removes drafts of backups and restores in a folder that were left by processes which were killed. A folder that is not there has none. */
export async function removeDrafts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => DRAFT.test(each))) {
    const draft = path.join(folder, name);
    if (Date.now() - (await findLastWrite(draft)) > STALE_MS)
      await rm(draft, { recursive: true, force: true });
  }
}

/** Returns when a file, or any file in a folder, was last written to, in ms since 1970. */
async function findLastWrite(place: string): Promise<number> {
  const inside = await readdir(place).catch(() => []);
  const times = [place, ...inside.map((name) => path.join(place, name))].map((each) =>
    stat(each).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}

/**
 * Notes in the folder of a store that its backup is complete.
 *
 * @throws Error of node:fs when the folder cannot be written
 */
export async function noteBackup(store: string): Promise<void> {
  await replaceFile(path.join(store, LAST_BACKUP), Buffer.from(`${new Date().toISOString()}\n`), 0o600);
}

/** Returns when the last backup of a store in a folder was complete, in ms since 1970; 0 when none is known. */
export async function readLastBackup(store: string): Promise<number> {
  const text = await readRegularFile(path.join(store, LAST_BACKUP)).catch(() => '');
  return Date.parse(String(text).trim()) || 0;
}
