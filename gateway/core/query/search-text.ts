import { compactText, foldText, hasInitial, toInitials } from './fold.ts';

/** A search word in its compact form. */
export interface Word {
  compact: string;
  initials: string;
  /** Whether it contains a single initial consonant. */
  hasInitials: boolean;
}

/** What a client searches for. */
export interface SearchText {
  /** Each word once. */
  words: readonly Word[];
  /** All words as one, as names are often written without spaces. */
  whole: Word;
}

/** Reads a search text; undefined when it is blank. */
export function readSearchText(text: string): SearchText | undefined {
  const folded = foldText(text).trim();
  if (folded === '') return undefined;
  const parts = folded.split(/\s+/u).map(compactText);
  return { words: [...new Set(parts)].map(prepareWord), whole: prepareWord(parts.join('')) };
}

function prepareWord(compact: string): Word {
  return { compact, initials: toInitials(compact), hasInitials: hasInitial(compact) };
}
