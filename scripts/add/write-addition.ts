import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DumpFile } from '../dump/list-files.ts';
import { CommandError } from '../lib/command-error.ts';

/** The folder of a build that is not complete yet; hidden, so that it does not count as a build. */
const STAGING = '.adding';

/**
 * Calls `use` with a new folder inside the game's folder, and removes it afterwards. The folder is also the lock of `gamedata add`.
 *
 * @throws CommandError when the folder already exists
 */
export async function withStaging<T>(game: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = path.posix.join(game, STAGING);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new CommandError(
      `${folder} already exists: another build is being added, or a previous run was interrupted; in that case, remove the folder`,
    );
  });
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies files of a dump into a folder, which is created if necessary. */
export async function copyFiles(dump: string, files: readonly DumpFile[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { path: file } of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    // `copyFile` would copy the permissions too: copies from a read-only dump would be read-only.
    await pipeline(createReadStream(path.join(dump, file)), createWriteStream(target, { flags: 'wx' }));
  }
}

/** Writes a JSON file. */
export async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
