import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DumpFile } from './list-files.ts';
import { CommandError, makeFolder } from '../../system.ts';
import { type LockHolder, withLock as withLease } from '../../dist/lock.ts';

/** The folder of a build that is not complete yet; hidden, so that it does not count as a build. */
const STAGING = '.adding';

/** The folder inside it of a build that is being replaced: it returns to its place if the run is killed. */
const REPLACED = 'replaced';

/** The lock of `gamedata add`, beside it. */
const LOCK_FILE = '.adding.lock';

/**
 * Calls `use` with a new folder inside the game's folder, and removes it afterwards. What a killed run left behind is removed first.
 *
 * @throws CommandError while another process adds a build to the game
 */
export async function withStaging<T>(game: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = path.posix.join(game, STAGING);
  const clear = () => rm(folder, { recursive: true, force: true });
  const stage = async () => {
    await restoreReplaced(game, folder);
    await clear();
    await mkdir(folder);
    return await use(folder).finally(async () => {
      await restoreReplaced(game, folder);
      await clear();
    });
  };
  return await withLease(path.posix.join(game, LOCK_FILE), stage, {
    refuse: (holder) => new CommandError(describeHolder(holder, game)),
  });
}

/** Puts a staged folder in the place of a build's folder. */
export async function replaceFolder(staged: string, target: string, staging: string): Promise<void> {
  const replaced = path.join(staging, REPLACED);
  await makeFolder(replaced);
  await rename(target, path.join(replaced, path.basename(target)));
  await rename(staged, target);
}

/** Moves a build back whose replacement did not take its place. */
async function restoreReplaced(game: string, staging: string): Promise<void> {
  const folder = path.join(staging, REPLACED);
  for (const build of await readdir(folder).catch(() => []))
    await rename(path.join(folder, build), path.join(game, build)).catch((error: NodeJS.ErrnoException) => {
      // The replacement is in its place.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
}

function describeHolder(holder: LockHolder | undefined, game: string): string {
  const name = holder ? `process ${holder.pid} on ${holder.host}` : 'a process that has just started';
  return `another gamedata is adding a build to ${game} (${name}); wait until it ends. The lock of a process that has died is taken over`;
}

/** Copies files of a dump into a folder, which is created if necessary. */
export async function copyFiles(dump: string, files: readonly DumpFile[], folder: string): Promise<void> {
  await makeFolder(folder);
  for (const { path: file } of files) {
    const target = path.join(folder, file);
    await makeFolder(path.dirname(target));
    // `copyFile` would copy the permissions too: copies from a read-only dump would be read-only.
    await pipeline(createReadStream(path.join(dump, file)), createWriteStream(target, { flags: 'wx' }));
  }
}

/** Writes a JSON file. */
export async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
