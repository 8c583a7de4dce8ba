import { realpathSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CheckName } from '../findings/check-names.ts';
import type { Finding, Place } from '../findings/findings.ts';
import { readText } from './read-file.ts';

/** Files that game.json names are written by hand, so longer ones are a mistake. */
const MAX_NAMED_FILE_BYTES = 1 << 20;

/**
 * Reads a text file that game.json names. It must be a file inside the game's folder, also when it is a symbolic link.
 *
 * @param folder the game's folder
 * @param file the path inside it
 * @param place where game.json names it
 * @param check the check that a finding about the place names
 */
export async function readNamedFile(
  folder: string,
  file: string,
  place: Place,
  check: CheckName,
): Promise<{ value: string } | { finding: Finding }> {
  const fullPath = path.posix.join(folder, file);
  const found = await findProblem(fullPath, await realpath(folder).catch(() => folder));
  if (found === undefined) return await readText(fullPath);
  const expected = "a file of at most 1 MiB inside the game's folder";
  return { finding: { check, severity: 'error', place, found, expected } };
}

/**
 * Reads a text file of a game's folder that has a fixed name.
 *
 * @param folder the game's folder
 * @param file the path inside it
 */
export async function readInside(
  folder: string,
  file: string,
): Promise<{ value: string } | { finding: Finding }> {
  const fullPath = path.posix.join(folder, file);
  const real = realPathOf(fullPath);
  if (real === undefined || real.startsWith(`${realPathOf(folder)}${path.sep}`)) {
    return await readText(fullPath);
  }
  return {
    finding: {
      check: 'file-text',
      severity: 'error',
      place: { file: fullPath, pointer: '', line: 1 },
      found: "a link that leads out of the game's folder",
      expected: 'a file inside the folder',
    },
  };
}

async function findProblem(file: string, root: string): Promise<string | undefined> {
  const real = await realpath(file).catch(() => undefined);
  const facts = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || facts === undefined) return `no file ${file}`;
  if (!real.startsWith(root + path.sep)) return `${file}, which leads out of the folder`;
  if (!facts.isFile()) return `${file}, which is not a file`;
  return facts.size > MAX_NAMED_FILE_BYTES ? `${file} of ${facts.size} bytes` : undefined;
}

/**
 * Returns the real path of a file, with links followed; undefined for a broken link. Synchronous: for the thousands of files of a dump,
 * promises would take longer than the system calls.
 */
export function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
