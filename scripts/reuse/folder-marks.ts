import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { markOf } from './file-hashes.ts';

/** What the file system says of all that is in a folder. */
export interface FolderMarks {
  /** Names and marks (`markOf`) as a text: as long as it is the same, so is all that is in the folder. */
  text: string;
  /** When something in it was last written, in ms since 1970. */
  newest: number;
}

/**
 * Takes the marks of a folder and all below it. Without a promise for each: of thousands of files that would take longer than the marks.
 *
 * @param leaveOut paths whose marks do not matter
 * @returns undefined where something cannot be looked at, or is neither file nor folder: a link may lead anywhere
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
      if (entry.isDirectory()) {
        lines.push(full);
        return walk(full);
      }
      if (!entry.isFile()) return false;
      const stats = lstatSync(full, { bigint: true });
      newest = Math.max(newest, Number(stats.mtimeMs), Number(stats.ctimeMs));
      lines.push(`${full}\0${markOf(stats)}`);
      return true;
    });
  };
  try {
    return walk(folder) ? { text: lines.sort().join('\0\0'), newest } : undefined;
  } catch {
    return undefined;
  }
}
