import { isInitial, type SearchText, type Word } from './fold.ts';
import type { RowSet } from './row-set.ts';

/** Finds the rows of a list by their names. */
export interface NameFinder {
  /**
   * Finds the rows with a name that has every word of a search.
   *
   * @param among the rows to search; undefined for all
   * @param rows becomes the set of these rows; it may be `among`
   * @returns what orders them, best first; undefined for the order of the list
   */
  search(text: SearchText, among: RowSet | undefined, rows: RowSet): RowOrder | undefined;
}

/** Orders rows that a search found. It is valid until the next search. */
export interface RowOrder {
  /** @returns those from position `start` to `end` (exclusive) */
  order(rows: readonly number[], start: number, end: number): number[];
}

/** Matches the columns with names: `name`, `name_xx` for a language xx, and `aliases`. */
export function isNameKey(key: string): boolean {
  return key === 'name' || key === 'aliases' || (key.startsWith('name_') && !key.includes('.'));
}

/** A name as it is compared with words: both forms have the same length. */
export interface ComparedName {
  /** Folded, without spaces and punctuation. */
  compact: string;
  /** The same with hangul syllables as their initials. */
  initials: string;
}

/** Returns where a word is first in a name from a position on; -1 if nowhere. An initial consonant matches each syllable that begins with it. */
export function findWord(name: ComparedName, word: Word, from: number): number {
  if (!word.hasInitials) return name.compact.indexOf(word.compact, from);
  let at = name.initials.indexOf(word.initials, from);
  while (at !== -1 && !fitsInitials(name.compact, word.compact, at))
    at = name.initials.indexOf(word.initials, at + 1);
  return at;
}

/** Returns whether a word fits a name at a position where the initials of both are equal. */
export function fitsInitials(name: string, word: string, at: number): boolean {
  for (let offset = 0; offset < word.length; offset++) {
    const unit = word.charCodeAt(offset);
    if (name.charCodeAt(at + offset) !== unit && !isInitial(unit)) return false;
  }
  return true;
}
