import { isObject } from '../../format/dist-format.ts';
import type { FoundTable } from '../dump/find-tables.ts';
import { chooseRarity, chooseStats, countMainStats } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { type Column, columnsOfTable, expressionOf, snakeCase, wordsOf } from './column.ts';
import { findStatsInside, type Stat } from './find-stats.ts';

/** A table whose rows are about the characters of the roster. */
export interface Join {
  table: FoundTable;
  /** The JSONata expression of a character's row; undefined if it has several. */
  row: string | undefined;
  /** What the table has to be keyed by. */
  key?: string | string[];
  /** The row that was chosen of the rows of a character, by a number such as a level. */
  level?: { field: string; value: string };
  /** What to do to use it, for people. */
  text: string;
}

/** The share of the roster's ids that another table must have. */
const MIN_SHARE = 0.5;
const MAX_LISTED_STATS = 6;
/** Ids below this can be equal in two tables by chance. */
const SMALL_ID = 1000;

/** Finds the tables whose rows have the roster's ids or keys. */
export function findJoins(roster: RosterChoice, tables: readonly FoundTable[]): Join[] {
  const { id, table } = roster;
  const rows = 'rows' in table.shape ? table.shape.rows : new Map();
  const keys = table.shape.kind === 'keyed' ? [...rows.keys()] : [];
  const ids = id === 'key' ? keys : id.values.map(String);
  const idExpression = id === 'key' ? '$key' : `$string(${expressionOf(id)})`;
  return tables
    .filter((other) => other !== table && other.member === undefined)
    .flatMap((other): Join[] => {
      const byKey = joinByKey(other, [
        { values: keys, expression: '$key' },
        { values: ids, expression: idExpression },
      ]);
      const join = byKey ?? joinByField(other, roster, ids, idExpression) ?? joinByReference(other, roster);
      return join === undefined ? [] : [{ ...join, text: join.text + describeStats(other) }];
    });
}

function joinByKey(table: FoundTable, by: { values: string[]; expression: string }[]): Join | undefined {
  const { name, value, shape } = table;
  if (!isObject(value) || (shape.kind !== 'keyed' && shape.kind !== 'object')) return undefined;
  const keyColumn = by.find(
    ({ values }) => !areSmall(values) && share(values, (id) => Object.hasOwn(value, id)) >= MIN_SHARE,
  );
  if (keyColumn === undefined) return undefined;
  const row = `$get($tables.${name}, ${keyColumn.expression})`;
  return { table, row, text: `${name}: ${row}` };
}

function joinByField(
  table: FoundTable,
  roster: RosterChoice,
  ids: string[],
  expression: string,
): Join | undefined {
  const { shape } = table;
  if (shape.kind !== 'list') return undefined;
  const columns = columnsOfTable(table);
  const { id } = roster;
  const ofRoster = wordsOf(id === 'key' ? `${roster.table.name}_id` : `${roster.table.name}_${id.path[0]}`);
  const field = columns.find(({ path, values }) => {
    const words = wordsOf(path[0] ?? '');
    const named =
      /^(id|uid|uuid|guid)$/.test(words.at(-1) ?? '') &&
      words.length > 1 &&
      words.every((word) => ofRoster.includes(word));
    const keys = new Set(values.map(String));
    return path.length === 1 && named && share(ids, (value) => keys.has(value)) >= MIN_SHARE;
  });
  return field && joinOnField(table, roster, field, expression);
}

/** A table with stats whose id is in a column of the roster: by a column named after the table, such as `PropertyId`, or by a text. */
function joinByReference(table: FoundTable, roster: RosterChoice): Join | undefined {
  if (table.shape.kind !== 'list') return undefined;
  const columns = columnsOfTable(table);
  if (chooseStats(columns).length < 2) return undefined;
  const name = table.name.toLowerCase();
  for (const rosterColumn of roster.columns) {
    if (
      rosterColumn.list ||
      rosterColumn === roster.id ||
      rosterColumn.values.length === 0 ||
      rosterColumn.level > 2
    )
      continue;
    const words = wordsOf(rosterColumn.path.at(-1) ?? '');
    const isId = words.at(-1) === 'id' && words.some((word) => word.length > 3 && name.includes(word));
    if (
      !isId &&
      (rosterColumn.kind !== 'text' || new Set(rosterColumn.values).size < rosterColumn.values.length * 0.9)
    )
      continue;
    const field = columns.find((column) => {
      const last = wordsOf(column.path[0] ?? '').at(-1) ?? '';
      if (column.level !== 1 || column.kind !== rosterColumn.kind || !column.full) return false;
      if (isId ? last !== 'id' : !column.distinct || !/^(name|key|id)$/.test(last)) return false;
      const keys = new Set(column.values.map(String));
      return share(rosterColumn.values.map(String), (value) => keys.has(value)) >= (isId ? 0.9 : MIN_SHARE);
    });
    if (field === undefined) continue;
    const expression =
      rosterColumn.kind === 'text' ? expressionOf(rosterColumn) : `$string(${expressionOf(rosterColumn)})`;
    return joinOnField(table, roster, field, expression);
  }
  return undefined;
}

/** The row of a character in a table that is keyed by a field, and by a second one if characters have several rows. */
export function joinOnField(
  table: FoundTable,
  roster: RosterChoice,
  field: Column,
  expression: string,
): Join | undefined {
  const { name, shape } = table;
  if (!('rows' in shape)) return undefined;
  const columns = columnsOfTable(table);
  const key = field.path[0] ?? '';
  const declare = (of: string) => `${name}: declare it with "key": ${of}, then`;
  if (field.distinct) {
    const row = `$get($tables.${name}, ${expression})`;
    return { table, row, key, text: `${declare(JSON.stringify(key))} ${row}` };
  }
  const second = secondKey(columns, [...shape.rows.values()], key);
  if (second === undefined)
    return { table, row: undefined, text: `${name}: several rows per character, with its id as "${key}"` };
  const other = second.path[0] ?? '';
  const rosterColumn = roster.columns.find(({ path }) => path.length === 1 && path[0] === other);
  const chosen = mostFrequent(second);
  const value = rosterColumn ? `':' & ${expressionOf(rosterColumn)}` : `':${chosen}'`;
  const row = `$get($tables.${name}, ${expression} & ${value})`;
  const declared = `[${JSON.stringify(key)}, ${JSON.stringify(other)}]`;
  const isLevel = rosterColumn === undefined && second.kind === 'number';
  return {
    ...{ table, row, key: [key, other], text: `${declare(declared)} ${row}` },
    ...(isLevel && { level: { field: other, value: chosen } }),
  };
}

/** The column that distinguishes the rows of one character. */
function secondKey(
  columns: readonly Column[],
  rows: readonly Record<string, unknown>[],
  key: string,
): Column | undefined {
  return columns.find(({ path, full, distinct }) => {
    if (path.length > 1 || !full || distinct || path[0] === key) return false;
    return new Set(rows.map((row) => `${row[key]}:${row[path[0] ?? '']}`)).size === rows.length;
  });
}

/** The share of the most frequent value's rows that a higher number must have to be chosen. */
const MIN_ROWS = 0.9;

/** The value of the most rows; of numbers, such as levels, the highest of those that nearly as many rows have; of others, the first. */
function mostFrequent({ values, kind }: Column): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const frequent = [...counts].filter(([, count]) => count >= (kind === 'number' ? most * MIN_ROWS : most));
  const names = frequent.map(([name]) => name);
  return (kind === 'number' ? names.sort((a, b) => Number(b) - Number(a)) : names)[0] ?? '';
}

/** What a joined table adds to the roster: the stats, and the rarity. Expressions begin with `$joined`. */
export interface JoinedStats {
  join: Join;
  stats: Stat[];
  rarity: Column | undefined;
}

/** Chooses the joined table that has most of the usual stats, if any has. */
export function chooseJoinedStats(
  joins: readonly Join[],
  tables: readonly FoundTable[],
): JoinedStats | undefined {
  const candidates = joins.flatMap((join): (JoinedStats & { main: number })[] => {
    const { shape } = join.table;
    if (join.row === undefined || !('rows' in shape)) return [];
    const columns = columnsOfTable(join.table);
    const statColumns = chooseStats(columns).map((column) => ({
      name: snakeCase(column.path.at(-1) ?? ''),
      expression: `$joined.${expressionOf(column)}`,
    }));
    const stats = statColumns.length > 1 ? statColumns : findStatsInside(shape.rows, tables, '$joined');
    const main = countMainStats(stats.map(({ name }) => name));
    return main > 0 ? [{ join, stats, rarity: chooseRarity(columns), main }] : [];
  });
  return candidates.sort((a, b) => b.main - a.main)[0];
}

/** Lists the stats of a table. */
function describeStats(table: FoundTable): string {
  const stats = chooseStats(columnsOfTable(table)).map(({ path }) => path.join('.'));
  return stats.length > 0 ? `; stats: ${stats.slice(0, MAX_LISTED_STATS).join(', ')}` : '';
}

function areSmall(ids: readonly string[]): boolean {
  return ids.every((id) => Number(id) < SMALL_ID);
}

function share(values: readonly string[], holds: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(holds).length / values.length;
}
