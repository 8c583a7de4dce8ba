import { editDistance } from './edit-distance.ts';
import { wordStarts } from './fold.ts';
import type { CompactName } from './rank-name.ts';
import type { Word } from './search-text.ts';

/** Shorter words have no typos: nearly every word would be near them. */
const MIN_LENGTH = 3;
/** Words up to this length may have one typo, longer ones two. */
const SHORT_LENGTH = 5;
/** Stands before and after a term, so that its ends form pairs too. */
const EDGE = 0;
/** How many pairs of neighbouring units an edit changes at most: that of two swapped neighbours. */
const PAIRS_PER_EDIT = 3;

/**
 * Finds names with a word that is near a search word. Terms, which are the words of names and whole names without spaces, are indexed by pairs of
 * code units: a term that is near shares most of its pairs, so that only few are compared letter by letter.
 */
export class TypoIndex {
  readonly #terms: string[] = [];
  /** The names that have each term. */
  readonly #namesOf: number[][] = [];
  readonly #byPair = new Map<number, number[]>();
  /** How many pairs each term shares with the word at hand; all 0 between calls. */
  readonly #shared: Uint8Array;

  constructor(names: readonly CompactName[]) {
    const numbers = new Map<string, number>();
    for (const [name, { folded, compact }] of names.entries()) {
      for (const term of termsOf(folded, compact)) this.#add(term, name, numbers);
    }
    this.#shared = new Uint8Array(this.#terms.length);
  }

  #add(term: string, name: number, numbers: Map<string, number>): void {
    if (term.length < MIN_LENGTH - 1) return;
    const known = numbers.get(term);
    if (known !== undefined) {
      this.#namesOf[known]?.push(name);
      return;
    }
    const number = this.#terms.push(term) - 1;
    this.#namesOf.push([name]);
    numbers.set(term, number);
    for (const pair of new Set(pairsOf(term))) {
      const terms = this.#byPair.get(pair);
      if (terms === undefined) this.#byPair.set(pair, [number]);
      else terms.push(number);
    }
  }

  /** Returns the names that have a term near a word, and how many edits away it is. */
  find(word: Word): Map<number, number> {
    const found = new Map<number, number>();
    if (!mayHaveTypos(word)) return found;
    const { compact } = word;
    const most = editsFor(compact);
    for (const number of this.#candidates(compact, most)) {
      const edits = editDistance(compact, this.#terms[number] as string, most);
      if (edits > most) continue;
      for (const name of this.#namesOf[number] as number[]) {
        const other = found.get(name);
        if (other === undefined || edits < other) found.set(name, edits);
      }
    }
    return found;
  }

  /** Returns the terms that share as many pairs with a word as a term must that is `most` edits away. */
  #candidates(word: string, most: number): number[] {
    const pairs = new Set(pairsOf(word));
    const needed = Math.max(1, pairs.size - PAIRS_PER_EDIT * most);
    const candidates: number[] = [];
    const touched: number[] = [];
    for (const pair of pairs) {
      for (const number of this.#byPair.get(pair) ?? []) {
        const count = (this.#shared[number] as number) + 1;
        this.#shared[number] = count;
        if (count === 1) touched.push(number);
        if (count === needed) candidates.push(number);
      }
    }
    for (const number of touched) this.#shared[number] = 0;
    return candidates;
  }
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

function pairsOf(term: string): number[] {
  const pairs: number[] = [];
  for (let at = 0; at <= term.length; at++) {
    const first = at === 0 ? EDGE : term.charCodeAt(at - 1);
    const second = at === term.length ? EDGE : term.charCodeAt(at);
    pairs.push((first << 16) | second);
  }
  return pairs;
}
