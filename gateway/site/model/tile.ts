import type { JsonObject } from '../../../scripts/format/json.ts';
import { type FacetRecord, type SideFacet, valueAt } from './facets.ts';
import { nameOfRecord } from './format-value.ts';
import { type PictureKeys, pictureOf } from './picture.ts';

/** The attributes that the picture of a record is drawn from. */
export interface TileKeys {
  /** What groups the records, such as an element or a class. */
  group: string | undefined;
  rarity: string | undefined;
  /** Undefined where no pictures are shown. */
  picture?: PictureKeys | undefined;
}

/** What the picture of a record is drawn from. */
export interface TileData {
  name: string;
  group: string;
  /** 0 for none. */
  rarity: number;
  /** The address of its picture, which is shown over the drawn one. */
  picture?: string | undefined;
}

const GROUPS = ['element', 'class', 'attribute', 'path', 'type', 'category', 'idol', 'unit', 'sinner'];
const RARITIES = /^(rarity|rank|stars|grade)$/;
const MAX_RARITY = 6;

/** Chooses what the pictures of a list are drawn from: what a player would group its records by. */
export function tileKeysOf(side: readonly SideFacet[], facets: readonly FacetRecord[]): TileKeys {
  // A record is in one group, which has a name.
  const grouping = new Set(facets.filter(({ type, list }) => type === 'string' && !list).map(({ id }) => id));
  const groups = side.filter(
    ({ key, form }) => form === 'choices' && !key.includes('.') && grouping.has(key),
  );
  const rankOf = ({ key }: SideFacet) => (GROUPS.includes(key) ? GROUPS.indexOf(key) : GROUPS.length);
  return {
    group: groups.toSorted((a, b) => rankOf(a) - rankOf(b))[0]?.key,
    rarity: facets.find(({ id, type }) => type === 'number' && RARITIES.test(id))?.id,
  };
}

/** Returns what the picture of a record is drawn from. @param record has the attributes of `keys` */
export function tileOf(record: JsonObject, { group, rarity, picture }: TileKeys): TileData {
  const address = pictureOf(record, picture);
  const value = group === undefined ? undefined : valueAt(record, group);
  const number = rarity === undefined ? undefined : valueAt(record, rarity);
  return {
    name: nameOfRecord(record),
    group: [value].flat().map(String).join(' '),
    rarity: typeof number === 'number' && number > 0 && number <= MAX_RARITY ? Math.round(number) : 0,
    ...(address !== undefined && { picture: address }),
  };
}

/** Colours that players know of elements and classes, as hues; any other word gets one of its own. */
const HUES: readonly (readonly [words: RegExp, hue: number])[] = [
  [/pyro|fire|flame|passion|fusion/i, 12],
  [/hydro|water|\bcool\b/i, 210],
  [/cryo|ice|frost|glacio/i, 190],
  [/electro|lightning|thunder|electric|\bmysterious\b/i, 275],
  [/anemo|wind|\baero\b|\bair\b/i, 160],
  [/geo|earth|physical|rock|\bfighting\b|\bhappy\b/i, 30],
  [/dendro|nature|grass|wood|\bpure\b/i, 110],
  [/quantum|dark|shadow/i, 255],
  [/imaginary|light|holy|spectro/i, 48],
  [/ether|havoc|\bcute\b/i, 330],
];

/** Returns the hue of a group. */
export function hueOf(group: string): number {
  const hue = HUES.find(([words]) => words.test(group));
  if (hue) return hue[1];
  let hash = 7;
  for (const character of group) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 100_003;
  // Steps of the golden angle lie far from each other.
  return Math.round((hash * 137.508) % 360);
}

/** What a name begins with in brackets: the title of a card, before who is on it. */
const TITLE = /^\s*(\[[^\]]*\]|【[^】]*】)(?=.*[\p{L}\p{N}])/u;

/** Returns the first letters of the first two words that have capitals, or two characters of a script without spaces. */
export function initialsOf(name: string): string {
  const words = name.replace(TITLE, '').match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  const capital = words.filter((word) => /^[\p{Lu}\p{Lo}\p{N}]/u.test(word));
  const [first = '?', second] = capital.length > 0 ? capital : words;
  const letters = [...first];
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(first))
    return letters.slice(0, 2).join('');
  return `${letters[0]}${second === undefined ? (letters[1] ?? '') : ([...second][0] ?? '')}`;
}
