import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../findings/findings.ts';
import { errorOf } from '../lib/system-error.ts';

/**
 * Lists the entries of a folder; links are not followed. A folder that the operating system refuses to list is a finding. Synchronous: a
 * game can have hundreds of folders, and promises would take longer than listing them.
 *
 * @param recursive also list the entries of the folders in it
 * @returns entries in no particular order; none when the folder does not exist
 */
export function listFolder(folder: string, findings: Finding[], { recursive = false } = {}): Dirent[] {
  try {
    return recursive ? listAll(folder) : list(folder);
  } catch (error) {
    const { code, path = folder, message } = errorOf(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') findings.push(unreadable(path, message));
    return [];
  }
}

function list(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true });
}

/** Lists recursively. `readdirSync` with `recursive` would follow links to folders, unlike `readdir` of node:fs/promises. */
function listAll(folder: string): Dirent[] {
  return list(folder).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...listAll(join(folder, entry.name))] : [entry],
  );
}

function unreadable(folder: string, reason: string): Finding {
  return {
    check: 'file-text',
    severity: 'error',
    place: { file: folder, pointer: '', line: 1 },
    found: `a folder that cannot be read (${reason})`,
    expected: 'a readable folder',
    fix: 'check its permissions',
  };
}
