import type { Column } from './column.ts';
import { foldText, foldTexts, hasInitial, isInitial, toInitials } from './fold.ts';
import type { RowSet } from './row-set.ts';

/** A distinct folded name in one language, and the rows that have it: a slice of its column's postings. */
interface Name {
  folded: string;
  initials: string;
  column: Column;
  code: number;
}

/** A folded search word. */
interface Word {
  folded: string;
  initials: string;
  /** Whether it contains a single initial consonant. */
  hasInitials: boolean;
}

/** Matches the columns with names: `name`, and `name_xx` for a language xx. */
function isNameKey(key: string): boolean {
  return key === 'name' || (key.startsWith('name_') && !key.includes('.'));
}

/**
 * Finds rows by parts of their names. Names are indexed by every single code unit and pair of code units of their initials form, so a
 * search reads only the names with the rarest pair of the search words.
 */
export class NameIndex {
  readonly #names: Name[] = [];
  readonly #byGram = new Map<number, number[]>();

  /** @param columns the columns of a list; columns without names are ignored */
  constructor(columns: Iterable<Column>) {
    for (const column of columns) {
      if (!isNameKey(column.key) || column.type !== 'string') continue;
      const names = foldTexts(column.values as readonly string[]);
      for (const [code, folded] of names.entries()) this.#addName(folded, column, code);
    }
  }

  #addName(folded: string, column: Column, code: number): void {
    const initials = toInitials(folded);
    const number = this.#names.push({ folded, initials, column, code }) - 1;
    for (let at = 0; at < initials.length; at++) {
      this.#addGram(unitAt(initials, at), number);
      if (at > 0) this.#addGram(pairAt(initials, at - 1), number);
    }
  }

  #addGram(gram: number, number: number): void {
    const numbers = this.#byGram.get(gram);
    if (numbers === undefined) this.#byGram.set(gram, [number]);
    // Names are added in ascending order, and may contain a gram several times.
    else if (numbers[numbers.length - 1] !== number) numbers.push(number);
  }

  /**
   * Adds the rows with a name that contains every word.
   *
   * @param texts from `wordsOf`
   * @param set a set for the same list
   */
  search(texts: readonly string[], set: RowSet): void {
    const words = texts.map(prepareWord);
    for (const number of this.#rarest(words)) {
      const name = this.#names[number] as Name;
      if (!hasWords(name, words)) continue;
      const { offsets, rows } = name.column;
      set.addAll(rows, offsets[name.code] as number, offsets[name.code + 1] as number);
    }
  }

  /** Returns the names with the rarest gram of the words: no other name can contain them all. */
  #rarest(words: readonly Word[]): readonly number[] {
    let rarest: readonly number[] | undefined;
    for (const { initials } of words) {
      for (let at = 0; at < Math.max(1, initials.length - 1); at++) {
        const gram = initials.length === 1 ? unitAt(initials, at) : pairAt(initials, at);
        const numbers = this.#byGram.get(gram) ?? [];
        if (rarest === undefined || numbers.length < rarest.length) rarest = numbers;
      }
    }
    return rarest ?? [];
  }
}

/** Returns the folded words of a search text; none when it is blank. */
export function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/\s+/u)
    .filter((word) => word !== '');
}

/** Returns a code unit as a gram. */
function unitAt(text: string, at: number): number {
  return text.charCodeAt(at);
}

/** Returns two adjacent code units as a gram. A pair that begins with U+0000 equals a single unit, which only adds candidates. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

function prepareWord(folded: string): Word {
  const initials = toInitials(folded);
  return { folded, initials, hasInitials: hasInitial(folded) };
}

function hasWords(name: Name, words: readonly Word[]): boolean {
  for (const word of words) {
    if (word.hasInitials ? !fitsInitials(name, word) : !name.folded.includes(word.folded)) return false;
  }
  return true;
}

/** Returns whether a name contains a word, in which an initial consonant matches every syllable that begins with it. */
function fitsInitials(name: Name, { folded, initials }: Word): boolean {
  for (let at = name.initials.indexOf(initials); at !== -1; at = name.initials.indexOf(initials, at + 1)) {
    let offset = 0;
    while (offset < folded.length && fits(name.folded.charCodeAt(at + offset), folded.charCodeAt(offset)))
      offset++;
    if (offset === folded.length) return true;
  }
  return false;
}

/** The initials forms are equal here, so an initial in the word matches. */
function fits(nameUnit: number, wordUnit: number): boolean {
  return nameUnit === wordUnit || isInitial(wordUnit);
}
