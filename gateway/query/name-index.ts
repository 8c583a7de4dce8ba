import type { Column } from './column.ts';
import { compactText, foldTexts, isInitial, type SearchText, SILENT, toInitials, type Word } from './fold.ts';

/** A distinct name in one language, and the rows that have it. */
interface Name {
  key: string;
  text: string;
  folded: string;
  /** Without spaces, punctuation and symbols. */
  compact: string;
  /** The same with hangul syllables as their initials; of the same length. */
  initials: string;
  rows: readonly number[];
  /** Where words begin in `compact`, once that was needed. */
  starts?: readonly number[];
}

/** How well a name fits a search, best first; typos have all further levels, one for each edit. */
const KINDS = ['exact', 'prefix', 'word', 'substring', 'typo'] as const;
const LEVEL = { exact: 0, prefix: 1, word: 2, inside: 3, typo: 4 } as const;
const LEVELS = 64;
/** How many code units a name may be longer than the search until further ones count no more. */
const MAX_BEYOND = 63;
const NONE = 0xffff;
const SCATTERED = NONE - 1;
/** Ranks are smaller than this. */
export const RANKS = LEVELS * (MAX_BEYOND + 1);

/** A search this short that is a whole name is not meant as a part of other names. */
const SHORT_SEARCH = 3;
/** Shorter words have no typos: nearly every word would be near them. Longer ones than `SHORT_WORD` may have two. */
const MIN_TYPO_LENGTH = 3;
const SHORT_WORD = 5;

/** The rows of a list that a search found, and of each its rank (smaller for better) and the number of the name that matched best. */
export interface Found {
  rows: number[];
  ranks: number[];
  names: number[];
}

/** Returns the level of a rank. */
export function kindOf(rank: number): string {
  return KINDS[Math.min(Math.floor(rank / (MAX_BEYOND + 1)), LEVEL.typo)] ?? '';
}

/**
 * Searches the names of lists as if they were one list. Only if no name has every word, those are found that nearly have them; and a short search that is a whole
 * name finds only that.
 *
 * @param hit the rows to search; all if absent
 * @param longest names with more code units are left out
 * @returns what each list has
 */
export function searchNames(
  lists: readonly NameIndex[],
  text: SearchText,
  hit?: Uint8Array,
  longest = Number.POSITIVE_INFINITY,
): Found[] {
  let found = lists.map((list) => list.find(text, hit, longest));
  if (found.every(({ rows }) => rows.length === 0)) found = lists.map((list) => list.findNear(text, hit));
  const { compact, hasInitials } = text.whole;
  if (compact.length > SHORT_SEARCH || hasInitials) return found;
  // Initial consonants are never meant as a whole name.
  const whole = found.map(({ rows, ranks, names }) => {
    const isWhole = (_: number, at: number) => (ranks[at] ?? NONE) <= MAX_BEYOND;
    return { rows: rows.filter(isWhole), ranks: ranks.filter(isWhole), names: names.filter(isWhole) };
  });
  return whole.some(({ rows }) => rows.length > 0) ? whole : found;
}

/**
 * Finds and ranks the rows of a list by parts of their names: whole names come first, then names that begin with the search, those of which a word
 * does, and those that contain it; shorter names first within a level.
 */
export class NameIndex {
  readonly #names: Name[] = [];
  /** By a code unit or two that follow each other in `initials`: the numbers of the names with them. */
  readonly #grams = new Map<number, number[]>();
  /** What the last search found, and by row its place there, from 1 on; 0 for rows that were not found. */
  #found: Found = { rows: [], ranks: [], names: [] };
  readonly #places: Int32Array;
  #terms: { texts: string[]; letters: Int32Array; names: number[][] } | undefined;

  /** @param columns those with names; a name that all its rows have in an earlier column too would change no result */
  constructor(columns: readonly Column[], rowCount: number) {
    this.#places = new Int32Array(rowCount);
    const rowsOf = new Map<string, Set<number>>();
    for (const column of columns) {
      const texts = column.values as readonly string[];
      for (const [code, folded] of foldTexts(texts).entries()) {
        const known = rowsOf.get(folded) ?? new Set();
        const before = known.size;
        const rows = [...column.rowsIn(code, code + 1)];
        for (const row of rows) known.add(row);
        rowsOf.set(folded, known);
        if (known.size === before) continue;
        const [text, compact] = [texts[code] ?? '', compactText(folded)];
        const initials = toInitials(compact);
        const number = this.#names.push({ key: column.key, text, folded, compact, initials, rows }) - 1;
        for (let at = 0; at < initials.length; at++) {
          this.#addGram(unitAt(initials, at), number);
          this.#addGram(pairAt(initials, at), number);
        }
      }
    }
  }

  #addGram(gram: number, number: number): void {
    const numbers = this.#grams.get(gram);
    if (numbers === undefined) this.#grams.set(gram, [number]);
    else if (numbers.at(-1) !== number) numbers.push(number);
  }

  /** A name as the records have it, and the attribute that it is in. */
  describe(number: number): { key: string; name: string } {
    const { key, text } = this.#names[number] as Name;
    return { key, name: text };
  }

  /**
   * Finds the rows with a name that has every word of a search, or nearly has it.
   *
   * @param hit the rows to search, which becomes the set of those found
   * @returns the rows, best first; equal ones in their order
   */
  search(text: SearchText, hit: Uint8Array): number[] {
    const [{ rows, ranks }] = searchNames([this], text, hit) as [Found];
    hit.fill(0);
    // Numbers sort faster than rows by a function.
    const keys = new Float64Array(rows.length);
    for (let at = 0; at < keys.length; at++) {
      const row = rows[at] as number;
      hit[row] = 1;
      keys[at] = (ranks[at] ?? 0) * 2 ** 32 + row;
    }
    keys.sort();
    for (let at = 0; at < keys.length; at++) rows[at] = (keys[at] ?? 0) % 2 ** 32;
    return rows;
  }

  /** Finds the rows with a name that has every word. */
  find({ words, whole, symbols }: SearchText, hit: Uint8Array | undefined, longest: number): Found {
    const found = this.#begin();
    if (symbols !== undefined) {
      for (const [number, { folded }] of this.#names.entries())
        if (folded.includes(symbols)) {
          const level = folded === symbols ? LEVEL.exact : LEVEL.inside;
          this.#take(found, number, rankOf(level, folded.length - symbols.length), hit);
        }
      return found;
    }
    const scattered: number[] = [];
    for (const number of this.#candidates(words)) {
      const name = this.#names[number] as Name;
      const rank = name.compact.length > longest ? NONE : rankName(name, words, whole);
      if (rank === SCATTERED) scattered.push(number);
      else if (rank !== NONE) this.#take(found, number, rank, hit);
    }
    // Nobody means names that have the words only inside other words, if there are others.
    if (found.rows.length === 0)
      for (const number of scattered) this.#take(found, number, this.#rank(number, LEVEL.inside, whole), hit);
    return found;
  }

  /** Finds the rows with a name in which every word of a search has a near one. */
  findNear({ words, whole, symbols }: SearchText, hit: Uint8Array | undefined): Found {
    const found = this.#begin();
    if (symbols !== undefined || !words.some(mayHaveTypos)) return found;
    // The longest word is near the fewest names. Each further word only removes some of them.
    const [first, ...others] = words.toSorted((a, b) => b.compact.length - a.compact.length);
    let edits = first === undefined ? new Map<number, number>() : this.#namesNear(first);
    for (const word of edits.size === 0 ? [] : others) {
      const near = this.#namesNear(word);
      const both = [...edits].filter(([number]) => near.has(number));
      edits = new Map(both.map(([number, count]) => [number, count + (near.get(number) ?? 0)]));
    }
    for (const [number, count] of edits)
      this.#take(found, number, this.#rank(number, Math.min(LEVEL.typo + count, LEVELS - 1), whole), hit);
    return found;
  }

  #rank(number: number, level: number, whole: Word): number {
    return rankOf(level, (this.#names[number] as Name).compact.length - whole.compact.length);
  }

  #begin(): Found {
    for (const row of this.#found.rows) this.#places[row] = 0;
    this.#found = { rows: [], ranks: [], names: [] };
    return this.#found;
  }

  #take({ rows, ranks, names }: Found, number: number, rank: number, hit: Uint8Array | undefined): void {
    for (const row of (this.#names[number] as Name).rows) {
      if (hit !== undefined && hit[row] === 0) continue;
      let place = this.#places[row] as number;
      if (place === 0) place = this.#places[row] = rows.push(row);
      else if (rank >= (ranks[place - 1] as number)) continue;
      ranks[place - 1] = rank;
      names[place - 1] = number;
    }
  }

  /** Returns the numbers of the names that have the rarest two neighbouring code units of some words: all that contain the words, and more. */
  #candidates(words: readonly Word[]): readonly number[] {
    let fewest: readonly number[] | undefined;
    for (const { initials } of words)
      for (let at = 0; at < Math.max(1, initials.length - 1); at++) {
        const gram = initials.length === 1 ? unitAt(initials, 0) : pairAt(initials, at);
        const numbers = this.#grams.get(gram) ?? [];
        if (fewest === undefined || numbers.length < fewest.length) fewest = numbers;
      }
    return fewest ?? [];
  }

  /** Returns the names that have or nearly have a word, and how many edits away it is. */
  #namesNear(word: Word): ReadonlyMap<number, number> {
    const edits = new Map<number, number>();
    for (const number of this.#candidates([word]))
      if (findWord(this.#names[number] as Name, word) !== -1) edits.set(number, 0);
    if (!mayHaveTypos(word)) return edits;
    this.#terms ??= readTerms(this.#names);
    const { texts, letters, names } = this.#terms;
    const { compact } = word;
    const most = compact.length <= SHORT_WORD ? 1 : 2;
    const own = lettersOf(compact);
    for (let term = 0; term < texts.length; term++) {
      const text = texts[term] ?? '';
      // A near term has about as many letters, and nearly all of the same.
      if (Math.abs(text.length - compact.length) > most) continue;
      const other = letters[term] ?? 0;
      if (isMore(own & ~other, most) || isMore(other & ~own, most)) continue;
      const count = editDistance(compact, text);
      if (count > most) continue;
      for (const number of names[term] ?? []) edits.set(number, Math.min(count, edits.get(number) ?? count));
    }
    return edits;
  }
}

function rankOf(level: number, beyond: number): number {
  return level * (MAX_BEYOND + 1) + Math.min(Math.max(0, beyond), MAX_BEYOND);
}

function unitAt(text: string, at: number): number {
  return text.charCodeAt(at);
}

/** A text ends with the code unit 0 here. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) + 1) * 0x10000 + (at + 1 < text.length ? text.charCodeAt(at + 1) : 0);
}

/** Ranks a name for a search; `NONE` when it does not contain every word, `SCATTERED` when it has them only inside other words. */
function rankName(name: Name, words: readonly Word[], whole: Word): number {
  // Most searches are one word: then it is looked up once.
  const at = findWord(name, whole);
  if (at === -1 && (words.length === 1 || words.some((word) => findWord(name, word) === -1))) return NONE;
  const beyond = name.compact.length - whole.compact.length;
  if (at === 0) return rankOf(beyond <= 0 ? LEVEL.exact : LEVEL.prefix, beyond);
  const beginsEach = () => words.every((word) => begins(name, word, findWord(name, word)));
  if (begins(name, whole, at) || (words.length > 1 && beginsEach())) return rankOf(LEVEL.word, beyond);
  return at === -1 ? SCATTERED : rankOf(LEVEL.inside, beyond);
}

/** Returns whether a word that is in a name at a position is there, or further on, at the begin of a word. */
function begins(name: Name, word: Word, at: number): boolean {
  name.starts ??= wordStarts(name.folded);
  for (let place = at; place !== -1; place = findWord(name, word, place + 1))
    if (name.starts.includes(place)) return true;
  return false;
}

/** Returns where a word is first in a name from a position on; -1 if nowhere. An initial consonant matches each syllable that begins with it. */
function findWord(name: Name, word: Word, from = 0): number {
  if (!word.hasInitials) return name.compact.indexOf(word.compact, from);
  let at = name.initials.indexOf(word.initials, from);
  while (at !== -1 && !fitsInitials(name.compact, word.compact, at))
    at = name.initials.indexOf(word.initials, at + 1);
  return at;
}

/** Returns whether a word fits a name at a position where the initials of both are equal. */
function fitsInitials(name: string, word: string, at: number): boolean {
  for (let offset = 0; offset < word.length; offset++) {
    const unit = word.charCodeAt(offset);
    if (name.charCodeAt(at + offset) !== unit && !isInitial(unit)) return false;
  }
  return true;
}

/** Apostrophes stand inside words, as in Ch'en: what follows them begins no word. */
const APOSTROPHE = /['\u2018\u2019\u201b\u02b9-\u02bf\u00b4`]/u;
/** A run of silent characters, or of others. */
const PARTS = new RegExp(`${SILENT.source}|${SILENT.source.replace('[', '[^')}`, 'gu');

/** Returns where words begin in the compact form of a folded text: UTF-16 positions, ascending, 0 first. */
function wordStarts(folded: string): number[] {
  const starts = [0];
  let length = 0;
  for (const [part] of folded.matchAll(PARTS)) {
    if (part.replace(SILENT, '') !== '') length += part.length;
    else if (length > 0 && !APOSTROPHE.test(part)) starts.push(length);
  }
  return starts;
}

function mayHaveTypos({ compact, hasInitials }: Word): boolean {
  return !hasInitials && compact.length >= MIN_TYPO_LENGTH;
}

/** Reads the terms of names: their words, and whole names without spaces. */
function readTerms(names: readonly Name[]) {
  const namesOf = new Map<string, number[]>();
  for (const [number, name] of names.entries()) {
    name.starts ??= wordStarts(name.folded);
    const { starts, compact } = name;
    const words = starts.map((start, at) => compact.slice(start, starts[at + 1]));
    for (const term of new Set([compact, ...words])) {
      if (term.length < MIN_TYPO_LENGTH - 1) continue;
      const known = namesOf.get(term);
      if (known === undefined) namesOf.set(term, [number]);
      else known.push(number);
    }
  }
  const texts = [...namesOf.keys()];
  return { texts, letters: Int32Array.from(texts, lettersOf), names: [...namesOf.values()] };
}

/** Returns the letters of a term as a set of 32 groups: of Latin letters, each has a group of its own. */
function lettersOf(term: string): number {
  let letters = 0;
  for (let at = 0; at < term.length; at++) letters |= 1 << (term.charCodeAt(at) & 31);
  return letters;
}

/** Returns whether a set has more than 1 or 2 members. An edit adds one letter at most, and removes one at most. */
function isMore(set: number, most: number): boolean {
  const first = set & (set - 1);
  return (most === 1 ? first : first & (first - 1)) !== 0;
}

/** Returns how many edits turn one text into another: a code unit inserted, removed or replaced, or two neighbours swapped. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        (above[j - 1] ?? 0) + (isSame ? 0 : 1),
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, row];
  }
  return above[other.length] ?? 0;
}
