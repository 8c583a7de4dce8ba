// Tiles: the picture of a record, or its letters on the colour of its group; and the covers of games.
import { type Html, html } from '../http/html.ts';

/** A record, as pages link to it. */
export interface Entry {
  id: string;
  name: string;
  /** Its value of what groups the list, such as `Pyro`; empty for none. */
  group: string;
  /** 0 for none. */
  rarity: number;
  /** The address of its picture. */
  picture: string | undefined;
}

/** Colours that players know of elements and classes; any other word gets one of its own. */
const HUES: readonly RegExp[] = [
  /pyro|fire|flame|passion|fusion/i,
  /geo|earth|physical|rock|\bfighting\b|\bhappy\b/i,
  /imaginary|light|holy|spectro/i,
  /dendro|nature|grass|wood|\bpure\b/i,
  /anemo|wind|\baero\b|\bair\b/i,
  /cryo|ice|frost|glacio/i,
  /hydro|water|\bcool\b/i,
  /quantum|dark|shadow/i,
  /electro|lightning|thunder|electric|\bmysterious\b/i,
  /ether|havoc|\bcute\b/i,
];

/** Returns the number of the colour of a group or game: those of the stylesheet, `.hue-0` to `.hue-9`. */
function hueOf(group: string): number {
  const known = HUES.findIndex((words) => words.test(group));
  if (known >= 0) return known;
  let hash = 7;
  for (const character of group) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 100_003;
  return hash % HUES.length;
}

/** What a name begins with in brackets: the title of a card, before who is on it. */
const TITLE = /^\s*(\[[^\]]*\]|【[^】]*】)(?=.*[\p{L}\p{N}])/u;

/** Returns the first letters of the first two words that have capitals, or two characters of a script without spaces. */
function initialsOf(name: string): string {
  const words = name.replace(TITLE, '').match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  const capital = words.filter((word) => /^[\p{Lu}\p{Lo}\p{N}]/u.test(word));
  const [first = '?', second] = capital.length > 0 ? capital : words;
  const letters = [...first];
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(first))
    return letters.slice(0, 2).join('');
  return `${letters[0]}${second === undefined ? (letters[1] ?? '') : ([...second][0] ?? '')}`;
}

/** Whether pictures are shown: to nobody, to those who agree (a script adds them), or to all. */
export type ImageMode = 'off' | 'ask' | 'on';

/** Draws a tile. Its picture, where one may be shown, lies over its letters. */
export function tile(
  { name, group, rarity, picture }: Omit<Entry, 'id'>,
  images: ImageMode,
  large = false,
): Html {
  const address = images === 'off' ? undefined : picture;
  const classes = `tile hue-${hueOf(group)}${rarity > 3 ? ` r${rarity}` : ''}${large ? ' large' : ''}`;
  const wanted = address !== undefined && images === 'ask' ? html` data-picture="${address}"` : '';
  return html`<span class="${classes}" aria-hidden="true"${wanted}>${initialsOf(name)}${
    address !== undefined && images === 'on' && pictureOf(address)
  }</span>`;
}

function pictureOf(address: string): Html {
  return html`<img src="${address}" alt="" loading="lazy" referrerpolicy="no-referrer">`;
}

/** The address of a picture that a page may show: https, without a port, a name or a password. */
export function pictureAddress(value: unknown): URL | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
    ? url
    : undefined;
}

const MAX_LETTERS = 4;

/** Draws the cover of a game: its letters (`marksOf`) on its colour. */
export function cover(slug: string, mark: string): Html {
  return html`<span class="cover hue-${hueOf(slug)}" data-letters="${[...mark].length}" aria-hidden="true">${mark}</span>`;
}

/** Returns the letters that stand for each game, by slug: as few as no other of these games has. */
export function marksOf(games: readonly { slug: string; title: string }[]): Map<string, string> {
  const possible = games.map(({ slug, title }) => [slug, [...new Set(candidatesOf(title))]] as const);
  const uses = new Map<string, number>();
  for (const mark of possible.flatMap(([, marks]) => marks)) uses.set(mark, (uses.get(mark) ?? 0) + 1);
  const marks = new Map<string, string>();
  for (const [slug, candidates] of possible) {
    let mark = candidates.find((each) => uses.get(each) === 1) ?? '';
    for (let number = 1; mark === ''; number++)
      if (!uses.has(`${candidates[0]}${number}`)) mark = `${candidates[0]}${number}`;
    uses.set(mark, 1);
    marks.set(slug, mark);
  }
  return marks;
}

/** The shortest first: the first letters of two words, of more words, and of the first word. */
function candidatesOf(title: string): string[] {
  const words = (title.match(/[\p{L}\p{N}]+/gu) ?? ['?']).map((word) => [...word]);
  const [first = []] = words;
  const firsts = (count: number) =>
    words
      .slice(0, count)
      .map(([letter = '']) => letter.toUpperCase())
      .join('');
  const start = (count: number) => `${first[0]?.toUpperCase()}${first.slice(1, count).join('')}`;
  return [
    ...(words.length > 1 ? [firsts(2), firsts(MAX_LETTERS)] : []),
    start(2),
    start(3),
    start(MAX_LETTERS),
  ];
}
