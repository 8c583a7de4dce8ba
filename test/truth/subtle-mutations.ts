import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { type ColumnMutation, sample, shuffle, type TableMutation, valuesOf } from './mutation.ts';
import {
  type Cell,
  type RawColumn,
  type RawRow,
  type RawTable,
  read,
  remove,
  replace,
} from './raw-tables.ts';

type Random = () => number;

const some = { records: 3, first: false } as const;
const one = { records: 1, first: false } as const;

/** Changes a share of the cells of a column. */
const inShare =
  (share: number, change: (value: Json) => Json) =>
  ({ cells }: RawColumn, random: Random): boolean => {
    for (const cell of sample(cells, share, random)) replace(cell, change(read(cell)));
    return true;
  };

/** Changes one cell that has a value. */
const inOne =
  (change: (value: Json) => Json) =>
  ({ cells }: RawColumn, random: Random): boolean => {
    const [cell] = shuffle(cells, random).filter((each) => read(each) !== null && read(each) !== 0);
    if (cell !== undefined) replace(cell, change(read(cell)));
    return cell !== undefined;
  };

const times = (factor: number) => (value: Json) => (typeof value === 'number' ? value * factor : value);

/** Kinds of damage in few values of an attribute: nothing of the whole column shows them. */
export const SUBTLE_NUMBER_MUTATIONS: readonly ColumnMutation[] = [
  { name: 'one in 14 % of the rows', of: 'numbers', ...some, apply: inShare(0.14, () => 1) },
  { name: 'a hundred times too high in one', of: 'numbers', ...one, apply: inOne(times(100)) },
  { name: 'twice too high in one', of: 'numbers', ...one, aside: true, apply: inOne(times(2)) },
  { name: '9999 in a tenth', of: 'numbers', ...some, first: true, apply: inShare(0.1, () => 9999) },
  { name: 'missing in one', of: 'numbers', ...one, apply: removeOne },
  { name: '1970 in a fifth', of: 'dates', ...some, apply: inShare(0.2, toEpoch) },
  { name: 'a day late in a tenth', of: 'dates', ...some, aside: true, apply: inShare(0.1, toNextDay) },
];

function removeOne({ cells }: RawColumn, random: Random): boolean {
  const [cell] = shuffle(cells, random);
  if (cell !== undefined) remove(cell);
  return cell !== undefined;
}

function toEpoch(value: Json): Json {
  return typeof value === 'number' ? 0 : String(value).replace(/^\d{4}.\d\d.\d\d/, '1970-01-01');
}

function toNextDay(value: Json): Json {
  if (typeof value === 'number') return value + (value > 1e11 ? 86_400_000 : 86_400);
  const text = String(value);
  const [day = ''] = /^\d{4}.\d\d.\d\d/.exec(text) ?? [];
  const time = Date.parse(`${day.replace(/[^\d]/g, '-')}T00:00:00Z`);
  // Some columns of dates have other texts, and days that no month has.
  if (Number.isNaN(time)) return value;
  const next = new Date(time + 86_400_000);
  return next.toISOString().slice(0, 10) + text.slice(10);
}

const name = (text: string) => () => text;
const names = { of: 'names' } as const;

/** Kinds of damage in few names, or in what every name has. */
export const SUBTLE_NAME_MUTATIONS: readonly ColumnMutation[] = [
  { name: 'one name of question marks', ...names, ...one, first: true, apply: inOne(name('???')) },
  { name: 'one name of a dummy', ...names, ...one, first: true, apply: inOne(name('dummy_3')) },
  { name: 'one name that another has', ...names, ...one, apply: copyOne },
  { name: 'two names swapped', ...names, ...one, aside: true, apply: swapTwo },
  { name: 'every tenth name that of the one before', ...names, ...some, apply: copyTenth },
  {
    name: 'a quarter of the names in another language',
    ...{ ...names, records: 8, first: 'language' as const },
    apply: inShare(0.25, (value) => (/\p{Script=Hangul}/u.test(String(value)) ? 'gabriel' : '가브리엘')),
  },
  {
    name: 'names templates of texts',
    ...{ ...names, records: 8, first: true },
    apply: inShare(1, () => '<?1>'),
  },
  {
    name: 'names with markup',
    ...{ ...names, records: 8, first: true },
    apply: inShare(1, (value) => `<color=#fff>${value}</color>`),
  },
  {
    name: 'a third of the names placeholders',
    ...{ ...names, records: 8, first: true, aside: true },
    apply: inShare(0.33, () => 'TBD'),
  },
];

function copyOne({ cells }: RawColumn, random: Random): boolean {
  const [cell, other] = shuffle(cells, random);
  if (cell === undefined || other === undefined || read(cell) === read(other)) return false;
  replace(cell, read(other));
  return true;
}

function swapTwo({ cells }: RawColumn, random: Random): boolean {
  const [cell, other] = shuffle(cells, random);
  if (cell === undefined || other === undefined || read(cell) === read(other)) return false;
  const value = read(cell);
  replace(cell, read(other));
  replace(other, value);
  return true;
}

function copyTenth(column: RawColumn): boolean {
  const values = valuesOf(column);
  for (const [at, cell] of column.cells.entries()) if (at % 10 === 9) replace(cell, values[at - 1] as Json);
  return true;
}

/** Kinds of damage in all numbers of some rows of the roster. */
export const SUBTLE_TABLE_MUTATIONS: readonly TableMutation[] = [
  {
    name: 'numbers of the next row in a twentieth',
    of: 'roster',
    ...some,
    apply: (table, random) =>
      onRows(table, random, (numbers, next) => numbers.map((cell) => numberOf(next, cell) ?? read(cell))),
  },
  {
    name: 'numbers of a lower level in a twentieth',
    of: 'roster',
    ...some,
    apply: (table, random) => onRows(table, random, (numbers) => numbers.map((cell) => lower(read(cell)))),
  },
  { name: 'minimum above maximum', of: 'roster', records: 8, first: true, apply: swapLimits },
];

function lower(value: Json): Json {
  return typeof value === 'number' ? Math.ceil(value / 6) : value;
}

const isKey = (key: string) =>
  /(?:id|Id|ID|no|No|sort|order|rarity|rank|type|group|time|Time|date|Date|at|At)$/i.test(key);

/** Gives the numbers of a twentieth of the rows other values; keys, ids and times stay. */
function onRows(
  { rows }: RawTable,
  random: Random,
  change: (numbers: readonly Cell[], next: RawRow | undefined) => readonly Json[],
): boolean {
  let changed = false;
  for (const row of sample(rows, 0.05, random)) {
    const value = read(row);
    if (!isObject(value)) continue;
    const numbers = Object.keys(value)
      .filter((key) => typeof value[key] === 'number' && !isKey(key))
      .map((key): Cell => ({ holder: value, key, row: 0 }));
    const values = change(numbers, rows[(rows.indexOf(row) + 1) % rows.length]);
    for (const [at, cell] of numbers.entries()) replace(cell, values[at] as Json);
    changed ||= numbers.length > 1;
  }
  return changed;
}

function numberOf(row: RawRow | undefined, { key }: Cell): Json | undefined {
  const value = row && read(row);
  return isObject(value) && typeof value[key] === 'number' ? value[key] : undefined;
}

/** Exchanges each attribute with "min" in its name for the one with "max". */
function swapLimits({ rows }: RawTable): boolean {
  let changed = false;
  for (const row of rows) {
    const value = read(row);
    if (!isObject(value)) continue;
    for (const key of Object.keys(value)) {
      const other = key.replace('min', 'max').replace('Min', 'Max');
      if (other === key || typeof value[key] !== 'number' || typeof value[other] !== 'number') continue;
      [value[key], value[other]] = [value[other] as Json, value[key] as JsonObject[string]];
      changed = true;
    }
  }
  return changed;
}
