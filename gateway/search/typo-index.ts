import { countWork, inSteps, RECORDS_A_STEP, type Steps, TEXTS_A_STEP, WORK } from '../http/work.ts';
import { sortInSteps } from '../query/column.ts';
import type { Word } from '../query/fold.ts';
import { editDistance } from './edit-distance.ts';
import { type CompactName, wordStarts } from './rank-name.ts';

/** Shorter words have no typos: nearly every word would be near them. */
const MIN_LENGTH = 3;
/** Words up to this length may have one typo, longer ones two. */
const SHORT_LENGTH = 5;

/** No names. */
export const NONE: ReadonlyMap<number, number> = new Map();

/**
 * Finds names with a word that is near a search word. Terms, which are the words of names and whole names without spaces, are ordered by length, and
 * each has a set of its letters: a term that is near has about as many letters, and nearly all of the same. So only few are compared letter by letter.
 */
export class TypoIndex {
  /** Shorter ones first. */
  readonly #terms: readonly string[];
  readonly #letters: Int32Array;
  /** The number of the first term of each length; the last one is the number of terms. */
  readonly #firstOf: Int32Array;
  /** The names that have each term, side by side, and where they begin. */
  readonly #names: Int32Array;
  readonly #firstName: Int32Array;

  /** Indexes names by their positions. */
  static *make(names: readonly CompactName[]): Steps<TypoIndex> {
    const namesOf = new Map<string, number[]>();
    yield* inSteps(names.length, RECORDS_A_STEP, (from, to) => {
      for (let name = from; name < to; name++) {
        const { folded, compact } = names[name] as CompactName;
        for (const term of termsOf(folded, compact)) addTo(namesOf, term, name);
      }
    });
    const terms = yield* sortInSteps([...namesOf.keys()], (a, b) => a.length - b.length);
    const index = new TypoIndex(
      terms,
      [...namesOf.values()].reduce((sum, { length }) => sum + length, 0),
    );
    yield* index.#fill(namesOf);
    return index;
  }

  private constructor(terms: readonly string[], nameCount: number) {
    this.#terms = terms;
    this.#letters = new Int32Array(terms.length);
    this.#firstOf = findFirsts(terms);
    this.#names = new Int32Array(nameCount);
    this.#firstName = new Int32Array(terms.length + 1);
  }

  *#fill(namesOf: ReadonlyMap<string, readonly number[]>): Steps<undefined> {
    let end = 0;
    yield* inSteps(this.#terms.length, TEXTS_A_STEP, (from, to) => {
      for (let term = from; term < to; term++) {
        const text = this.#terms[term] ?? '';
        const names = namesOf.get(text) as readonly number[];
        this.#letters[term] = lettersOf(text);
        this.#names.set(names, end);
        end += names.length;
        this.#firstName[term + 1] = end;
      }
    });
  }

  /** Returns the names that have a term near a word, and how many edits away it is. */
  find(word: Word): ReadonlyMap<number, number> {
    if (!mayHaveTypos(word)) return NONE;
    const { compact } = word;
    const most = editsFor(compact);
    const letters = lettersOf(compact);
    const end = this.#firstOfLength(compact.length + most + 1);
    // Most lists have no such name: they cost no memory.
    let editsByName: Map<number, number> | undefined;
    const first = this.#firstOfLength(compact.length - most);
    countWork(WORK.name * (end - first));
    for (let term = first; term < end; term++) {
      const others = this.#letters[term] ?? 0;
      if (isMore(letters & ~others, most) || isMore(others & ~letters, most)) continue;
      const edits = editDistance(compact, this.#terms[term] ?? '', most);
      if (edits > most) continue;
      editsByName ??= new Map();
      this.#addNames(term, edits, editsByName);
    }
    return editsByName ?? NONE;
  }

  #addNames(term: number, edits: number, editsByName: Map<number, number>): void {
    const end = this.#firstName[term + 1] ?? 0;
    for (let at = this.#firstName[term] ?? 0; at < end; at++) {
      const name = this.#names[at] ?? 0;
      const editsBefore = editsByName.get(name);
      if (editsBefore === undefined || edits < editsBefore) editsByName.set(name, edits);
    }
  }

  /** Returns the number of the first term that has at least this length. */
  #firstOfLength(length: number): number {
    const { length: count } = this.#firstOf;
    return this.#firstOf[Math.min(length, count - 1)] ?? 0;
  }
}

function addTo(namesOf: Map<string, number[]>, term: string, name: number): void {
  if (term.length < MIN_LENGTH - 1) return;
  const names = namesOf.get(term);
  if (names === undefined) namesOf.set(term, [name]);
  else names.push(name);
}

/** Returns the position of the first term of each length from 0 on. @param terms shorter ones first */
function findFirsts(terms: readonly string[]): Int32Array {
  const longest = terms.at(-1)?.length ?? 0;
  const firsts = new Int32Array(longest + 2);
  let length = 0;
  for (const [at, term] of terms.entries()) while (length < term.length) firsts[++length] = at;
  firsts[longest + 1] = terms.length;
  return firsts;
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

/** Returns whether names that only nearly have a word are found too. */
export function mayHaveTypos({ compact, hasInitials }: Word): boolean {
  return !hasInitials && editsFor(compact) > 0;
}

/** How many typos a word may have. */
function editsFor(word: string): number {
  if (word.length < MIN_LENGTH) return 0;
  return word.length <= SHORT_LENGTH ? 1 : 2;
}

function termsOf(folded: string, compact: string): Set<string> {
  const starts = wordStarts(folded);
  const words = starts.map((start, at) => compact.slice(start, starts[at + 1]));
  return new Set([compact, ...words]);
}
