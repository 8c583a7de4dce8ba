import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DumpFile } from '../dump/list-files.ts';
import { CommandError } from '../lib/command-error.ts';

/** Where a build is made until it is whole; hidden, so that nothing takes it for a build. */
const STAGING = '.adding';

/**
 * Calls `use` with a new folder inside the game's, in which nobody else works, and removes it after it.
 *
 * @throws CommandError when the folder is there
 */
export async function withStaging<T>(game: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = path.posix.join(game, STAGING);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new CommandError(
      `${folder} is there: another build is being added, or adding one was broken off; if none is, remove the folder`,
    );
  });
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies files of a dump below a folder, which is made where it is missing. */
export async function copyFiles(dump: string, files: readonly DumpFile[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { path: file } of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    // Not copyFile: a dump that nobody may write to would make such files of its copies.
    await pipeline(createReadStream(path.join(dump, file)), createWriteStream(target, { flags: 'wx' }));
  }
}

/** Writes a JSON file. */
export async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
