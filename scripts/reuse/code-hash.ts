import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastGlob from 'fast-glob';
import { LIBRARIES } from './libraries.ts';

let hashPromise: Promise<string> | undefined;

/**
 * Hashes everything except data that a compiled build depends on: the compiler's code, and the versions of Node and the libraries. It is
 * computed once, because a process keeps the code that it has loaded.
 */
export async function hashCode(): Promise<string> {
  hashPromise ??= hashFiles();
  return await hashPromise;
}

async function hashFiles(): Promise<string> {
  const scripts = path.join(import.meta.dirname, '..');
  const hash = createHash('sha256').update(process.version);
  const ownFiles = await fastGlob('**/*.{ts,js}', { cwd: scripts, absolute: true });
  const files = [...ownFiles.sort(), ...LIBRARIES.map((name) => fileURLToPath(import.meta.resolve(name)))];
  for (const file of files) hash.update(file).update(await readFile(file));
  for (const name of LIBRARIES) hash.update(await readVersion(fileURLToPath(import.meta.resolve(name))));
  return hash.digest('hex');
}

/** The version of the package that a module belongs to. */
async function readVersion(module: string): Promise<string> {
  for (let folder = path.dirname(module); ; folder = path.dirname(folder)) {
    const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '{}');
    const { version }: { version?: string } = JSON.parse(text);
    if (version !== undefined) return version;
    if (folder === path.dirname(folder)) return '';
  }
}
