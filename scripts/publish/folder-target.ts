import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { replaceFile } from '../lib/replace-file.ts';
import { orCommandError } from '../lib/system-error.ts';
import type { PresentFile } from './publication.ts';
import { PUBLISHED, type Target } from './target.ts';
import { makeFolder } from '../lib/make-folder.ts';

/** A folder: that of a web server, or one that other machines mount. */
export class FolderTarget implements Target {
  readonly name: string;

  constructor(folder: string) {
    this.name = folder;
  }

  list(): Promise<Map<string, PresentFile>> {
    return this.#orFail(listPublished(this.name));
  }

  read(file: string): Promise<Buffer | undefined> {
    return readFile(this.#pathOf(file)).catch(() => undefined);
  }

  write(file: string, content: Buffer): Promise<void> {
    return this.#orFail(writeWhole(this.#pathOf(file), content));
  }

  remove(file: string): Promise<void> {
    return this.#orFail(rm(this.#pathOf(file), { force: true }));
  }

  #pathOf(file: string): string {
    return path.join(this.name, file);
  }

  #orFail<T>(work: Promise<T>): Promise<T> {
    return orCommandError(work, (reason) => `cannot publish to ${this.name}: ${reason}`);
  }
}

async function listPublished(folder: string): Promise<Map<string, PresentFile>> {
  const entries = await fastGlob('*/*', { cwd: folder, stats: true, followSymbolicLinks: false });
  const files = new Map<string, PresentFile>();
  for (const { path: file, stats } of entries)
    if (stats && PUBLISHED.test(file)) files.set(file, { bytes: stats.size, at: stats.mtimeMs });
  return files;
}

/** Readers of a published folder are other users: the umask decides who. */
const PUBLIC_MODE = 0o666;

async function writeWhole(file: string, content: Buffer): Promise<void> {
  await makeFolder(path.dirname(file));
  await replaceFile(file, content, PUBLIC_MODE);
}
