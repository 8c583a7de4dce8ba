// The guides of docs/, rendered when the code was compiled, and the search over them.
import { readFileSync } from 'node:fs';

export interface Guide {
  /** `/docs/consumers/queries`. */
  path: string;
  /** `consumers`. */
  section: string;
  title: string;
  /** A short description. */
  summary: string;
  /** Its text with its heading, as HTML. */
  html: string;
  headings: readonly { id: string; text: string }[];
  /** Its text by heading, for search. */
  parts: readonly GuideSection[];
}

/** The text of a guide below one heading. */
export interface GuideSection {
  path: string;
  title: string;
  heading: string;
  text: string;
}

/** The address in the samples of docs/. */
const SAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** Replaces the address in samples by that of this gateway. */
export function localizeSamples(text: string, publicUrl: string): string {
  return text.replaceAll(SAMPLE_ADDRESS, publicUrl);
}

let guides: readonly Guide[] | undefined;

/** Returns all guides, in the order of their overview. */
export function readGuides(): readonly Guide[] {
  guides ??= JSON.parse(readFileSync(new URL('./guides.json', import.meta.url), 'utf8')) as readonly Guide[];
  return guides;
}

/** The weight of a word, by where it is found. */
const WEIGHTS = { title: 8, heading: 4, text: 1 } as const;

/** Words of readers for terms of the guides. */
const SYNONYMS: readonly (readonly [words: RegExp, others: readonly string[]])[] = [
  [/^(pagination|paging|cursor|pages?)$/, ['offset']],
  [/^(gacha|wish(es)?|summons?|pity)$/, ['pull_planner', 'pull_rates', 'banners']],
  [/^(images?|icons?|avatars?|art)$/, ['pictures', 'image']],
  [
    /^(japanese|chinese|korean|languages?|locales?|translations?|i18n|日本語|中文|한국어)$/,
    ['lang', 'language'],
  ],
  [/^(throttl\w*|429|rate|caps?)$/, ['quota', 'limits']],
  [/^(auth\w*|tokens?|logins?|passwords?)$/, ['key', 'sign']],
  [/^(prices?|pay\w*|subscri\w*)$/, ['pro', 'membership']],
  [/^(excel|sheets?|pandas)$/, ['spreadsheet', 'csv']],
  [/^(chatgpt|claude|gpt|llms?|ai)$/, ['agents', 'mcp']],
  [/^(sdk|librar(y|ies)|javascript|typescript)$/, ['client', 'examples']],
  [/^(patch(es|notes)?|versions?|changelogs?)$/, ['build', 'history']],
];
const WORDS = /[\p{L}\p{N}_-]+/gu;

/** Finds the parts of guides that contain all words, best first. A word also matches the start of a longer one, and its synonyms. */
export function searchGuides(parts: readonly GuideSection[], text: string): GuideSection[] {
  const words = text.toLowerCase().match(WORDS) ?? [];
  if (words.length === 0) return [];
  const choices = words.map((word) => [word, ...(SYNONYMS.find(([names]) => names.test(word))?.[1] ?? [])]);
  const scores = parts.map((part) => {
    const places = Object.entries(WEIGHTS).map(
      ([place, weight]) => [` ${part[place as keyof typeof WEIGHTS].toLowerCase()}`, weight] as const,
    );
    const scoreOf = (word: string) =>
      places.reduce((sum, [lower, weight]) => sum + (hasWord(lower, word) ? weight : 0), 0);
    const best = choices.map((all) => Math.max(...all.map(scoreOf)));
    return { part, score: best.includes(0) ? 0 : best.reduce((sum, each) => sum + each, 0) };
  });
  return scores
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ part }) => part);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  return false;
}
