import type { FoundTable } from '../dump/find-tables.ts';
import { type Column, snakeCase, wordsOf } from './column.ts';
import { rankNumbers } from './find-rarity.ts';

/** Where the id of a record comes from: a column, or the key of its row. */
export type IdSource = Column | 'key';

const URL_SAFE = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;

/**
 * Chooses the id of a table's rows. In order of preference: a column `id`, a column named after the table (`unit_id` of `unit_data`), the
 * key of the row, any other id column. An id column has a different value in every row.
 *
 * @param isAllowed whether an id can be used
 * @returns undefined when there is no such field
 */
export function chooseId(
  { name, shape, member }: FoundTable,
  columns: readonly Column[],
  isAllowed: (id: IdSource) => boolean = () => true,
): IdSource | undefined {
  if (!('rows' in shape)) return undefined;
  const ids = columns.filter((column) => column.level === 1 && isIdColumn(column) && isAllowed(column));
  const nameOfPath = ({ path }: Column) => path.at(-1) ?? '';
  const words = wordsOf(name);
  const named = ids.find((column) => wordsOf(nameOfPath(column)).join() === 'id');
  const ofTable = ids.find((column) =>
    wordsOf(nameOfPath(column)).every((word) => word === 'id' || words.includes(word)),
  );
  const keyed =
    shape.kind === 'keyed' && member === undefined && [...shape.rows.keys()].every(isId) && isAllowed('key')
      ? 'key'
      : undefined;
  return named ?? ofTable ?? keyed ?? ids[0];
}

const IDS = new Set(['id', 'uid', 'uuid', 'guid', 'key', 'code', 'slug', 'tag', 'num']);

function isIdColumn({ path, full, distinct, values }: Column): boolean {
  const last = wordsOf(path.at(-1) ?? '').at(-1) ?? '';
  return IDS.has(last) && full && distinct && values.every(isId);
}

function isId(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0;
  return typeof value === 'string' && value !== '' && !value.includes(',');
}

/** The ids of a table's rows, as texts. */
function idsOf({ shape }: FoundTable, id: IdSource): string[] {
  const keys = 'rows' in shape ? [...shape.rows.keys()] : [];
  return id === 'key' ? keys : id.values.map(String);
}

/** Whether an id can be part of a URL, as is required of the ids of characters. */
function isUrlSafe(id: string): boolean {
  return URL_SAFE.test(id);
}

/** Whether all ids can be part of a URL. */
export function areUrlSafe(table: FoundTable, id: IdSource): boolean {
  return idsOf(table, id).every(isUrlSafe);
}

/** Whether all ids can be part of a URL, if what cannot be is replaced by "-", and are different then. */
export function canBeUrlSafe(table: FoundTable, id: IdSource): boolean {
  const ids = idsOf(table, id).map((each) => each.replace(/[^A-Za-z0-9._~-]+/g, '-'));
  return ids.every((each) => isUrlSafe(each) && /[A-Za-z0-9]/.test(each)) && new Set(ids).size === ids.length;
}

const NAMES = [
  'localized name',
  'display name',
  'name en',
  'en name',
  'english name',
  'name',
  'title',
  'label',
  'prefix',
];
/** A name with one of these words is the name of something else. */
const NAMES_OF_OTHERS = new Set(
  'skill asset assetbundle bundle file image icon model kana ruby voice cv costume tag class type group action anim'.split(
    ' ',
  ),
);
/** Words in the names of columns whose values are the keys of texts, of which names may be some. */
const TEXTS = new Set(['localize', 'localization', 'localized', 'loc', 'text']);
/** The last words of columns whose values are the keys of names. */
const KEYS_OF_TEXTS = new Set(['name', 'hash', 'id', 'key', 'text']);

/**
 * The columns that can be the name of the rows, or the keys of the texts that are: those in `NAMES` first, in that order, then those that end
 * in `name`.
 */
export function chooseNames(columns: readonly Column[], count: number): Column[] {
  const whole = columns.filter(
    ({ values, kind, list }) =>
      !list && (kind === 'text' || kind === 'number') && values.length >= count * 0.8,
  );
  const called = (name: string) =>
    whole.filter(({ path, level }) => wordsOf(path.slice(-level).join(' ')).join(' ') === name);
  const ownNames = whole.filter(({ path, level }) => isOwnName(path.slice(-level).flatMap(wordsOf)));
  const direct = NAMES.flatMap(called).filter(({ kind }) => kind === 'text');
  const keys = whole.filter(({ path }) => {
    const words = wordsOf(path.at(-1) ?? '');
    return words.some((word) => TEXTS.has(word)) && KEYS_OF_TEXTS.has(words.at(-1) ?? '');
  });
  return [...new Set([...direct, ...ownNames, ...keys])];
}

/** Whether words are those of a row's own name, also of its key: not those of the name of its skill. */
export function isOwnName(words: readonly string[]): boolean {
  if (!words.includes('name') || words.some((word) => NAMES_OF_OTHERS.has(word))) return false;
  return KEYS_OF_TEXTS.has(words.at(-1) ?? '');
}

const RARITIES = [
  'rarity',
  'star',
  'stars',
  'star level',
  'grade',
  'tier',
  'quality',
  'rare',
  'base rarity',
  'init rarity',
  'initial rarity',
  'rarity type',
  'card rarity type',
  'card rarity',
  'rank',
  'rank type',
  'quality type',
  'star num',
  'star count',
  'init star',
  'initial star',
  'quality id',
  'rarity id',
  'default star grade',
];

/** Chooses the rarity of the rows, preferably a whole number. */
export function chooseRarity(columns: readonly Column[]): Column | undefined {
  const called = columns.filter(
    ({ path, level, kind, list }) =>
      level <= 2 &&
      !list &&
      kind !== 'mixed' &&
      kind !== 'boolean' &&
      RARITIES.includes(wordsOf(path.at(-1) ?? '').join(' ')),
  );
  const ranks = called.filter((column) => isWhole(column) || rankNumbers(column) !== undefined);
  const best = RARITIES.flatMap((name) => ranks.filter((column) => nameOfColumn(column) === name));
  return best.find(isWhole) ?? best[0] ?? called.find(({ kind }) => kind === 'text');
}

function nameOfColumn({ path }: Column): string {
  return wordsOf(path.at(-1) ?? '').join(' ');
}

/** Returns whether a column's values are whole numbers. */
export function isWhole({ kind, values }: Column): boolean {
  return kind === 'number' && values.every(Number.isSafeInteger);
}

const STATS = new Set(
  'hp hitpoints health life damage atk attack def defense defence armor speed spd mp mana str strength agi agility int intelligence vit dex luck crit critical critrate critdmg resistance magic vocal dance visual stamina power'.split(
    ' ',
  ),
);
const NOT_STATS = new Set(
  'id type rate growth range icon image sort order anim action motion time priority display point gain permil index level bonus kind flag icons projectile gauge sell attri move search walk run add cost weight ratio delta timer probability duration distance delay reduce bar height width radius'.split(
    ' ',
  ),
);
const MAX_STATS = 12;

/** Chooses the stats of the rows: numbers such as hp or attack. */
export function chooseStats(columns: readonly Column[]): Column[] {
  return columns
    .filter(({ path, kind, list }) => kind === 'number' && !list && isStatName(path) && !path.some(isNumber))
    .slice(0, MAX_STATS);
}

/** Whether a part is keyed by a number, such as a level: of those, `findStatsInside` takes the last. */
function isNumber(step: string): boolean {
  return /^\d+$/.test(step);
}

/** Whether the name at the end of a path is that of a stat, such as hp or attack. */
export function isStatName(path: readonly string[]): boolean {
  return (
    wordsOf(path.at(-1) ?? '').some((word) => STATS.has(word)) &&
    !path.flatMap(wordsOf).some((word) => NOT_STATS.has(word))
  );
}

/** The stats that nearly every game has, by the words for them. */
const MAIN_STATS = [
  ['hp', 'health', 'hitpoints', 'life', 'stamina'],
  ['atk', 'attack', 'str', 'strength', 'damage'],
  ['def', 'defense', 'defence', 'armor'],
  ['vocal'],
  ['dance'],
  ['visual'],
  ['param'],
];

/** Which of the stats that nearly every game has a name is, as the first word for it; undefined for none or several. */
export function mainStatOf(name: string): string | undefined {
  const words = wordsOf(name.replace(/\d+$/, ''));
  const mainStats = MAIN_STATS.filter((stat) => stat.some((word) => words.includes(word)));
  return mainStats.length === 1 ? mainStats[0]?.[0] : undefined;
}

/** How many of the stats that nearly every game has are among names. */
export function countMainStats(names: readonly string[]): number {
  const words = new Set(names.flatMap((name) => wordsOf(name.replace(/\d+$/, ''))));
  return MAIN_STATS.filter((stat) => stat.some((word) => words.has(word))).length;
}

const MAX_CLASSES = 6;
const MAX_DISTINCT_VALUES = 24;

/** Chooses text columns that divide the rows into a few classes, such as an element or a weapon type. */
export function chooseClasses(columns: readonly Column[]): Column[] {
  return columns
    .filter(({ path, level, kind, values }) => {
      const distinct = new Set(values).size;
      const named = !['id', 'ids'].includes(wordsOf(path.at(-1) ?? '').at(-1) ?? '');
      const short = values.every((value) => String(value).length <= 60);
      return (
        kind === 'text' &&
        level === 1 &&
        named &&
        short &&
        distinct > 1 &&
        distinct <= Math.min(MAX_DISTINCT_VALUES, values.length / 2)
      );
    })
    .slice(0, MAX_CLASSES);
}

/** Returns the name of the attribute for a column: the last name of its path in snake_case. */
export function attributeOf({ path }: Column): string {
  return snakeCase(path.at(-1) ?? '');
}
