import type { FoundTable } from '../dump/find-tables.ts';
import { isObject } from '../format/dist-format.ts';
import { chooseStats } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { columnsOf, expressionOf, wordsOf } from './column.ts';

/** The share of the roster's ids that another table must have. */
const MIN_SHARE = 0.5;
const MAX_LISTED_STATS = 6;
/** Ids below this can be equal in two tables by chance. */
const SMALL_ID = 1000;

/** Finds the tables whose rows have the roster's ids or keys. Returns for each a text that shows how to look up a character's row. */
export function findJoins(roster: RosterChoice, tables: readonly FoundTable[]): string[] {
  const { id, table } = roster;
  const rows = 'rows' in table.shape ? table.shape.rows : new Map();
  const keys = table.shape.kind === 'keyed' ? [...rows.keys()] : [];
  const ids = id === 'key' ? keys : id.values.map(String);
  const idExpression = id === 'key' ? '$key' : `$string(${expressionOf(id)})`;
  return tables
    .filter((other) => other !== table)
    .flatMap((other): string[] => {
      const byKey = joinByKey(other, [
        { values: keys, expression: '$key' },
        { values: ids, expression: idExpression },
      ]);
      const join = byKey ?? joinByField(other, roster, ids, idExpression);
      return join === undefined ? [] : [join + describeStats(other)];
    });
}

function joinByKey(
  { name, value, shape }: FoundTable,
  by: { values: string[]; expression: string }[],
): string | undefined {
  if (!isObject(value) || (shape.kind !== 'keyed' && shape.kind !== 'object')) return undefined;
  const known = by.find(
    ({ values }) => !areSmall(values) && share(values, (id) => Object.hasOwn(value, id)) >= MIN_SHARE,
  );
  return known && `${name}: $get($tables.${name}, ${known.expression})`;
}

function joinByField(
  { name, shape }: FoundTable,
  { id, table }: RosterChoice,
  ids: string[],
  expression: string,
): string | undefined {
  if (shape.kind !== 'list') return undefined;
  const columns = columnsOf(shape.rows);
  const ofRoster = wordsOf(id === 'key' ? `${table.name}_id` : `${table.name}_${id.path[0]}`);
  const field = columns.find(({ path, values }) => {
    const words = wordsOf(path[0] as string);
    const named = words.at(-1) === 'id' && words.length > 1 && words.every((word) => ofRoster.includes(word));
    const known = new Set(values.map(String));
    return path.length === 1 && named && share(ids, (value) => known.has(value)) >= MIN_SHARE;
  });
  if (field === undefined) return undefined;
  const quoted = JSON.stringify(field.path[0]);
  if (field.distinct)
    return `${name}: declare it with "key": ${quoted}, then $get($tables.${name}, ${expression})`;
  const rows = [...shape.rows.values()];
  const second = columns.find(({ path, full, distinct }) => {
    const pairs = new Set(rows.map((row) => `${row[field.path[0] as string]}:${row[path[0] as string]}`));
    return path.length === 1 && full && !distinct && path[0] !== field.path[0] && pairs.size === rows.length;
  });
  return second
    ? `${name}: declare it with "key": [${quoted}, ${JSON.stringify(second.path[0])}], then $get($tables.${name}, ${expression} & ':${second.values[0]}')`
    : `${name}: several rows per character, with its id as ${quoted}`;
}

/** Lists the stats of a table. */
function describeStats({ shape }: FoundTable): string {
  if (!('rows' in shape)) return '';
  const stats = chooseStats(columnsOf(shape.rows)).map(({ path }) => path.join('.'));
  return stats.length > 0 ? `; stats: ${stats.slice(0, MAX_LISTED_STATS).join(', ')}` : '';
}

function areSmall(ids: readonly string[]): boolean {
  return ids.every((id) => Number(id) < SMALL_ID);
}

function share(values: readonly string[], holds: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(holds).length / values.length;
}
