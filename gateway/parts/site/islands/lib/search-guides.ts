/** A part of a guide, below one heading. */
export interface GuidePart {
  path: string;
  title: string;
  heading: string;
  text: string;
}

/** What a word counts where it is found. */
const WEIGHTS = { title: 8, heading: 4, text: 1 } as const;

/** Finds the parts of guides that have all words, best first. A word also matches the beginning of a longer one. */
export function searchGuides(parts: readonly GuidePart[], text: string): GuidePart[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  if (words.length === 0) return [];
  return parts
    .map((part) => ({ part, score: scoreOf(part, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ part }) => part);
}

function scoreOf(part: GuidePart, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const found = (['title', 'heading', 'text'] as const).filter((place) => hasWord(part[place], word));
    if (found.length === 0) return 0;
    for (const place of found) score += WEIGHTS[place];
  }
  return score;
}

function hasWord(text: string, word: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower.charAt(at - 1))) return true;
  }
  return false;
}
