import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../findings/findings.ts';

/**
 * Lists what is in a folder; links are not followed. What the operating system refuses to list is a finding. A game can have hundreds of
 * builds with folders of their own: promises would take longer than the lists.
 *
 * @param recursive whether what is in its folders is listed too
 * @returns entries in no order; none where there is no such folder
 */
export function listFolder(folder: string, findings: Finding[], { recursive = false } = {}): Dirent[] {
  try {
    return recursive ? listAll(folder) : list(folder);
  } catch (error) {
    const { code, path = folder, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'ENOENT') findings.push(unreadable(path, message));
    return [];
  }
}

function list(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true });
}

/** By itself readdirSync follows links to folders, unlike readdir of node:fs/promises. */
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
