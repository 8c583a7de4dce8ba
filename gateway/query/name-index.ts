// The name index: finds records by parts of their names, in memory.
// Names are folded (fold.ts). Each pair of adjacent code units leads to the names that contain it. A search takes the rarest pair of its words and
// checks only those names, so its cost depends on the matches and not on the size of the list.
// Order: whole names, names that begin with the search, names with a word that begins with it, names that contain it; shorter names first within each
// level. Hangul initials match syllables.
// If no name has every word, words may have one typo, or two in words of more than five letters (optimal string alignment distance). Then all
// terms are compared; a set of letters per term excludes most of them.
// Limits: words shorter than three letters have no typos. Each row is ranked by its best name.
import { LRUCache } from 'lru-cache';
import type { Column } from './collection.ts';
import { compactText, foldTexts, isInitial, type SearchText, SILENT, toInitials, type Word } from './fold.ts';

/** A distinct name in one language, with the rows that have it. */
interface Name {
  key: string;
  text: string;
  folded: string;
  /** Without spaces, punctuation and symbols. */
  compact: string;
  /** `compact` with each hangul syllable replaced by its initial; of the same length. */
  initials: string;
  rows: readonly number[];
  /** The positions in `compact` where words begin, once they were needed. */
  starts?: readonly number[];
  /** Those below 32 as a set of bits, which is read faster; 0 as long as they were not needed. */
  startBits: number;
}

/** How well a name matches, best first. A match with typos is at level `typo`, plus one for each edit. */
const KINDS = ['exact', 'prefix', 'word', 'substring', 'typo'] as const;
const LEVEL = { exact: 0, prefix: 1, word: 2, inside: 3, typo: 4 } as const;
const LEVELS = 64;
/** Within a level, a rank counts how many code units longer than the search the name is, up to this number. */
const MAX_BEYOND = 63;
/** All ranks are smaller. Added to the rank of a name that has the words only inside other words: it counts only if there is no better one. */
export const RANKS = LEVELS * (MAX_BEYOND + 1);
const NONE = 0xffff;

/** If a search this short is a whole name, names that only contain it are not found. */
const SHORT_SEARCH = 3;
/** Shorter words are not matched with typos: nearly every word would be near them. Words longer than `SHORT_WORD` may have two edits. */
const MIN_TYPO_LENGTH = 3;
const SHORT_WORD = 5;
/** The ranks of fewer candidates are not kept. */
const MIN_KEPT = 64;

/** The rows of a list that a search found; for each, its rank (smaller is better) and the number of its best name. */
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
 * Searches the names of several lists as one list. Names with typos are found only if no name contains every word; and if a short search is a whole
 * name, only that is found.
 *
 * @param hit the rows to search; all if absent
 * @param longest longer names are skipped, in code units
 * @returns the matches of each list
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
  const isWhole = (rank = NONE) => rank <= MAX_BEYOND;
  // Initial consonants are never meant as a whole name.
  if (compact.length > SHORT_SEARCH || hasInitials || !found.some(({ ranks }) => ranks.some(isWhole)))
    return found;
  return found.map(({ rows, ranks, names }) => {
    const has = (_: number, at: number) => isWhole(ranks[at]);
    return { rows: rows.filter(has), ranks: ranks.filter(isWhole), names: names.filter(has) };
  });
}

/** The names of a list. The head of this file describes the search. */
export class NameIndex {
  readonly #names: Name[] = [];
  /** The numbers of the names that contain a code unit, or a pair of adjacent ones, in `initials`. */
  readonly #grams = new Map<number, number[]>();
  /** Used again by each search: the position of each row in its result, from 1, or 0; ranks of candidates; rows with their ranks. */
  readonly #places: Int32Array;
  readonly #ranks: Uint16Array;
  readonly #keys: Float64Array;
  /** Ranks of candidates. */
  readonly #kept = new LRUCache<string, Uint16Array>({
    max: 1024,
    maxSize: 131_072,
    sizeCalculation: ({ length }) => length + 1,
  });
  #terms: ReturnType<typeof readTerms> | undefined;

  /** @param columns the columns with names; a name that all its rows also have in an earlier column is skipped */
  constructor(columns: readonly Column[], rowCount: number) {
    this.#places = new Int32Array(rowCount);
    this.#keys = new Float64Array(rowCount);
    const rowsOf = new Map<string, Set<number>>();
    for (const { key, coded } of columns) {
      const texts = coded.values as readonly string[];
      const rowsByCode = texts.map((): number[] => []);
      for (const [at, code] of coded.items.entries()) rowsByCode[code]?.push(coded.rows[at] as number);
      for (const [code, folded] of foldTexts(texts).entries()) {
        const [text, rows] = [texts[code] as string, rowsByCode[code] as number[]];
        const known = rowsOf.get(folded) ?? new Set();
        rowsOf.set(folded, known);
        const before = known.size;
        for (const row of rows) known.add(row);
        if (known.size === before) continue;
        const compact = compactText(folded);
        this.#add({ key, text, folded, compact, initials: toInitials(compact), rows, startBits: 0 });
      }
    }
    this.#ranks = new Uint16Array(this.#names.length);
  }

  #add(name: Name): void {
    const number = this.#names.push(name) - 1;
    const addGram = (gram: number) => {
      const numbers = this.#grams.get(gram);
      if (numbers === undefined) this.#grams.set(gram, [number]);
      else if (numbers.at(-1) !== number) numbers.push(number);
    };
    for (let at = 0; at < name.initials.length; at++) {
      addGram(name.initials.charCodeAt(at));
      addGram(pairAt(name.initials, at));
    }
  }

  /** Returns a name as the records have it, and its attribute. */
  describe(number: number): { key: string; name: string } {
    const { key, text } = this.#names[number] as Name;
    return { key, name: text };
  }

  /**
   * Finds the rows with a name that has every word of a search, exactly or nearly.
   *
   * @param hit the rows to search; becomes the set of rows found
   * @returns the rows, best first; ties in the list's order
   */
  search(text: SearchText, hit: Uint8Array): number[] {
    const [{ rows, ranks }] = searchNames([this], text, hit) as [Found];
    hit.fill(0);
    // Numbers sort faster than rows with a comparison function.
    const keys = this.#keys.subarray(0, rows.length);
    for (let at = 0; at < keys.length; at++) {
      const row = rows[at] as number;
      hit[row] = 1;
      keys[at] = (ranks[at] as number) * 2 ** 32 + row;
    }
    keys.sort();
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      // The remainder of a division by 2³², which `%` computes more slowly.
      rows[at] = key - Math.floor(key / 2 ** 32) * 2 ** 32;
    }
    return rows;
  }

  /** Finds the rows with a name that contains every word. */
  find({ words, whole, symbols }: SearchText, hit: Uint8Array | undefined, longest: number): Found {
    if (symbols !== undefined) {
      const ranks = this.#names.map(({ folded }) => {
        if (!folded.includes(symbols)) return NONE;
        return rankOf(folded === symbols ? LEVEL.exact : LEVEL.inside, folded.length - symbols.length);
      });
      return this.#collect([...ranks.keys()], ranks, hit);
    }
    const candidates = this.#candidates(words);
    const ranks = this.#rankNames(candidates, words, whole);
    const found = this.#collect(candidates, ranks, hit, longest);
    if (found.rows.length > 0) return found;
    const scattered = ranks.subarray(0, candidates.length).map((rank) => rank - RANKS);
    return this.#collect(candidates, scattered, hit, longest);
  }

  /** Ranks names. The ranks of a word that many names may have are kept: people search for few such words. */
  #rankNames(candidates: readonly number[], words: readonly Word[], whole: Word): Uint16Array {
    const isKept = words.length === 1 && candidates.length >= MIN_KEPT;
    const kept = isKept ? this.#kept.get(whole.compact) : undefined;
    if (kept !== undefined) return kept;
    const ranks = isKept ? new Uint16Array(candidates.length) : this.#ranks;
    for (let at = 0; at < candidates.length; at++)
      ranks[at] = rankName(this.#names[candidates[at] as number] as Name, words, whole);
    if (isKept) this.#kept.set(whole.compact, ranks);
    return ranks;
  }

  /** Finds the rows with a name that contains a near match of every word. */
  findNear({ words, whole, symbols }: SearchText, hit: Uint8Array | undefined): Found {
    // The longest word is near the fewest names; further words only remove some of them.
    const [first, ...others] = words.toSorted((a, b) => b.compact.length - a.compact.length);
    const isPossible = first !== undefined && symbols === undefined && words.some(mayHaveTypos);
    let edits = isPossible ? this.#namesNear(first) : new Map<number, number>();
    for (const word of edits.size === 0 ? [] : others) {
      const near = this.#namesNear(word);
      const both = [...edits].filter(([number]) => near.has(number));
      edits = new Map(both.map(([number, count]) => [number, count + (near.get(number) ?? 0)]));
    }
    const ranks = Array.from(edits, ([number, count]) => {
      const beyond = (this.#names[number] as Name).compact.length - whole.compact.length;
      return rankOf(Math.min(LEVEL.typo + count, LEVELS - 1), beyond);
    });
    return this.#collect([...edits.keys()], ranks, hit);
  }

  /** Returns the rows of some names, each with its best name. Ranks from `RANKS` on are no matches. */
  #collect(
    numbers: readonly number[],
    nameRanks: ArrayLike<number>,
    hit: Uint8Array | undefined,
    longest = Number.POSITIVE_INFINITY,
  ): Found {
    const [all, places] = [this.#names, this.#places];
    const found: Found = { rows: [], ranks: [], names: [] };
    const { rows, ranks, names } = found;
    for (let at = 0; at < numbers.length; at++) {
      const rank = nameRanks[at] as number;
      if (rank >= RANKS) continue;
      const number = numbers[at] as number;
      const name = all[number] as Name;
      if (name.compact.length > longest) continue;
      for (const row of name.rows) {
        if (hit !== undefined && hit[row] === 0) continue;
        let place = places[row] as number;
        if (place === 0) place = places[row] = rows.push(row);
        else if (rank >= (ranks[place - 1] as number)) continue;
        ranks[place - 1] = rank;
        names[place - 1] = number;
      }
    }
    for (const row of rows) places[row] = 0;
    return found;
  }

  /** Returns the names with the rarest pair of adjacent code units of some words: all names that contain the words, and some others. */
  #candidates(words: readonly Word[]): readonly number[] {
    let fewest: readonly number[] | undefined;
    for (const { initials } of words)
      for (let at = 0; at < Math.max(1, initials.length - 1); at++) {
        const gram = initials.length === 1 ? initials.charCodeAt(0) : pairAt(initials, at);
        const numbers = this.#grams.get(gram) ?? [];
        if (fewest === undefined || numbers.length < fewest.length) fewest = numbers;
      }
    return fewest ?? [];
  }

  /** Returns the names that contain or nearly contain a word, with the number of edits. */
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
      // A near term has about as many letters, and mostly the same ones.
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

/** At the end of the text, the second code unit is 0. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) + 1) * 0x10000 + (at + 1 < text.length ? text.charCodeAt(at + 1) : 0);
}

/** Ranks a name; `NONE` if it lacks a word, with `RANKS` added if it has the words only inside other words. */
function rankName(name: Name, words: readonly Word[], whole: Word): number {
  // Most searches are one word, which is then looked up only once.
  const at = findWord(name, whole);
  if (at === -1 && (words.length === 1 || words.some((word) => findWord(name, word) === -1))) return NONE;
  const beyond = name.compact.length - whole.compact.length;
  if (at === 0) return rankOf(beyond <= 0 ? LEVEL.exact : LEVEL.prefix, beyond);
  const beginsEach = () => words.every((word) => begins(name, word, findWord(name, word)));
  if (begins(name, whole, at) || (words.length > 1 && beginsEach())) return rankOf(LEVEL.word, beyond);
  return rankOf(LEVEL.inside, beyond) + (at === -1 ? RANKS : 0);
}

/** Returns whether an occurrence of a word, from its first position on, is at the start of a word of the name. */
function begins(name: Name, word: Word, at: number): boolean {
  if (name.startBits === 0) for (const start of startsOf(name)) if (start < 32) name.startBits |= 1 << start;
  for (let place = at; place !== -1; place = findWord(name, word, place + 1))
    if (place < 32 ? (name.startBits >>> place) & 1 : startsOf(name).includes(place)) return true;
  return false;
}

/** Returns the first position of a word in a name from a position on, or -1. An initial consonant matches each syllable that begins with it. */
function findWord(name: Name, word: Word, from = 0): number {
  if (!word.hasInitials) return name.compact.indexOf(word.compact, from);
  let at = name.initials.indexOf(word.initials, from);
  while (at !== -1 && !fitsInitials(name.compact, word.compact, at))
    at = name.initials.indexOf(word.initials, at + 1);
  return at;
}

/** Returns whether a word matches at a position where the initials of both are equal. */
function fitsInitials(name: string, word: string, at: number): boolean {
  for (let offset = 0; offset < word.length; offset++) {
    const unit = word.charCodeAt(offset);
    if (name.charCodeAt(at + offset) !== unit && !isInitial(unit)) return false;
  }
  return true;
}

/** Apostrophes are inside words, as in Ch'en: no word begins after one. */
const APOSTROPHE = /['\u2018\u2019\u201b\u02b9-\u02bf\u00b4`]/u;
/** A run of silent characters, or of others. */
const PARTS = new RegExp(`${SILENT.source}|${SILENT.source.replace('[', '[^')}`, 'gu');

/** Returns where words begin in the compact form of a name: UTF-16 positions, ascending, from 0. */
function startsOf(name: Name): readonly number[] {
  if (name.starts !== undefined) return name.starts;
  const starts = [0];
  let length = 0;
  for (const [part] of name.folded.matchAll(PARTS)) {
    if (part.replace(SILENT, '') !== '') length += part.length;
    else if (length > 0 && !APOSTROPHE.test(part)) starts.push(length);
  }
  name.starts = starts;
  return starts;
}

function mayHaveTypos({ compact, hasInitials }: Word): boolean {
  return !hasInitials && compact.length >= MIN_TYPO_LENGTH;
}

/** Collects the terms of names: their words, and whole names without spaces. */
function readTerms(names: readonly Name[]) {
  const namesOf = new Map<string, number[]>();
  for (const [number, name] of names.entries()) {
    const [starts, { compact }] = [startsOf(name), name];
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

/** Returns the letters of a term as a set of 32 groups; each Latin letter has its own group. */
function lettersOf(term: string): number {
  let letters = 0;
  for (let at = 0; at < term.length; at++) letters |= 1 << (term.charCodeAt(at) & 31);
  return letters;
}

/** Returns whether a set has more members than `most`, which is 1 or 2. An edit adds at most one letter and removes at most one. */
function isMore(set: number, most: number): boolean {
  const first = set & (set - 1);
  return (most === 1 ? first : first & (first - 1)) !== 0;
}

/** The optimal string alignment distance: code units inserted, removed or replaced, or two neighbours swapped. */
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
