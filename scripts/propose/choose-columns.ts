import type { FoundTable } from '../dump/find-tables.ts';
import { type Column, snakeCase, wordsOf } from './column.ts';

/** Where the id of a record comes from: a column, or the key of its row. */
export type IdSource = Column | 'key';

const URL_SAFE = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;

/**
 * Chooses the id of a table's rows. In order of preference: a column `id`, a column named after the table (`unit_id` of `unit_data`), the
 * key of the row, any other id column. An id column has a different value in every row.
 *
 * @returns undefined when there is no such field
 */
export function chooseId({ name, shape }: FoundTable, columns: readonly Column[]): IdSource | undefined {
  if (!('rows' in shape)) return undefined;
  const ids = columns.filter((column) => column.path.length === 1 && isIdColumn(column));
  const words = wordsOf(name);
  const named = ids.find(({ path }) => wordsOf(path[0] as string).join() === 'id');
  const ofTable = ids.find(({ path }) =>
    wordsOf(path[0] as string).every((word) => word === 'id' || words.includes(word)),
  );
  const keyed = shape.kind === 'keyed' && [...shape.rows.keys()].every(isId) ? 'key' : undefined;
  return named ?? ofTable ?? keyed ?? ids[0];
}

const IDS = new Set(['id', 'uid', 'uuid', 'guid', 'key', 'code', 'slug']);

function isIdColumn({ path, full, distinct, values }: Column): boolean {
  const last = wordsOf(path.at(-1) as string).at(-1) ?? '';
  return IDS.has(last) && full && distinct && values.every(isId);
}

function isId(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0;
  return typeof value === 'string' && value !== '' && !value.includes(',');
}

/** Returns whether all ids can be part of a URL. This is required of the ids of characters. */
export function areUrlSafe({ shape }: FoundTable, id: IdSource): boolean {
  const values = id === 'key' ? ('rows' in shape ? [...shape.rows.keys()] : []) : id.values;
  return values.every((value) => URL_SAFE.test(String(value)));
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
];

/** Chooses the name of the rows: the text column that comes first in `NAMES`, or else the first one that ends in `name`. */
export function chooseName(columns: readonly Column[], count: number): Column | undefined {
  const texts = columns.filter(({ kind, values }) => kind === 'text' && values.length >= count * 0.8);
  const called = (name: string) => texts.find(({ path }) => path.flatMap(wordsOf).join(' ') === name);
  const first = NAMES.map(called).find((column) => column !== undefined);
  return first ?? texts.find(({ path }) => wordsOf(path.at(-1) as string).at(-1) === 'name');
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
];

/** Chooses the rarity of the rows, preferably a whole number. */
export function chooseRarity(columns: readonly Column[]): Column | undefined {
  const called = columns.filter(
    ({ path, kind }) =>
      path.length === 1 &&
      kind !== 'mixed' &&
      kind !== 'boolean' &&
      RARITIES.includes(wordsOf(path[0] as string).join(' ')),
  );
  return called.find(isWhole) ?? called.find(({ kind }) => kind === 'text');
}

/** Returns whether a column's values are whole numbers. */
export function isWhole({ kind, values }: Column): boolean {
  return kind === 'number' && values.every(Number.isSafeInteger);
}

const STATS = new Set(
  'hp health atk attack def defense defence armor speed spd mp mana str strength agi agility int intelligence vit dex luck crit critical critrate critdmg resistance magic vocal dance visual stamina power'.split(
    ' ',
  ),
);
const NOT_STATS = new Set(
  'id type rate growth range icon image sort order anim action motion time priority display point gain permil index level bonus kind flag icons projectile gauge sell attri'.split(
    ' ',
  ),
);
const MAX_STATS = 12;

/** Chooses the stats of the rows: numbers such as hp or attack. */
export function chooseStats(columns: readonly Column[]): Column[] {
  return columns
    .filter(({ path, kind }) => {
      const words = path.flatMap(wordsOf);
      const last = wordsOf(path.at(-1) as string);
      return (
        kind === 'number' &&
        last.some((word) => STATS.has(word)) &&
        !words.some((word) => NOT_STATS.has(word))
      );
    })
    .slice(0, MAX_STATS);
}

const MAX_CLASSES = 6;
const MAX_DISTINCT_VALUES = 24;

/** Chooses text columns that divide the rows into a few classes, such as an element or a weapon type. */
export function chooseClasses(columns: readonly Column[]): Column[] {
  return columns
    .filter(({ path, kind, values }) => {
      const distinct = new Set(values).size;
      const named = !['id', 'ids'].includes(wordsOf(path[0] as string).at(-1) ?? '');
      const short = values.every((value) => String(value).length <= 60);
      return (
        kind === 'text' &&
        path.length === 1 &&
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
  return snakeCase(path.at(-1) as string);
}
