import path from 'node:path';
import { countOf } from '../../text.ts';

/** The share of a folder's files that must be read for the others to be missed. */
const MIN_READ = 0.8;
const MIN_FILES = 3;
/** The share of a folder's files that must have been read before a new one for that to be missed. */
const MIN_READ_BEFORE = 2 / 3;
/** So many files are named in a message. */
const MAX_SHOWN = 5;

/** Finds files beside many that are read: new ones, of which a table names each, or of which it names the numbers. */
export function findMissed(read: readonly string[], leftOut: readonly string[]): string[] {
  const known = countGroups(read);
  const others = countGroups(leftOut);
  const numbered = new Set(read.map(numberless));
  return leftOut.filter((file) => {
    const group = groupOf(file);
    const count = known.get(group) ?? 0;
    const isOneOfMany = count >= MIN_FILES && count >= (count + (others.get(group) ?? 0)) * MIN_READ;
    return isOneOfMany || (numberless(file) !== file && numbered.has(numberless(file)));
  });
}

/** The files of a build: those that its game reads, and all others. */
export interface Listing {
  read: string[];
  leftOut: string[];
}

/**
 * Finds what a build has beside files that are read, and that no table takes.
 *
 * @param before the build before it: what that has is not found again; undefined for none
 */
export function findNewlyMissed({ read, leftOut }: Listing, before: Listing | undefined): string[] {
  const missed = new Set(findMissed(read, leftOut));
  if (before === undefined) return [...missed];
  const present = new Set([...before.read, ...before.leftOut]);
  // Of a folder that was read so far, a new file is missed, however few there are.
  const wereRead = countGroups(before.read);
  const wereLeftOut = countGroups(before.leftOut);
  const isBesideRead = (file: string) => {
    const count = wereRead.get(groupOf(file)) ?? 0;
    return count > 0 && count >= (count + (wereLeftOut.get(groupOf(file)) ?? 0)) * MIN_READ_BEFORE;
  };
  return leftOut.filter((file) => !present.has(file) && (missed.has(file) || isBesideRead(file)));
}

/** The warning about files that `findMissed` found, without an end of line. @param game the folder of the game */
export function describeMissed(missed: readonly string[], game: string): string {
  return `warning: beside files that a table of ${game}/game.json reads, and in none: ${listFew(missed)}; if they have rows of it, give the table a pattern`;
}

/** Names some of many files, and counts them: `2 files (a.json, b.json)`. */
export function listFew(files: readonly string[], what = 'file'): string {
  const more = files.length - MAX_SHOWN;
  return `${countOf(files.length, what)} (${files.slice(0, MAX_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''})`;
}

/** The files of a folder with the same extension. */
function groupOf(file: string): string {
  return `${path.posix.dirname(file)}/*${path.posix.extname(file)}`;
}

function countGroups(files: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(groupOf(file), (counts.get(groupOf(file)) ?? 0) + 1);
  return counts;
}

function numberless(file: string): string {
  return file.replace(/\d+/g, '#');
}
