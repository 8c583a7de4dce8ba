import { countWork, WORK } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import type { SearchText } from '../query/fold.ts';
import { isShort, namesOf } from './name-index.ts';
import { isExact } from './rank-name.ts';
import { RANKS, RowRanks } from './row-ranks.ts';
import { mayHaveTypos } from './typo-index.ts';

/** A record that a search found in one of several lists. */
export interface Hit {
  /** The position of its list. */
  list: number;
  row: number;
  /** Smaller for better. */
  rank: number;
  /** The number of the name that matched, in the list's index of names. */
  name: number;
}

/** A search of one letter means whole names: nearly every name contains it. */
const ONE_LETTER = /^[\0-\x7f]$/;

const FIRST_SIZE = 64;

/** The ranks in the list at hand, and how many results have each rank; meaningless between calls. */
const ranks = new RowRanks();
const places = new Int32Array(RANKS);

/**
 * A search in the names of several lists as if they were one. Typos are looked for only if no list has a name with the words. It is made in parts, so
 * that a search of thousands of lists does not keep other requests waiting.
 */
export class ListSearch {
  readonly #lists: readonly Collection[];
  readonly #text: SearchText;
  readonly #longest: number;
  readonly #found = new Found();
  #at = 0;
  #isNear = false;

  /** @param lists each has `names` */
  constructor(lists: readonly Collection[], text: SearchText) {
    this.#lists = lists;
    this.#text = text;
    this.#longest = ONE_LETTER.test(text.whole.compact) ? 1 : Number.POSITIVE_INFINITY;
  }

  /** Searches up to `most` further lists. @returns whether that were all */
  run(most: number): boolean {
    for (let left = most; left > 0 && this.#at < this.#lists.length; left--) this.#searchNext();
    return this.#at === this.#lists.length;
  }

  /**
   * Begins again, with typos, if nothing was found in all lists. What that needs has to be prepared in each list.
   *
   * @returns whether the lists have to be searched once more
   */
  beginNear(): boolean {
    if (this.#isNear || this.#found.length > 0 || !this.#text.words.some(mayHaveTypos)) return false;
    this.#isNear = true;
    this.#at = 0;
    return true;
  }

  /** Returns how many records match, and those from `start` to `end` (exclusive), best first; equal ones in the order of the lists. */
  page(start: number, end: number): { total: number; hits: Hit[] } {
    return this.#found.page(isShort(this.#text.whole), start, end);
  }

  #searchNext(): void {
    const list = this.#lists[this.#at] as Collection;
    ranks.clear(list.count);
    countWork(WORK.list);
    if (this.#isNear) namesOf(list).searchNear(this.#text, undefined, ranks);
    else namesOf(list).searchExactly(this.#text, undefined, ranks, this.#longest);
    this.#found.addAll(this.#at);
    this.#at++;
  }
}

/** What a search found, as numbers. */
class Found {
  length = 0;
  #lists = new Int32Array(FIRST_SIZE);
  #rows = new Int32Array(FIRST_SIZE);
  #names = new Int32Array(FIRST_SIZE);
  #ranks = new Uint16Array(FIRST_SIZE);

  /** Adds all rows of `ranks`, those of a list in the order of its rows. */
  addAll(list: number): void {
    if (ranks.rows.length === 0) return;
    for (const row of ranks.rows.toSorted((a, b) => a - b)) {
      if (this.length === this.#rows.length) this.#grow();
      const at = this.length++;
      this.#lists[at] = list;
      this.#rows[at] = row;
      this.#names[at] = ranks.nameOf(row);
      this.#ranks[at] = ranks.rankOf(row);
    }
  }

  /** Orders what was found by rank (a counting sort). @param isShort whether only whole names count, if there are any */
  page(isShort: boolean, start: number, end: number): { total: number; hits: Hit[] } {
    places.fill(0);
    for (let at = 0; at < this.length; at++) {
      const rank = this.#ranks[at] ?? 0;
      places[rank] = (places[rank] ?? 0) + 1;
    }
    let total = 0;
    let exact = 0;
    for (let rank = 0; rank < RANKS; rank++) {
      const count = places[rank] ?? 0;
      places[rank] = total;
      total += count;
      if (isExact(rank)) exact = total;
    }
    if (isShort && exact > 0) total = exact;
    const hits: Hit[] = [];
    for (let at = 0; at < this.length; at++) {
      const rank = this.#ranks[at] ?? 0;
      const place = places[rank] ?? 0;
      places[rank] = place + 1;
      if (place >= start && place < Math.min(end, total)) hits[place - start] = this.#hitAt(at);
    }
    return { total, hits };
  }

  #hitAt(at: number): Hit {
    return {
      list: this.#lists[at] ?? 0,
      row: this.#rows[at] ?? 0,
      rank: this.#ranks[at] ?? 0,
      name: this.#names[at] ?? 0,
    };
  }

  #grow(): void {
    const grow = (old: Int32Array) => {
      const larger = new Int32Array(2 * old.length);
      larger.set(old);
      return larger;
    };
    this.#lists = grow(this.#lists);
    this.#rows = grow(this.#rows);
    this.#names = grow(this.#names);
    const larger = new Uint16Array(2 * this.#ranks.length);
    larger.set(this.#ranks);
    this.#ranks = larger;
  }
}
