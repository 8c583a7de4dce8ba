import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { replaceFile } from '../lib/replace-file.ts';
import { orCommandError } from '../lib/system-error.ts';
import type { PresentFile } from './publication.ts';
import { PUBLISHED, type Target } from './target.ts';

/** A folder, as that of a web server or one that other machines mount. */
export function folderTarget(folder: string): Target {
  const refused = (reason: string) => `${folder} cannot be published to: ${reason}`;
  return {
    name: folder,
    list: () => orCommandError(list(folder), refused),
    read: (file) => readFile(path.join(folder, file)).catch(() => undefined),
    write: (file, content) => orCommandError(write(path.join(folder, file), content), refused),
    remove: (file) => orCommandError(rm(path.join(folder, file), { force: true }), refused),
  };
}

async function list(folder: string): Promise<Map<string, PresentFile>> {
  const found = await fastGlob('*/*', { cwd: folder, stats: true, followSymbolicLinks: false });
  const files = new Map<string, PresentFile>();
  for (const { path: file, stats } of found)
    if (stats && PUBLISHED.test(file)) files.set(file, { bytes: stats.size, at: stats.mtimeMs });
  return files;
}

async function write(target: string, content: Buffer): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await replaceFile(target, content);
}
