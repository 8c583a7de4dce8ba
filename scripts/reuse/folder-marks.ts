import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { markOf } from './file-hashes.ts';

/** The names and marks (`markOf`) of all files in a folder. */
export interface FolderMarks {
  /** All names in the folder and marks as one text, which changes with every change in it. It is the same for each path that leads to the folder. */
  text: string;
  /** The time of the last write in it, in ms since 1970. */
  newest: number;
}

/**
 * Reads the marks of a folder and everything below it.
 *
 * @param leaveOut paths that are ignored
 * @returns undefined if something cannot be read, or is neither file nor folder: a link may lead anywhere
 */
export function markFolder(
  folder: string,
  leaveOut: ReadonlySet<string> = new Set(),
): FolderMarks | undefined {
  const lines: string[] = [];
  let newest = 0;
  const walk = (below: string): boolean => {
    const entries = readdirSync(below, { withFileTypes: true });
    return entries.every((entry) => {
      const full = path.join(below, entry.name);
      if (leaveOut.has(full)) return true;
      const name = full.slice(folder.length);
      if (entry.isDirectory()) {
        lines.push(name);
        return walk(full);
      }
      if (!entry.isFile()) return false;
      const stats = lstatSync(full, { bigint: true });
      newest = Math.max(newest, Number(stats.mtimeMs), Number(stats.ctimeMs));
      lines.push(`${name}\0${markOf(stats)}`);
      return true;
    });
  };
  try {
    return walk(folder) ? { text: lines.sort().join('\0\0'), newest } : undefined;
  } catch {
    return undefined;
  }
}
