import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileRef } from '../format/dist-format.ts';
import { inParallel } from '../lib/in-parallel.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../lib/private-files.ts';
import { orUnwritable } from './dist-lock.ts';

/** The names of stages begin so. No reader of dist/ looks into them. */
const PREFIX = '.staged-';

/** Where a stage is: the dist/ folder, and a folder inside it. */
export interface StagePlace {
  out: string;
  folder: string;
}

/** How many files are moved at once: most of the time is spent waiting for the disk. */
const MAX_PARALLEL_MOVES = 4;

/**
 * Holds the files of a run until all games are compiled: after an error, none of them is in dist/. The processes that compile write here, so
 * that no file passes through the memory of another process.
 */
export class Stage {
  readonly place: StagePlace;

  /** @param place of a stage that exists */
  constructor(place: StagePlace) {
    this.place = place;
  }

  /** Makes a stage, and removes those of killed runs. Only the holder of the lock of dist/ may do so. */
  static async make(out: string): Promise<Stage> {
    const left = (await readdir(out)).filter((name) => name.startsWith(PREFIX));
    for (const name of left) await rm(path.join(out, name), { recursive: true, force: true });
    // A run that was suspended, and lost its lock meanwhile, must not remove the stage of the next one.
    const folder = path.join(out, PREFIX + randomBytes(8).toString('hex'));
    return new Stage({ out, folder });
  }

  /**
   * Writes a file, unless dist/ has it already.
   *
   * @returns whether it was written
   * @throws CommandError if it cannot be written
   */
  async add(ref: FileRef, content: Uint8Array): Promise<boolean> {
    return await orUnwritable(this.place.out, this.#write(ref, content));
  }

  async #write({ file, bytes }: FileRef, content: Uint8Array): Promise<boolean> {
    if (await hasSize(path.join(this.place.out, file), bytes)) return false;
    const staged = this.#pathOf(file);
    await makePrivateFolder(path.dirname(staged));
    await writeFile(staged, content, { mode: PRIVATE_FILE_MODE });
    return true;
  }

  /** Reads a file; undefined if it is not here. */
  async read({ file }: Pick<FileRef, 'file'>): Promise<Buffer | undefined> {
    return await readFile(this.#pathOf(file)).catch(() => undefined);
  }

  /** Moves files to dist/. Each of them reaches the disk before it gets its name there. */
  async move(files: readonly FileRef[]): Promise<void> {
    await inParallel(files, MAX_PARALLEL_MOVES, async ({ file }) => {
      await sync(this.#pathOf(file));
      await rename(this.#pathOf(file), path.join(this.place.out, file));
    });
  }

  /** Removes the stage, with all files that were not moved. */
  async remove(): Promise<void> {
    await rm(this.place.folder, { recursive: true, force: true });
  }

  #pathOf(file: string): string {
    return path.join(this.place.folder, file);
  }
}

/** A file's name carries the hash of its content. Only an incomplete copy could differ, and its size would be another one. */
export async function hasSize(file: string, size: number): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.size === size;
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
