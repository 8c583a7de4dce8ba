import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import {
  type Cell,
  type RawColumn,
  type RawRow,
  type RawTable,
  read,
  remove,
  removeRows,
  replace,
} from './raw-tables.ts';

// Kinds of harmful mutations of a dump, written against what every game has, not against one game.

type Random = () => number;

interface Kind {
  name: string;
  /** Whether it shows in a build without the build before it. `language`: only where the attribute's name ends with a language. */
  first: boolean | 'language';
  /** How many served records have to differ, so that there is something to find. */
  records: number;
  /** Whether it shows in a first build only: a build inherits files that it does not have. */
  onlyFirst?: boolean;
}

/** A mutation of the raw values of one attribute in place; false if it does not fit. */
export type ColumnMutation = Kind & {
  of: 'numbers' | 'categories' | 'names' | 'dates';
  apply(column: RawColumn, random: Random): boolean;
};

/** A mutation of the rows of a table that others are joined to, or of the table that the roster is made of. */
export type TableMutation = Kind & {
  of: 'joined' | 'roster';
  apply(table: RawTable, random: Random): boolean;
};

/** A mutation of the text of a file; undefined if the file is removed. */
export type FileMutation = Kind & { of: 'file'; edit(text: string): string | undefined };

export type Mutation = ColumnMutation | TableMutation | FileMutation;

/** The values of a column. */
export function valuesOf({ cells }: RawColumn): Json[] {
  return cells.map(read);
}

/** Puts elements in a random order. */
export function shuffle<T>(elements: readonly T[], random: Random): T[] {
  const shuffled = [...elements];
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled;
}

function sample<T>(elements: readonly T[], share: number, random: Random): T[] {
  return shuffle(elements, random).slice(0, Math.ceil(elements.length * share));
}

type Apply = ColumnMutation['apply'];
type Edit = (value: Json, at: number) => Json;

/** Changes the values of a share of the cells; by default of all. */
const edit =
  (change: Edit, share = 1): Apply =>
  ({ cells }, random) => {
    const chosen = share === 1 ? cells : sample(cells, share, random);
    for (const [at, cell] of chosen.entries()) replace(cell, change(read(cell), at));
    return true;
  };
const some = (share: number, change: Edit): Apply => edit(change, share);
const tenth = (change: Edit): Apply => edit(change, 0.1);
/** Changes one value that is neither null nor zero. */
const inOne =
  (change: Edit): Apply =>
  ({ cells }, random) => {
    const [cell] = shuffle(cells, random).filter((each) => read(each) !== null && read(each) !== 0);
    if (cell) replace(cell, change(read(cell), 0));
    return cell !== undefined;
  };
const drop =
  (share = 1): Apply =>
  ({ cells }, random) => {
    for (const cell of share === 1 ? cells : sample(cells, share, random)) remove(cell);
    return true;
  };
const reorder =
  (order: (values: Json[], random: Random) => readonly Json[]): Apply =>
  (column, random) => {
    const values = order(valuesOf(column), random);
    for (const [at, cell] of column.cells.entries()) replace(cell, values[at] as Json);
    return true;
  };
const rotate = <T>(values: readonly T[]): T[] => [...values.slice(1), ...values.slice(0, 1)];
const rounded = (value: number) => Number(value.toPrecision(12));
const number =
  (change: (value: number, at: number) => Json): Edit =>
  (value, at) =>
    typeof value === 'number' ? change(value, at) : value;
const text =
  (change: (value: string, at: number) => string): Edit =>
  (value, at) =>
    typeof value === 'string' && value !== '' ? change(value, at) : value;

const all = { records: 8, first: false } as const;
const few = { records: 3, first: false } as const;
const one = { records: 1, first: false } as const;

type Row = readonly [name: string, kind: Pick<Kind, 'records' | 'first'>, apply: Apply];

const NUMBERS: readonly Row[] = [
  ['ten times too high', all, edit(number((value) => value * 10))],
  ['a hundred times too high', all, edit(number((value) => value * 100))],
  ['ten times too low', all, edit(number((value) => rounded(value / 10)))],
  ['a tenth higher', all, edit(number((value) => rounded(value * 1.1)))],
  ['one higher', all, edit(number((value) => rounded(value + 1)))],
  ['negative', all, edit(number((value) => -value))],
  ['zero', all, edit(number(() => 0))],
  ['one value for all', all, edit(number(() => 77))],
  ['null', all, edit(number(() => null))],
  ['texts with separators', all, edit(number((value) => `${value},0`))],
  ['decimals lost', all, loseDecimals],
  [
    'random numbers',
    all,
    (column, random) => edit(number((value) => rounded(value * (0.5 + random()))))(column, random),
  ],
  ['shuffled', all, reorder(shuffle)],
  ['those of the next row', all, reorder(rotate)],
  ['attribute renamed', all, rename],
  ['attribute removed', { ...all, first: true }, drop()],
  ['ten times too high in a tenth', few, tenth(number((value) => value * 10))],
  ['999999 in a tenth', few, tenth(number(() => 999_999))],
  ['-1 in a tenth', few, tenth(number(() => -1))],
  ['removed in a tenth', few, drop(0.1)],
  ['a million times too high in one', one, inOne((value) => Number(value) * 1e6)],
  ['one in 14 % of the rows', few, some(0.14, () => 1)],
  ['a hundred times too high in one', one, inOne(number((value) => value * 100))],
  ['twice too high in one', one, inOne(number((value) => value * 2))],
  ['9999 in a tenth', { ...few, first: true }, tenth(() => 9999)],
  ['missing in one', one, removeOne],
  ['ten times too high in one', one, inOne(number((value) => value * 10))],
  ['zero for none', few, edit((value) => value ?? 0)],
];

function loseDecimals(column: RawColumn, random: Random): boolean {
  const decimals = valuesOf(column).filter((value) => typeof value === 'number' && !Number.isInteger(value));
  return decimals.length >= 10 && edit(number(Math.trunc))(column, random);
}

function rename({ cells }: RawColumn): boolean {
  for (const cell of cells) {
    if (Array.isArray(cell.holder)) return false;
    const value = read(cell);
    remove(cell);
    cell.holder[`${cell.key}_v2`] = value;
  }
  return true;
}

function removeOne({ cells }: RawColumn, random: Random): boolean {
  const [cell] = shuffle(cells, random);
  if (cell) remove(cell);
  return cell !== undefined;
}

const DATES: readonly Row[] = [
  [
    '1970 in a fifth',
    few,
    some(0.2, (value) =>
      typeof value === 'number' ? 0 : String(value).replace(/^\d{4}.\d\d.\d\d/, '1970-01-01'),
    ),
  ],
  ['a day late in a tenth', few, tenth(toNextDay)],
  ['five hours late in half', { ...all, records: 10 }, some(0.5, (value) => later(value, 5))],
  [
    'day and month exchanged',
    few,
    edit(text((value) => value.replace(/^(\d{4}.)(\d\d)(.)(\d\d)/, '$1$4$3$2'))),
  ],
];

/** A date, or a number of seconds or milliseconds, some hours later. */
function later(value: Json, hours: number): Json {
  if (typeof value === 'number') return value + hours * (value > 1e11 ? 3_600_000 : 3600);
  const [, day, hour = '', rest] = /^(\d{4}.\d\d.\d\d.)(\d+)(:.*)$/.exec(String(value)) ?? [];
  if (day === undefined) return value;
  return `${day}${String((Number(hour) + hours) % 24).padStart(hour.length, '0')}${rest}`;
}

function toNextDay(value: Json): Json {
  if (typeof value === 'number') return value + (value > 1e11 ? 86_400_000 : 86_400);
  const [day = ''] = /^\d{4}.\d\d.\d\d/.exec(String(value)) ?? [];
  const time = Date.parse(`${day.replace(/[^\d]/g, '-')}T00:00:00Z`);
  // Some columns of dates have other texts, and days that no month has.
  if (Number.isNaN(time)) return value;
  return new Date(time + 86_400_000).toISOString().slice(0, 10) + String(value).slice(10);
}

/** Texts or small numbers of which there are few different ones: an element, a rarity. */
const CATEGORIES: readonly Row[] = [
  ['category shuffled', all, reorder(shuffle)],
  ['category of the next row', all, reorder(rotate)],
  ['category renamed', few, renameCategory],
  ['one category for all', all, reorder((values) => values.map(() => values[0] as Json))],
  ['category never seen in a tenth', few, tenth((value) => (typeof value === 'number' ? 97 : 'Zzyx'))],
  ['category removed', { ...all, first: true }, drop()],
  ['category in other letters', all, ofType('string', edit(text(swapCase)))],
  ['category counted from another number', all, ofType('number', edit(number((value) => value + 1)))],
];

function ofType(type: string, apply: Apply): Apply {
  return (column, random) => typeof valuesOf(column)[0] === type && apply(column, random);
}

function renameCategory(column: RawColumn, random: Random): boolean {
  const [known] = valuesOf(column);
  const other = (value: Json) => (typeof value === 'number' ? 98 : `${value}Two`);
  return edit((value) => (value === known ? other(value) : value))(column, random);
}

function swapCase(value: string): string {
  return value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
}

/** UTF-8 read as Latin-1; texts of ASCII letters get one that is not. */
function mojibake(value: string): string {
  const strange = /[^\p{ASCII}]/u.test(value) ? value : `${value}é`;
  return Buffer.from(strange, 'utf8').toString('latin1');
}

/** As many letters as a text has, the same for the same text, in a script that no language of it has: Hangul for what is not Hangul, and Latin for what is. */
function inWrongScript(value: string): string {
  const [first, count] = /\p{Script=Hangul}/u.test(value) ? [0x61, 26] : [0xac00, 11_000];
  let seed = 7;
  const letters = [...value].slice(0, 8).map((letter) => {
    seed = (seed * 31 + (letter.codePointAt(0) ?? 0)) % 100_003;
    return String.fromCodePoint(first + (seed % count));
  });
  return letters.join('');
}

const shown = { ...all, first: true } as const;
const seen = { ...few, first: true } as const;

const NAMES: readonly Row[] = [
  ['every name a placeholder', shown, edit(text(() => 'Coming Soon'))],
  ['names keys of texts', shown, edit(text((_, at) => `AVATAR_${at}_NAME`))],
  ['names hashes of texts', shown, edit(text((_, at) => String(2_178_816_269 + at * 7919)))],
  ['names decoded wrongly', shown, edit(text(mojibake))],
  ['names with replacement characters', shown, edit(text((value) => `${value.slice(1)}\ufffd`))],
  ['names with HTML entities', shown, edit(text((value) => `${value} &amp; &#39;`))],
  ['names with control characters', shown, edit(text((value) => `${value}\u0000`))],
  ['names in another language', { ...all, first: 'language' }, edit(text(inWrongScript))],
  ['names in capitals, cut off', all, edit(text((value) => [...value].slice(0, 2).join('').toUpperCase()))],
  ['names of the next row', all, reorder(rotate)],
  ['names removed', shown, drop()],
  ['names empty', shown, edit(text(() => ''))],
  ['names undefined', shown, edit(text(() => 'undefined'))],
  ['a tenth of the names a placeholder', few, tenth(text(() => 'Coming Soon'))],
  ['a tenth of the names keys', seen, tenth(text((value) => `NAME_${value.length}_KEY`))],
  ['a tenth of the names decoded wrongly', seen, tenth(text(mojibake))],
  [
    'a tenth of the names with replacement characters',
    seen,
    tenth(text((value) => `${value.slice(1)}\ufffd`)),
  ],
  ['a tenth of the names removed', few, drop(0.1)],
  ['one name of question marks', { ...one, first: true }, inOne(() => '???')],
  ['one name of a dummy', { ...one, first: true }, inOne(() => 'dummy_3')],
  ['one name that another has', one, ofTwo(false)],
  ['two names swapped', one, ofTwo(true)],
  [
    'every tenth name that of the one before',
    few,
    reorder((values) => values.map((value, at) => (at % 10 === 9 ? (values[at - 1] as Json) : value))),
  ],
  [
    'a quarter of the names in another language',
    { ...all, first: 'language' },
    some(0.25, (value) => (/\p{Script=Hangul}/u.test(String(value)) ? 'gabriel' : '가브리엘')),
  ],
  ['names templates of texts', shown, edit(() => '<?1>')],
  ['names with markup', shown, edit((value) => `<color=#fff>${value}</color>`)],
  ['a third of the names placeholders', shown, some(0.33, () => 'TBD')],
  [
    'half of the names cut at six letters',
    all,
    some(
      0.5,
      text((value) => value.slice(0, 6)),
    ),
  ],
  ['a tenth of the names with markup', few, tenth(text((value) => `<c4>${value}</c>`))],
  ['a tenth of the names with entities', few, tenth(text((value) => `${value}&#33;`))],
];

/** Gives one cell the value of another one, and perhaps that one its own. */
function ofTwo(isSwapped: boolean): Apply {
  return ({ cells }, random) => {
    const [cell, other] = shuffle(cells, random);
    if (cell === undefined || other === undefined || read(cell) === read(other)) return false;
    const value = read(cell);
    replace(cell, read(other));
    if (isSwapped) replace(other, value);
    return true;
  };
}

const isFolder = ({ definition }: RawTable) => definition.files.includes('*');

/** Removes a share of the rows; rows that are files are not removed here. */
const lose = (share: number) => (table: RawTable, random: Random) => {
  if (isFolder(table) || table.rows.length < 10) return false;
  removeRows(sample(table.rows, share, random));
  return true;
};

/** Gives rows the contents of others, under their own keys and ids. */
const exchange =
  (order: (values: Json[], random: Random) => readonly Json[]) => (table: RawTable, random: Random) => {
    const contents = order(table.rows.map(read), random);
    const ids = table.rows
      .map(read)
      .map((row) =>
        Object.entries(isObject(row) ? row : {}).filter(([name]) => /^(?:id|.*_id|.*Id|.*ID)$/.test(name)),
      );
    for (const [at, row] of table.rows.entries()) {
      const content = contents[at] as Json;
      replace(row, isObject(content) ? { ...content, ...Object.fromEntries(ids[at] ?? []) } : content);
    }
    return true;
  };

/** The next number after those of an id: `1001` gives `701001`, `hutao` gives `hutao9`. */
const another = (id: string) => (/^\d+$/.test(id) ? `7${id}` : `${id}9`);

/** Changes the keys of an object of rows, and the ids in rows. */
function renumber(table: RawTable): boolean {
  const [first] = table.rows;
  if (first === undefined) return false;
  const isKeyed = !isFolder(table) && !Array.isArray(first.holder);
  if (isKeyed) {
    const entries = table.rows.map((row) => [another(row.key), read(row)] as const);
    removeRows(table.rows);
    Object.assign(first.holder, Object.fromEntries(entries));
  }
  const [key = 'id'] = table.definition.key ?? [];
  const rows = table.rows.map(read).filter((row) => isObject(row) && row[key] !== undefined) as JsonObject[];
  for (const row of rows)
    row[key] = typeof row[key] === 'number' ? Number(another(String(row[key]))) : another(String(row[key]));
  return isKeyed || rows.length > 0;
}

const isKey = (key: string) =>
  /(?:id|Id|ID|no|No|sort|order|rarity|rank|type|group|time|Time|date|Date|at|At)$/i.test(key);

/** Gives the numbers of a twentieth of the rows other values; keys, ids and times stay. */
const onNumbers =
  (change: (cell: Cell, next: RawRow | undefined) => Json) =>
  ({ rows }: RawTable, random: Random): boolean => {
    let changed = false;
    for (const row of sample(rows, 0.05, random)) {
      const value = read(row);
      if (!isObject(value)) continue;
      const next = rows[(rows.indexOf(row) + 1) % rows.length];
      const keys = Object.keys(value).filter((key) => typeof value[key] === 'number' && !isKey(key));
      const cells = keys.map((key): Cell => ({ holder: value, key, row: 0 }));
      const values = cells.map((cell) => change(cell, next));
      for (const [at, cell] of cells.entries()) replace(cell, values[at] as Json);
      changed ||= cells.length > 1;
    }
    return changed;
  };

function numberOf(row: RawRow | undefined, cell: Cell): Json {
  const value = row && read(row);
  return isObject(value) && typeof value[cell.key] === 'number' ? (value[cell.key] as Json) : read(cell);
}

/** Exchanges each attribute with one word in its name for the one with the other. */
function exchangeLimits(one: string, other: string): TableMutation['apply'] {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const opposite = (key: string) => key.replace(one, other).replace(capital(one), capital(other));
  return ({ rows }) => {
    let changed = false;
    for (const value of rows.map(read).filter(isObject)) {
      for (const key of Object.keys(value)) {
        const [lower, upper] = [value[key], value[opposite(key)]];
        if (opposite(key) === key || !lower || !upper || typeof lower !== typeof upper) continue;
        [value[key], value[opposite(key)]] = [upper, lower];
        changed = true;
      }
    }
    return changed;
  };
}

/** Adds each row once more at the end. */
function repeat({ rows: [first] }: RawTable): boolean {
  if (!Array.isArray(first?.holder)) return false;
  first.holder.push(...first.holder);
  return true;
}

type TableRow = readonly [
  of: TableMutation['of'],
  name: string,
  kind: Pick<Kind, 'records' | 'first'>,
  apply: TableMutation['apply'],
];

const TABLES: readonly TableRow[] = [
  ['joined', 'a tenth of the joined rows lost', few, lose(0.1)],
  ['joined', 'half of the joined rows lost', shown, lose(0.5)],
  ['joined', 'all joined rows lost', shown, lose(1)],
  ['joined', 'joined rows under wrong keys', shown, renumber],
  ['joined', 'joined to the next row', all, exchange(rotate)],
  ['joined', 'joined rows shuffled', all, exchange(shuffle)],
  ['roster', 'a tenth of the roster lost', few, lose(0.1)],
  ['roster', 'half of the roster lost', all, lose(0.5)],
  ['roster', 'all of the roster lost', shown, lose(1)],
  ['roster', 'other ids', all, renumber],
  ['roster', 'ids of other records', all, exchange(rotate)],
  ['roster', 'numbers of the next row in a twentieth', few, onNumbers((cell, next) => numberOf(next, cell))],
  [
    'roster',
    'numbers of a lower level in a twentieth',
    few,
    onNumbers((cell) => Math.ceil(Number(read(cell)) / 6)),
  ],
  ['roster', 'minimum above maximum', shown, exchangeLimits('min', 'max')],
  ['joined', 'start after end', shown, exchangeLimits('start', 'end')],
  ['joined', 'each row twice', few, repeat],
];

const ofColumns = (of: ColumnMutation['of'], rows: readonly Row[]) =>
  rows.map(([name, kind, apply]): Mutation => ({ name, of, ...kind, apply }));

/** All kinds of mutations. */
export const MUTATIONS: readonly Mutation[] = [
  ...ofColumns('numbers', NUMBERS),
  ...ofColumns('dates', DATES),
  ...ofColumns('categories', CATEGORIES),
  ...ofColumns('names', NAMES),
  ...TABLES.map(([of, name, kind, apply]): Mutation => ({ name, of, ...kind, apply })),
  { name: 'file cut off', of: 'file', ...shown, edit: (content) => content.slice(0, content.length / 2) },
  { name: 'file empty', of: 'file', ...shown, edit: () => '' },
  { name: 'file missing', of: 'file', ...shown, onlyFirst: true, edit: () => undefined },
];
