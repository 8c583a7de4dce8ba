// Tiles: the picture of a record, or its letters on the color of its group; and the covers of games.
import { type Html, html } from '../http/html.ts';
import { once } from './format.ts';

/** A record as pages link to it. */
export interface Entry {
  id: string;
  /** The path of its page. */
  href: string;
  name: string;
  /** Its value of the grouping attribute, such as `Pyro`; empty if it has none. */
  group: string;
  /** The start of its name, if the name of each record of its list ends with the group. */
  title?: string;
  /** 0 for the highest rarity of its list, 1 for the next one. */
  rarity: number;
  /** The address of its picture. */
  picture: string | undefined;
}

/** The colors of elements and classes that players know; any other word gets one by its hash. @public The stylesheet is made with them. */
export const HUES: readonly (readonly [words: RegExp, color: string])[] = [
  [/pyro|fire|flame|passion|fusion/i, '#a3341f'],
  [/geo|earth|physical|rock|\bfighting\b|\bhappy\b|imaginary|light|holy|spectro/i, '#7d5a1c'],
  [/dendro|nature|grass|wood|\bpure\b/i, '#3f7020'],
  [/anemo|wind|\baero\b|\bair\b/i, '#18725a'],
  [/cryo|ice|frost|glacio/i, '#19708a'],
  [/hydro|water|\bcool\b/i, '#2059a0'],
  [/quantum|dark|shadow/i, '#4b47a8'],
  [/electro|lightning|thunder|electric|\bmysterious\b/i, '#7a3f9d'],
  [/ether|havoc|\bcute\b/i, '#a02c6b'],
];

/** Returns the number of a group's or game's color: `.hue-0` to `.hue-8` of the stylesheet, or `.hue-9` without a group. */
export function hueOf(group: string): number {
  if (group === '') return HUES.length;
  const known = HUES.findIndex(([words]) => words.test(group));
  if (known >= 0) return known;
  let hash = 7;
  for (const character of group) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 100_003;
  return hash % HUES.length;
}

/** The start of a name in brackets: the title of a card, before the character's name. */
const TITLE = /^\s*(\[[^\]]*\]|【[^】]*】)(?=.*[\p{L}\p{N}])/u;

/** Returns the initials of the first capitalised words, two letters of each if that is not too long, or of a single word or of a script without spaces. */
function initialsOf(name: string, most: number): string {
  const words = name.replace(TITLE, '').match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  const capital = words.filter((word) => /^[\p{Lu}\p{Lo}\p{N}]/u.test(word));
  const chosen = capital.length > 0 ? capital : words;
  const [first = ''] = chosen;
  const isShort =
    chosen.length > 1 &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(first);
  const size = Math.max(1, Math.floor(most / chosen.length));
  const parts = isShort
    ? chosen.slice(0, most).map((word) => [...word].slice(0, size))
    : [...first].slice(0, 2);
  return parts.flat().join('');
}

const look = once(({ name, group, title }: Pick<Entry, 'name' | 'group' | 'title'>) => {
  return { hue: hueOf(group), letters: initialsOf(title === undefined ? name : group, 2) };
});

/** Who sees pictures: nobody, readers who agree (a script adds them), or everyone. */
export type ImageMode = 'off' | 'ask' | 'on';

/** Draws a tile. A picture that may be shown covers the letters. @param start what an element around it names in `data-pictures` */
export function tile(entry: Omit<Entry, 'id' | 'href'>, images: ImageMode, large = false, start = ''): Html {
  const { rarity, picture } = entry;
  const { hue, letters } = look(entry);
  const classes = `tile hue-${hue}${rarity < 2 ? ` r${rarity}` : ''}${large ? ' large' : ''}`;
  const wanted =
    picture !== undefined && images === 'ask' && html` data-picture="${picture.slice(start.length)}"`;
  const image = html`<img src="${picture}" alt="" loading="lazy" referrerpolicy="no-referrer">`;
  return html`<b class="${classes}" aria-hidden="true"${wanted}>${letters}${
    picture !== undefined && images === 'on' && image
  }</b>`;
}

/** The address of a picture that a page may load: https, without a port, user name or password. */
export function pictureAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { href, protocol, port, username, password } = new URL(value);
  return protocol === 'https:' && `${port}${username}${password}` === '' ? href : undefined;
}

/** Draws the cover of a game: its initials on its color. The last word of a title of five or more may be all that tells a region from another. */
export function cover({ slug, title }: { slug: string; title: string }): Html {
  return html`<b class="cover hue-${hueOf(slug)}" aria-hidden="true">${initialsOf(title.replace(/^(\p{L}+\P{L}+\p{L}+)(\P{L}+\p{L}+){2,}\P{L}+(\p{L}+)\P{L}*$/u, '$1 $3'), 4)}</b>`;
}
