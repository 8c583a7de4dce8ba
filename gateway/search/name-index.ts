import { LRUCache } from 'lru-cache';
import { countWork, inSteps, once, RECORDS_A_STEP, type Steps, WORK } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';
import { compactText, foldTexts, type SearchText, toInitials, type Word } from '../query/fold.ts';
import type { NameFinder, RowOrder } from '../query/names.ts';
import type { RowSet } from '../query/row-set.ts';
import { GramIndex } from './gram-index.ts';
import { NearNames } from './near-names.ts';
import {
  type CompactName,
  isExact,
  rankInside,
  rankName,
  rankPrefix,
  rankTypo,
  startBits,
} from './rank-name.ts';
import { RowRanks } from './row-ranks.ts';

/** A distinct name in one language, and the rows that have it: a slice of its column's postings. */
interface Name extends CompactName {
  column: Column;
  code: number;
}

/** The names with a word, and their ranks. */
interface Matches {
  numbers: Int32Array;
  ranks: Uint16Array;
}

/** Words with fewer candidates are searched for each time. */
const MIN_KEPT = 64;
/** How many words are kept with their names, and how many names together, of a list. */
const KEPT_SEARCHES = 256;
const KEPT_NAMES = 32_768;

/** A search this short that is a whole name is not meant as a part of other names. */
const SHORT_SEARCH = 3;

/** Returns whether a search is that of a short name. Initial consonants are never meant as a whole name. */
export function isShort({ compact, hasInitials }: Word): boolean {
  return compact.length <= SHORT_SEARCH && !hasInitials;
}

/** Returns the index of a list's names. */
export function namesOf({ names }: Collection): NameIndex {
  if (names instanceof NameIndex) return names;
  throw new Error('the names of the list were indexed without the part search');
}

/** The ranks of a search in one list; meaningless after the next one. */
const ranks = new RowRanks();

/**
 * Finds rows by parts of their names. Names are indexed by the grams of their initials form, so a search reads only the names with
 * the rarest gram of its words.
 */
export class NameIndex implements NameFinder {
  readonly #rowCount: number;
  readonly #names: Name[] = [];
  /** The compact forms of the names, and where words begin in them (0: not known yet): side by side, they are read faster. */
  readonly #compacts: string[] = [];
  #startBits = new Int32Array(0);
  /** The row of each name; -1 if it has several. */
  readonly #rowOf: number[] = [];
  readonly #kept = once(
    () =>
      new LRUCache<string, Matches>({
        max: KEPT_SEARCHES,
        maxSize: KEPT_NAMES,
        sizeCalculation: ({ numbers }) => numbers.length + 1,
      }),
  );
  readonly #grams = new GramIndex();
  #near: NearNames | undefined;

  /** Indexes the names in columns of a list. One that all its rows have in an earlier column too would change no result. */
  static *make(columns: readonly Column[], rowCount: number): Steps<NameIndex> {
    const index = new NameIndex(rowCount);
    const rowsOf = new Map<string, Set<number>>();
    for (const column of columns) {
      const texts = column.values as readonly string[];
      yield* inSteps(texts.length, RECORDS_A_STEP, (from, to) => {
        for (const [at, folded] of foldTexts(texts.slice(from, to)).entries())
          if (addNew(rowsOf, folded, rowsWith(column, from + at))) index.#addName(folded, column, from + at);
      });
    }
    index.#startBits = new Int32Array(index.#names.length);
    return index;
  }

  private constructor(rowCount: number) {
    this.#rowCount = rowCount;
  }

  #addName(folded: string, column: Column, code: number): void {
    const compact = compactText(folded);
    const initials = toInitials(compact);
    const number = this.#names.push({ folded, compact, initials, column, code }) - 1;
    this.#compacts.push(compact);
    const { offsets, rows } = column;
    const first = offsets[code] ?? 0;
    this.#rowOf.push(offsets[code + 1] === first + 1 ? (rows[first] ?? 0) : -1);
    this.#grams.add(initials, number);
  }

  /**
   * Ranks the rows with a name that contains every word of a search. If there are none, those in which every word has a near one; if the
   * search is short and is the whole name of some, only those.
   */
  search(text: SearchText, among: RowSet | undefined, rows: RowSet): RowOrder {
    ranks.clear(this.#rowCount);
    this.searchExactly(text, among, ranks);
    if (ranks.rows.length === 0) this.searchNear(text, among, ranks);
    else if (isShort(text.whole) && isExact(ranks.best)) ranks.keep(isExact);
    rows.clear(this.#rowCount);
    for (const row of ranks.rows) rows.add(row);
    return ranks;
  }

  /**
   * Ranks the rows with a name that contains every word of a search.
   *
   * @param longest names with more code units are left out
   */
  searchExactly(
    text: SearchText,
    among: RowSet | undefined,
    ranks: RowRanks,
    longest = Number.POSITIVE_INFINITY,
  ): void {
    const candidates = this.#grams.rarest(text.words);
    countWork(WORK.name * text.words.length * candidates.length);
    const { compact: word, hasInitials } = text.whole;
    if (text.words.length > 1 || hasInitials) {
      for (const number of candidates) {
        const name = this.#names[number] as Name;
        if (name.compact.length > longest) continue;
        const rank = rankName(name, text);
        if (rank !== undefined) this.#addRows(number, rank, among, ranks);
      }
      return;
    }
    if (candidates.length < MIN_KEPT) {
      for (const number of candidates) {
        const rank = this.#rankWord(number, word, longest);
        if (rank !== -1) this.#addRows(number, rank, among, ranks);
      }
      return;
    }
    const { numbers, ranks: ranked } = this.#matchesOf(word, candidates);
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? 0;
      if ((this.#compacts[number] ?? '').length > longest) continue;
      this.#addRows(number, ranked[at] ?? 0, among, ranks);
    }
  }

  /** Returns the names with a word that many names may have, and keeps them: people search for few of these words. */
  #matchesOf(word: string, candidates: readonly number[]): Matches {
    const cache = this.#kept();
    let matches = cache.get(word);
    if (matches === undefined) {
      const numbers: number[] = [];
      const ranks: number[] = [];
      for (const number of candidates) {
        const rank = this.#rankWord(number, word, Number.POSITIVE_INFINITY);
        if (rank === -1) continue;
        numbers.push(number);
        ranks.push(rank);
      }
      matches = { numbers: Int32Array.from(numbers), ranks: Uint16Array.from(ranks) };
      cache.set(word, matches);
    }
    return matches;
  }

  /** Ranks a name for one word without initial consonants; -1 when it does not contain it. */
  #rankWord(number: number, word: string, longest: number): number {
    const compact = this.#compacts[number] ?? '';
    if (compact.length > longest) return -1;
    const at = compact.indexOf(word);
    if (at === -1) return -1;
    if (at === 0) return rankPrefix(compact, word);
    const name = this.#names[number] as Name;
    let bits = this.#startBits[number] ?? 0;
    if (bits === 0) {
      bits = startBits(name);
      this.#startBits[number] = bits;
    }
    return rankInside(name, compact, word, at, bits);
  }

  /** Makes what `searchNear` needs. @throws UnpreparedError if the list is long */
  prepareNear(): void {
    this.#nearNames().prepare();
  }

  /** A name as the records have it, and the attribute that it is in. */
  describe(number: number): { key: string; name: string } {
    const { column, code } = this.#names[number] as Name;
    return { key: column.key, name: column.values[code] as string };
  }

  /** Ranks the rows with a name in which every word of a search has a near one. */
  searchNear(text: SearchText, among: RowSet | undefined, ranks: RowRanks): void {
    const edits = this.#nearNames().find(text);
    countWork(WORK.name * edits.size);
    for (const [number, count] of edits) {
      const name = this.#names[number] as Name;
      this.#addRows(number, rankTypo(name, text, count), among, ranks);
    }
  }

  #nearNames(): NearNames {
    this.#near ??= new NearNames({
      names: this.#names,
      findCandidates: (words) => this.#grams.rarest(words),
    });
    return this.#near;
  }

  #addRows(number: number, rank: number, among: RowSet | undefined, ranks: RowRanks): void {
    const row = this.#rowOf[number] ?? 0;
    if (row === -1) addRows(this.#names[number] as Name, number, rank, among, ranks);
    else if (among === undefined || among.has(row)) ranks.add(row, rank, number);
  }
}

/** The rows that have a value. */
function rowsWith({ offsets, rows }: Column, code: number): Int32Array {
  return rows.subarray(offsets[code], offsets[code + 1]);
}

/** Adds the rows of a text. @returns whether any of them is new */
function addNew(rowsOf: Map<string, Set<number>>, text: string, rows: Int32Array): boolean {
  const rowSet = rowsOf.get(text) ?? new Set();
  const before = rowSet.size;
  for (const row of rows) rowSet.add(row);
  rowsOf.set(text, rowSet);
  return rowSet.size > before;
}

function addRows(
  { column, code }: Name,
  number: number,
  rank: number,
  among: RowSet | undefined,
  ranks: RowRanks,
): void {
  const { offsets, rows } = column;
  for (let at = offsets[code] ?? 0; at < (offsets[code + 1] ?? 0); at++) {
    const row = rows[at] ?? 0;
    if (among === undefined || among.has(row)) ranks.add(row, rank, number);
  }
}
