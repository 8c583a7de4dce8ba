import { Port } from '../../../scripts/core/lib/port.ts';
import type { CompactName } from './rank-name.ts';
import type { SearchText, Word } from './search-text.ts';

/** Finds names in spite of typos. Without it, `q` finds only names that have its words. */
export interface NearSearch {
  indexNames(names: NamesOfList): NearNames;
}

/** The names of a list. */
export interface NamesOfList {
  readonly names: readonly CompactName[];
  /** Returns the numbers of all names that have the words, and of some others. */
  findCandidates(words: readonly Word[]): readonly number[];
}

/** Finds the names in which every word of a search has a near one. */
export interface NearNames {
  /**
   * Returns their numbers, each with how many edits away the words are together.
   *
   * @throws UnpreparedError before `prepare`, if the list is long
   */
  find(text: SearchText): ReadonlyMap<number, number>;
  /** Makes what `find` needs. @throws UnpreparedError if the list is long */
  prepare(): void;
}

export const NEAR_SEARCH = new Port<NearSearch>();
