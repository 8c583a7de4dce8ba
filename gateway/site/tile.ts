// Tiles: the picture of a record, or its letters on the color of its group; and the covers of games.
import { type Html, html } from '../http/html.ts';

/** A record as pages link to it. */
export interface Entry {
  id: string;
  name: string;
  /** Its value of the grouping attribute, such as `Pyro`; empty if it has none. */
  group: string;
  /** 0 if it has none. */
  rarity: number;
  /** The address of its picture. */
  picture: string | undefined;
}

/** The colors of elements and classes that players know; any other word gets one by its hash. */
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

/** Returns the number of a group's or game's color: `.hue-0` to `.hue-9` of the stylesheet. */
function hueOf(group: string): number {
  const known = HUES.findIndex((words) => words.test(group));
  if (known >= 0) return known;
  let hash = 7;
  for (const character of group) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 100_003;
  return hash % HUES.length;
}

/** The start of a name in brackets: the title of a card, before the character's name. */
const TITLE = /^\s*(\[[^\]]*\]|【[^】]*】)(?=.*[\p{L}\p{N}])/u;

/** Returns the initials of the first two capitalised words, or two characters of a script without spaces. */
function initialsOf(name: string): string {
  const words = name.replace(TITLE, '').match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  const capital = words.filter((word) => /^[\p{Lu}\p{Lo}\p{N}]/u.test(word));
  const [first = '?', second] = capital.length > 0 ? capital : words;
  const letters = [...first];
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(first))
    return letters.slice(0, 2).join('');
  return `${letters[0]}${second === undefined ? (letters[1] ?? '') : ([...second][0] ?? '')}`;
}

/** Who sees pictures: nobody, readers who agree (a script adds them), or everyone. */
export type ImageMode = 'off' | 'ask' | 'on';

/** Draws a tile. A picture that may be shown covers the letters. @param start what an element around it names in `data-pictures` */
export function tile(
  { name, group, rarity, picture }: Omit<Entry, 'id'>,
  images: ImageMode,
  large = false,
  start = '',
): Html {
  const address = images === 'off' ? undefined : picture;
  const classes = `tile hue-${hueOf(group)}${rarity > 3 ? ` r${rarity}` : ''}${large ? ' large' : ''}`;
  const wanted =
    address !== undefined && images === 'ask' ? html` data-picture="${address.slice(start.length)}"` : '';
  return html`<span class="${classes}" aria-hidden="true"${wanted}>${initialsOf(name)}${
    address !== undefined && images === 'on' && pictureOf(address)
  }</span>`;
}

function pictureOf(address: string): Html {
  return html`<img src="${address}" alt="" loading="lazy" referrerpolicy="no-referrer">`;
}

/** The address of a picture that a page may load: https, without a port, user name or password. */
export function pictureAddress(value: unknown): URL | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
    ? url
    : undefined;
}

const MAX_LETTERS = 4;

/** Draws the cover of a game: its letters (`marksOf`) on its color. */
export function cover(slug: string, mark: string): Html {
  return html`<span class="cover hue-${hueOf(slug)}" data-letters="${[...mark].length}" aria-hidden="true">${mark}</span>`;
}

/** Returns the letters of each game, by slug: as few as are unique among these games. */
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

/** The candidates, shortest first: the initials of two words, of more words, and letters of the first word. */
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
