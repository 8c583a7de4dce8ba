// The name index: finds records by parts of their names, in memory.
// Names are folded (fold.ts). Each pair of adjacent code units leads to the names that contain it. A search takes the rarest pair of its words and
// checks only those names, so its cost depends on the matches and not on the size of the list.
// Order: whole names, names that begin with the search, names with a word that begins with it, names that contain it, first in scripts without spaces;
// shorter names first within each level. Hangul initials match syllables.
// If no name has every word, words may have one typo, or two in words of more than five letters; two swapped letters are one typo. Then all
// terms are compared; a set of letters per term excludes most of them.
// Limits: words shorter than three letters have no typos. Each row is ranked by its best name.
import { distance } from 'fastest-levenshtein';
import type { Column } from './collection.ts';
import { compactText, foldTexts, isInitial, type SearchText, SILENT, toInitials, type Word } from './fold.ts';

/** A distinct name in one language. */
interface Name {
  key: string;
  text: string;
  folded: string;
  /** Without spaces, punctuation and symbols. */
  compact: string;
  /** `compact` with each hangul syllable replaced by its initial; of the same length. */
  initials: string;
  /** The rows that have it. */
  rows: readonly number[];
  /** The positions in `compact` where words begin, once they were needed. */
  starts?: readonly number[];
}

/** A row that a search found, by its best name. A smaller rank is better. */
export interface Hit {
  row: number;
  rank: number;
  name: Pick<Name, 'key' | 'text'>;
}

/**
 * How well a name matches, best first. A match with typos is at level `typo`, plus two for each edit; a match inside a word that has letters with spaces
 * around, at level `part`: after one typo.
 */
const KINDS = ['exact', 'prefix', 'word', 'substring', 'typo'] as const;
const LEVEL = { exact: 0, prefix: 1, word: 2, inside: 3, typo: 4, part: 7, apart: 9 } as const;
/** A smaller text begins with a letter of a script that has spaces between words, as Latin. */
const WITHOUT_SPACES = '\u0e00';
const LEVELS = 64;
/** Within a level, a rank counts how many code units longer than the search the name is, up to this number. */
const MAX_BEYOND = 63;
/** All ranks are smaller. */
export const RANKS = LEVELS * (MAX_BEYOND + 1);
const NONE = Number.POSITIVE_INFINITY;

/** If a text this short is a whole name, names that only contain it are not found. In scripts without spaces, it is a name that others contain. */
export const SHORT_TEXT = /^[\0-\x7f]{0,3}$/;
/** Shorter words are not matched with typos: nearly every word would be near them. Words longer than `SHORT_WORD` may have two edits. */
const MIN_TYPO_LENGTH = 3;
const SHORT_WORD = 5;

/** Returns the kind of match that a rank stands for. */
export function kindOf(rank: number): string {
  const level = levelOf(rank);
  return KINDS[level > LEVEL.typo && level % 2 === 1 ? LEVEL.inside : Math.min(level, LEVEL.typo)] ?? '';
}

/** Returns how many typos a match has at most, a fraction for one inside a word; at most 0 for a match at the start of a word. */
export const typosOf = (rank: number): number => (levelOf(rank) - LEVEL.typo) / 2;

const levelOf = (rank: number) => Math.floor(rank / (MAX_BEYOND + 1));

/** Returns whether a rank is that of a whole name. */
export const isWhole = (rank: number): boolean => rank <= MAX_BEYOND;

/**
 * Searches the names of a list. Names with typos are found only if no name contains every word; and if a short search is a whole name, only that is
 * found.
 *
 * @param passing whether to search each row; all rows if absent
 * @returns best first; ties in the list's order
 */
export function searchNames(names: NameIndex, text: SearchText, passing?: Uint8Array): readonly Hit[] {
  const among = (hits: readonly Hit[]) => (passing ? hits.filter(({ row }) => passing[row] === 1) : hits);
  const found = among(names.find(text));
  const [best] = found;
  if (best === undefined) return among(names.findNear(text));
  if (isWhole(best.rank) && SHORT_TEXT.test(text.whole.compact))
    return found.filter(({ rank }) => isWhole(rank));
  // Words that are apart, and only inside other words, count if there is nothing better.
  return levelOf(best.rank) === LEVEL.apart ? found : found.filter(({ rank }) => levelOf(rank) < LEVEL.apart);
}

/** The names of a list. The head of this file describes the search. */
export class NameIndex {
  readonly #names: Name[] = [];
  /** The names that contain a code unit, or a pair of adjacent ones, in `initials`. */
  readonly #grams = new Map<number, Name[]>();
  /** The hit of each row in the search under way. */
  readonly #hits: (Hit | undefined)[];
  #terms: ReturnType<typeof readTerms> | undefined;

  /** @param columns the columns with names; a name that all its rows also have in an earlier column is skipped */
  constructor(columns: readonly Column[], rowCount: number) {
    this.#hits = Array.from({ length: rowCount });
    const rowsOf = new Map<string, Set<number>>();
    for (const { key, coded } of columns) {
      const texts = coded.values as readonly string[];
      for (const [code, folded] of foldTexts(texts).entries()) {
        const [text, rows] = [texts[code] as string, coded.rowsOf[code] as readonly number[]];
        const known = rowsOf.get(folded) ?? new Set();
        rowsOf.set(folded, known);
        const before = known.size;
        for (const row of rows) known.add(row);
        if (known.size === before) continue;
        const compact = compactText(folded);
        const initials = toInitials(compact);
        const name = { key, text, folded, compact, initials, rows };
        this.#names.push(name);
        for (let at = 0; at < initials.length; at++)
          for (const gram of [initials.charCodeAt(at), pairAt(initials, at)]) {
            const names = this.#grams.get(gram);
            if (names === undefined) this.#grams.set(gram, [name]);
            else if (names.at(-1) !== name) names.push(name);
          }
      }
    }
  }

  /** Finds the rows with a name that contains every word. */
  find({ words, whole, symbols }: SearchText): readonly Hit[] {
    if (symbols !== undefined)
      return this.#collect(this.#names, ({ folded }) => {
        if (!folded.includes(symbols)) return NONE;
        return rankOf(folded === symbols ? LEVEL.exact : LEVEL.inside, folded.length - symbols.length);
      });
    return this.#collect(this.#candidates(words), (name) => rankName(name, words, whole));
  }

  /** Finds the rows with a name that contains a near match of every word. */
  findNear({ words, whole, symbols }: SearchText): readonly Hit[] {
    if (symbols !== undefined || !words.some(mayHaveTypos)) return [];
    // The longest word is near the fewest names; further words only remove some of them.
    const [first, ...others] = words.toSorted((a, b) => b.compact.length - a.compact.length) as [Word];
    let edits = this.#namesNear(first);
    for (const word of others) {
      if (edits.size === 0) break;
      const near = this.#namesNear(word);
      const both = [...edits].filter(([name]) => near.has(name));
      edits = new Map(both.map(([name, count]) => [name, count + (near.get(name) ?? 0)]));
    }
    return this.#collect([...edits.keys()], (name) => {
      const level = Math.min(LEVEL.typo + 2 * (edits.get(name) ?? 0), LEVELS - 1);
      return rankOf(level, name.compact.length - whole.compact.length);
    });
  }

  /** Returns the rows of names, each with its best one, in order. */
  #collect(names: readonly Name[], rankOf: (name: Name) => number): Hit[] {
    const hits: Hit[] = [];
    for (const name of names) {
      const rank = rankOf(name);
      if (rank === NONE) continue;
      for (const row of name.rows) {
        const known = this.#hits[row];
        if (known === undefined) this.#hits[row] = hits[hits.push({ row, rank, name }) - 1];
        else if (rank < known.rank) Object.assign(known, { rank, name });
      }
    }
    for (const { row } of hits) this.#hits[row] = undefined;
    return hits.sort((a, b) => a.rank - b.rank || a.row - b.row);
  }

  /** Returns the names with the rarest pair of adjacent code units of some words: all names that contain the words, and some others. */
  #candidates(words: readonly Word[]): readonly Name[] {
    let fewest: readonly Name[] | undefined;
    for (const { initials } of words)
      for (let at = 0; at < Math.max(1, initials.length - 1); at++) {
        const gram = initials.length === 1 ? initials.charCodeAt(0) : pairAt(initials, at);
        const names = this.#grams.get(gram) ?? [];
        if (names.length === 0) return names;
        if (fewest === undefined || names.length < fewest.length) fewest = names;
      }
    return fewest ?? [];
  }

  /** Returns the names that contain or nearly contain a word, with the number of edits. */
  #namesNear(word: Word): ReadonlyMap<Name, number> {
    const edits = new Map<Name, number>();
    for (const name of this.#candidates([word])) if (fits(name, word)) edits.set(name, 0);
    if (!mayHaveTypos(word)) return edits;
    this.#terms ??= readTerms(this.#names);
    const { compact } = word;
    const most = compact.length <= SHORT_WORD ? 1 : 2;
    const own = lettersOf(compact);
    // A near term has about as many letters, and mostly the same ones: an edit that makes up for the length changes only one side.
    for (let beyond = -most; beyond <= most; beyond++) {
      const { letters = [], terms = [] } = this.#terms[compact.length + beyond] ?? {};
      const [less, more] = [most - Math.max(0, beyond), most + Math.min(0, beyond)];
      for (let at = 0; at < letters.length; at++) {
        if (isMore(own & ~(letters[at] ?? 0), less) || isMore((letters[at] ?? 0) & ~own, more)) continue;
        const [text, names] = terms[at] as (typeof terms)[0];
        const count = editDistance(compact, text, most);
        if (count > most) continue;
        for (const name of names) edits.set(name, Math.min(count, edits.get(name) ?? count));
      }
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

/** Ranks a name; `NONE` if it lacks a word. */
function rankName(name: Name, words: readonly Word[], whole: Word): number {
  // Most searches are one word, which is then looked up only once.
  const at = findWord(name, whole);
  if (at === -1 && (words.length === 1 || words.some((word) => findWord(name, word) === -1))) return NONE;
  const beyond = name.compact.length - whole.compact.length;
  if (at === 0) return rankOf(beyond <= 0 ? LEVEL.exact : LEVEL.prefix, beyond);
  if (begins(name, whole, at)) return rankOf(LEVEL.word, beyond);
  if (words.length > 1 && words.every((word) => fits(name, word))) return rankOf(LEVEL.word, beyond);
  const level = whole.compact < WITHOUT_SPACES ? LEVEL.part : LEVEL.inside;
  return rankOf(at === -1 ? LEVEL.apart : level, beyond);
}

/** Returns whether a name has a word at the start of a word, as a whole if it is short, or anywhere in a script without spaces. */
function fits(name: Name, word: Word): boolean {
  const at = findWord(name, word);
  const isShort = word.compact.length < MIN_TYPO_LENGTH;
  return at !== -1 && (word.compact >= WITHOUT_SPACES || begins(name, word, at, isShort));
}

/** Returns whether an occurrence of a word, from its first position on, is at the start of a word of the name, or words if it has to be whole. */
function begins(name: Name, word: Word, at: number, isWhole = false): boolean {
  name.starts ??= startsOf(name);
  const ends = (end: number) => end === name.compact.length || name.starts?.includes(end);
  for (let place = at; place !== -1; place = findWord(name, word, place + 1))
    if (name.starts.includes(place) && (!isWhole || ends(place + word.compact.length))) return true;
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
function startsOf({ folded }: Name): readonly number[] {
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

/** Collects the terms of names by their length: their words, and whole names without spaces. Their letters, which every search reads, are together. */
function readTerms(all: readonly Name[]) {
  const namesOf = new Map<string, Name[]>();
  for (const name of all) {
    const { compact, starts = startsOf(name) } = name;
    const words = starts.map((start, at) => compact.slice(start, starts[at + 1]));
    for (const term of new Set([compact, ...words])) {
      const known = namesOf.get(term);
      if (known === undefined) namesOf.set(term, [name]);
      else known.push(name);
    }
  }
  const byLength: { letters: number[]; terms: [text: string, names: Name[]][] }[] = [];
  for (const term of namesOf) {
    byLength[term[0].length] ??= { letters: [], terms: [] };
    byLength[term[0].length]?.letters.push(lettersOf(term[0]));
    byLength[term[0].length]?.terms.push(term);
  }
  return byLength;
}

/** Returns the letters of a term as a set of 32 groups; each Latin letter has its own group. */
function lettersOf(term: string): number {
  let letters = 0;
  for (let at = 0; at < term.length; at++) letters |= 1 << (term.charCodeAt(at) & 31);
  return letters;
}

/** Returns whether a set has more members than `most`, which is at most 2. */
function isMore(set: number, most: number): boolean {
  const second = set & (set - 1);
  return (most === 0 ? set : most === 1 ? second : second & (second - 1)) !== 0;
}

/** Returns the characters that are inserted, removed or replaced between two texts, where two swapped neighbours are one edit. */
export function editDistance(one: string, other: string, most: number): number {
  let least = distance(one, other);
  // A swap counts as two here.
  if (least === most + 1 || (least === 2 && lettersOf(one) === lettersOf(other)))
    for (let at = 1; at < one.length; at++) {
      const swapped = one.slice(0, at - 1) + one.charAt(at) + one.charAt(at - 1) + one.slice(at + 1);
      least = Math.min(least, 1 + distance(swapped, other));
    }
  return least;
}
