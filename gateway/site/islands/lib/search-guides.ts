import { distance } from 'fastest-levenshtein';

/** A part of a guide, below one heading. */
export interface GuidePart {
  path: string;
  title: string;
  heading: string;
  text: string;
}

const PLACES = ['title', 'heading', 'text'] as const;
/** What a word counts where it is found. */
const WEIGHTS = { title: 8, heading: 4, text: 1 } as const;

/** Words of readers for what the guides call otherwise. */
const SYNONYMS: readonly (readonly [words: RegExp, others: readonly string[]])[] = [
  [/^(pagination|paginate|paging|cursor|pages?)$/, ['offset']],
  [/^(gacha|wish(es)?|summons?|pity)$/, ['pull_planner', 'pull_rates', 'banner', 'banners']],
  [/^(images?|pictures?|icons?|avatars?|art)$/, ['image', 'images', 'pictures']],
  [/^(discord|slack|chat|bots?)$/, ['discord', 'webhook', 'bot']],
  [
    /^(日本語|japanese|中文|chinese|한국어|korean|languages?|locales?|translations?|i18n)$/,
    ['lang', 'language', 'languages'],
  ],
  [/^(throttl\w*|429|rate|caps?|quotas?)$/, ['quota', 'limits', '429']],
  [/^(auth\w*|tokens?|logins?|passwords?|credentials?)$/, ['key', 'sign']],
  [/^(prices?|costs?|pay\w*|subscri\w*|members?\w*)$/, ['pro', 'membership']],
  [/^(excel|sheets?|spreadsheets?|pandas)$/, ['spreadsheet', 'spreadsheets', 'csv']],
  [/^(chatgpt|claude|gpt|llms?|ai)$/, ['agents', 'mcp']],
  [/^(sdk|library|libraries|javascript|typescript|python)$/, ['client', 'examples', 'python']],
  [/^(patch(es|notes)?|versions?|changelogs?)$/, ['build', 'builds', 'history']],
];
const WORDS = /[\p{L}\p{N}_-]+/gu;
/** Shorter words are not corrected. */
const MIN_CORRECTED = 4;
/** From this length on, two letters may be wrong. */
const LONG = 8;

/** Finds the parts of guides that have all words, best first. A word also matches the beginning of a longer one, its synonyms, and if nothing has it the nearest word. */
export function searchGuides(parts: readonly GuidePart[], text: string): GuidePart[] {
  const words = text.toLowerCase().match(WORDS) ?? [];
  if (words.length === 0) return [];
  const choices = words.map((word) => alternativesOf(word, parts));
  return parts
    .map((part) => ({ part, score: scoreOf(part, choices) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ part }) => part);
}

function alternativesOf(word: string, parts: readonly GuidePart[]): string[] {
  const others = SYNONYMS.find(([words]) => words.test(word))?.[1] ?? [];
  const all = [word, ...others];
  const isKnown = parts.some((part) =>
    all.some((each) => PLACES.some((place) => hasWord(part[place], each))),
  );
  const near = isKnown ? undefined : nearestTo(word, parts);
  return near === undefined ? all : [near];
}

/** Finds the word of the guides that is nearest to a word with a typing mistake. */
function nearestTo(word: string, parts: readonly GuidePart[]): string | undefined {
  if (word.length < MIN_CORRECTED) return undefined;
  const most = word.length < LONG ? 1 : 2;
  let best: { word: string; distance: number } | undefined;
  for (const each of wordsOf(parts)) {
    if (Math.abs(each.length - word.length) > most) continue;
    const difference = distance(each, word);
    if (difference <= most && (best === undefined || difference < best.distance))
      best = { word: each, distance: difference };
  }
  return best?.word ?? synonymNear(word, most);
}

const vocabularies = new WeakMap<readonly GuidePart[], ReadonlySet<string>>();

/** All words of the guides, found once for all that is typed. */
function wordsOf(parts: readonly GuidePart[]): ReadonlySet<string> {
  let words = vocabularies.get(parts);
  if (words) return words;
  const texts = parts.map(({ title, heading, text }) => `${title} ${heading} ${text}`.toLowerCase());
  words = new Set(texts.flatMap((text) => text.match(WORDS) ?? []));
  vocabularies.set(parts, words);
  return words;
}

/** A synonym may have a typing mistake too. */
function synonymNear(word: string, most: number): string | undefined {
  const named = SYNONYMS.flatMap(([words, others]) =>
    (words.source.match(/[a-z]{4,}/g) ?? []).map((each) => ({ each, to: others[0] })),
  );
  return named.find(({ each }) => distance(each, word) <= most)?.to;
}

/** How much each part counts; a word counts as its best alternative. */
function scoreOf(part: GuidePart, choices: readonly (readonly string[])[]): number {
  let score = 0;
  for (const words of choices) {
    const best = Math.max(...words.map((word) => scoreOfWord(part, word)));
    if (best === 0) return 0;
    score += best;
  }
  return score;
}

function scoreOfWord(part: GuidePart, word: string): number {
  return PLACES.reduce((sum, place) => sum + (hasWord(part[place], word) ? WEIGHTS[place] : 0), 0);
}

function hasWord(text: string, word: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower.charAt(at - 1))) return true;
  }
  return false;
}
