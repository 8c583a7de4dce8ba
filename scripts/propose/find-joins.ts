import type { FoundTable } from '../dump/find-tables.ts';
import { isObject } from '../format/dist-format.ts';
import { chooseStats } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { columnsOf, expressionOf, wordsOf } from './column.ts';

/** The part of the ids that another table must know. */
const MOST = 0.5;
const SHOWN = 6;
/** Below, the ids of two tables are the same by chance. */
const SMALL = 1000;

/** Tells of every other table whose rows carry the roster's ids or keys how a character's row is looked up in it, as a sentence. */
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
    ({ values }) => !areSmall(values) && share(values, (id) => Object.hasOwn(value, id)) >= MOST,
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
    return path.length === 1 && named && share(ids, (value) => known.has(value)) >= MOST;
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
    : `${name}: several rows a character, whose ${quoted} is its id`;
}

/** The stats that a table has for the roster. */
function describeStats({ shape }: FoundTable): string {
  if (!('rows' in shape)) return '';
  const stats = chooseStats(columnsOf(shape.rows)).map(({ path }) => path.join('.'));
  return stats.length > 0 ? `; stats: ${stats.slice(0, SHOWN).join(', ')}` : '';
}

function areSmall(ids: readonly string[]): boolean {
  return ids.every((id) => Number(id) < SMALL);
}

function share(values: readonly string[], holds: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(holds).length / values.length;
}
