import { countWork, Part, WORK } from '../http/work.ts';
import type { SearchText, Word } from '../query/fold.ts';
import { findWord } from '../query/names.ts';
import type { CompactName } from './rank-name.ts';
import { mayHaveTypos, NONE, TypoIndex } from './typo-index.ts';

/** The names of a list. */
export interface NamesOfList {
  readonly names: readonly CompactName[];
  /** Returns the numbers of all names that have the words, and of some others. */
  findCandidates(words: readonly Word[]): readonly number[];
}

/** Finds the names in which every word of a search has a near one. Its index is made for the first search. */
export class NearNames {
  readonly #list: NamesOfList;
  readonly #typos: Part<TypoIndex>;

  constructor(list: NamesOfList) {
    this.#list = list;
    this.#typos = new Part(list.names.length, () => TypoIndex.make(list.names));
  }

  /** Makes what `find` needs. @throws UnpreparedError if the list is long */
  prepare(): void {
    this.#typos.get();
  }

  /**
   * Returns the numbers of the names, each with how many edits away the words are together.
   *
   * @throws UnpreparedError before `prepare`, if the list is long
   */
  find({ words }: SearchText): ReadonlyMap<number, number> {
    // A single word was searched for exactly before.
    if (words.length === 1) return this.#typos.get().find(words[0] as Word);
    // Without a word that may have typos, the names would be those that were searched already.
    if (!words.some(mayHaveTypos)) return NONE;
    // The longest word is near the fewest names. Each further word only removes some of them.
    const [first, ...others] = words.toSorted((a, b) => b.compact.length - a.compact.length);
    let edits = this.#findNear(first as Word);
    for (const word of others) {
      if (edits.size === 0) return NONE;
      edits = this.#keepNear(edits, word);
    }
    return edits;
  }

  /** Returns the names that have or nearly have a word, and how many edits away it is. */
  #findNear(word: Word): ReadonlyMap<number, number> {
    const all = new Map(this.#typos.get().find(word));
    for (const number of this.#list.findCandidates([word])) if (this.#has(number, word)) all.set(number, 0);
    return all;
  }

  /** Returns those of the names that also have or nearly have a word, with the sum of their edits. */
  #keepNear(edits: ReadonlyMap<number, number>, word: Word): Map<number, number> {
    const near = this.#typos.get().find(word);
    const nearest = new Map<number, number>();
    countWork(WORK.name * edits.size);
    for (const [number, count] of edits) {
      const more = this.#has(number, word) ? 0 : near.get(number);
      if (more !== undefined) nearest.set(number, count + more);
    }
    return nearest;
  }

  #has(number: number, word: Word): boolean {
    return findWord(this.#list.names[number] as CompactName, word, 0) !== -1;
  }
}
