import { type SearchText, SILENT, type Word } from '../query/fold.ts';
import { type ComparedName, findWord, fitsInitials } from '../query/names.ts';
import { RANKS } from './row-ranks.ts';

/** A name with its folded text, of which it is the compact form. */
export interface CompactName extends ComparedName {
  folded: string;
  /** Where words begin in `compact`, once it was needed. */
  starts?: readonly number[];
}

/** How well a name fits a search, best first. */
const LEVELS = { exact: 0, prefix: 1, word: 2, inside: 3, typo: 4 } as const;
/** How many code units a name may be longer than the search until further ones count no more. */
const MAX_BEYOND = 63;
/** The distance of two levels in a rank, and of two edits. */
const LEVEL = MAX_BEYOND + 1;
const MAX_EDITS = RANKS / LEVEL - 1 - LEVELS.typo;

/**
 * Ranks a name for a search: whole names come first, then names that begin with it, those of which a word does, and those that contain
 * it. Within a level, shorter names come first.
 *
 * @returns the rank, smaller for better; undefined when the name does not contain every word
 */
export function rankName(name: CompactName, { words, whole }: SearchText): number | undefined {
  // Most searches are one word: then it is looked up once.
  const at = findWord(name, whole, 0);
  if (at === -1 && (words.length === 1 || !hasWords(name, words))) return undefined;
  const beyond = lengthBeyond(name, whole);
  if (at === 0) return (beyond === 0 ? LEVELS.exact : LEVELS.prefix) * LEVEL + beyond;
  const isWord = isStart(name, at) || areWords(name, words);
  return (isWord ? LEVELS.word : LEVELS.inside) * LEVEL + beyond;
}

/** The positions that `startBits` has. */
const BITS = 32;

/** Returns where words begin in a name, one bit per position below 32. */
export function startBits(name: CompactName): number {
  name.starts ??= wordStarts(name.folded);
  let bits = 0;
  for (const start of name.starts) if (start < BITS) bits |= 1 << start;
  return bits;
}

/**
 * As `rankName`, for a search of one word without initial consonants, as most are.
 *
 * @param compact the compact form of the name
 * @param at where the word is first in it, and not at its beginning
 * @param bits `startBits` of the name
 */
export function rankInside(
  name: CompactName,
  compact: string,
  word: string,
  at: number,
  bits: number,
): number {
  const beyond = Math.min(compact.length - word.length, MAX_BEYOND);
  for (let place = at; place !== -1; place = compact.indexOf(word, place + 1)) {
    const isWord = place < BITS ? ((bits >>> place) & 1) === 1 : isStart(name, place);
    if (isWord) return LEVELS.word * LEVEL + beyond;
  }
  return LEVELS.inside * LEVEL + beyond;
}

/** As `rankInside`, for a word at the beginning of a name. */
export function rankPrefix(compact: string, word: string): number {
  const beyond = Math.min(compact.length - word.length, MAX_BEYOND);
  return (beyond === 0 ? LEVELS.exact : LEVELS.prefix) * LEVEL + beyond;
}

function hasWords(name: CompactName, words: readonly Word[]): boolean {
  for (const word of words) if (findWord(name, word, 0) === -1) return false;
  return true;
}

/** Ranks a name in which words were found with typos. @param edits how many there are */
export function rankTypo(name: CompactName, { whole }: SearchText, edits: number): number {
  return (LEVELS.typo + Math.min(edits, MAX_EDITS)) * LEVEL + lengthBeyond(name, whole);
}

function lengthBeyond({ compact }: CompactName, whole: Word): number {
  return Math.min(Math.max(0, compact.length - whole.compact.length), MAX_BEYOND);
}

/** How a name fits a search, by the level of its rank; typos have all further levels. */
const KINDS = ['exact', 'prefix', 'word', 'substring', 'typo'] as const;
export type MatchKind = (typeof KINDS)[number];

/** Returns how a name with a rank fits the search. */
export function kindOf(rank: number): MatchKind {
  return KINDS[Math.min(Math.floor(rank / LEVEL), LEVELS.typo)] as MatchKind;
}

/** Returns whether a rank is that of a whole name. */
export function isExact(rank: number): boolean {
  return rank < LEVEL;
}

/** Returns whether a word of a name begins at a position. */
function isStart(name: CompactName, at: number): boolean {
  name.starts ??= wordStarts(name.folded);
  return name.starts.includes(at);
}

/** Returns whether each word begins one of a name's. */
function areWords(name: CompactName, words: readonly Word[]): boolean {
  const starts = name.starts ?? [];
  if (starts.length === 1 && words.length === 1) return false;
  for (const word of words) if (!beginsWord(name, starts, word)) return false;
  return true;
}

function beginsWord({ compact, initials }: CompactName, starts: readonly number[], word: Word): boolean {
  for (const start of starts) {
    if (!word.hasInitials) {
      if (compact.startsWith(word.compact, start)) return true;
    } else if (initials.startsWith(word.initials, start) && fitsInitials(compact, word.compact, start)) {
      return true;
    }
  }
  return false;
}

/** Apostrophes stand inside words, as in Ch'en: what follows them begins no word. */
const APOSTROPHE = /['\u2018\u2019\u201b\u02b9-\u02bf\u00b4`]/u;

/** Returns where words begin in the compact form of a folded text: UTF-16 positions, ascending, 0 first. */
export function wordStarts(folded: string): number[] {
  const starts = [0];
  let length = 0;
  for (const [part] of folded.matchAll(PARTS)) {
    if (!isSilent(part)) length += part.length;
    else if (length > 0 && !APOSTROPHE.test(part)) starts.push(length);
  }
  return starts;
}

/** A run of silent characters, or of others. */
const PARTS = new RegExp(`${SILENT.source}|${SILENT.source.replace('[', '[^')}`, 'gu');

function isSilent(part: string): boolean {
  return part.replace(SILENT, '') === '';
}
