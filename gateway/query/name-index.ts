import type { Column } from './column.ts';
import { foldText, foldTexts, hasInitial, isInitial, toInitials } from './fold.ts';
import type { RowSet } from './row-set.ts';

/** A distinct name in one language, folded, and the rows that bear it: a slice of its column's postings. */
interface Name {
  folded: string;
  initials: string;
  column: Column;
  code: number;
}

/** A word that is searched, folded. */
interface Word {
  folded: string;
  initials: string;
  /** Whether an initial consonant stands alone in it. */
  hasInitials: boolean;
}

/** The columns that hold names: `name`, and `name_xx` for a language xx. */
function isNameKey(key: string): boolean {
  return key === 'name' || (key.startsWith('name_') && !key.includes('.'));
}

/**
 * Finds rows by parts of their names. Names are indexed by every one and two adjacent code units of their initials form, so
 * that a search looks only at names that have the rarest pair of what is searched.
 */
export class NameIndex {
  readonly #names: Name[] = [];
  readonly #byGram = new Map<number, number[]>();

  /** @param columns the columns of a list; those that hold no names are left alone */
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
    // Names come in ascending order, and may have a gram several times.
    else if (numbers[numbers.length - 1] !== number) numbers.push(number);
  }

  /**
   * Adds the rows of which one name has every word, each anywhere in it.
   *
   * @param texts as `wordsOf` gives them
   * @param set of rows of the same list
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

  /** The names that have the rarest gram of the words: no other name can have them all. */
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

/** The folded words of a search text; none where it is blank. */
export function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/\s+/u)
    .filter((word) => word !== '');
}

/** A code unit as a gram. */
function unitAt(text: string, at: number): number {
  return text.charCodeAt(at);
}

/** Two adjacent code units as a gram. A pair that begins with U+0000 is taken for a unit: whoever has the one is looked at for the other. */
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

/** Whether the word stands in the name, where an initial consonant in the word stands for every syllable that it begins. */
function fitsInitials(name: Name, { folded, initials }: Word): boolean {
  for (let at = name.initials.indexOf(initials); at !== -1; at = name.initials.indexOf(initials, at + 1)) {
    let offset = 0;
    while (offset < folded.length && fits(name.folded.charCodeAt(at + offset), folded.charCodeAt(offset)))
      offset++;
    if (offset === folded.length) return true;
  }
  return false;
}

/** The initials forms agree already, so that an initial in the word fits. */
function fits(nameUnit: number, wordUnit: number): boolean {
  return nameUnit === wordUnit || isInitial(wordUnit);
}
