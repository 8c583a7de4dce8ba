import type { FoundTable } from '../dump/find-tables.ts';
import { chooseId } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { type Column, columnsOfTable, expressionOf, snakeCase, wordsOf } from './column.ts';
import { findMarkup } from './find-markup.ts';
import { findNames } from './names.ts';
import type { TextSources } from './text-sources.ts';

/** The name of what a row refers to by an id, such as the singer of a card. */
export interface ReferredName {
  /** The attribute: `character` of a column `characterId`. */
  name: string;
  expression: string;
  /** What the table has to be keyed by, unless it is keyed already. */
  key: [table: string, key: string] | undefined;
}

const MAX_NAMES = 4;
/** The share of a column's values that must be ids of the table. */
const MIN_SHARE = 0.9;

/** Finds the names of what the rows of the roster refer to: by columns that are named after another table and have its ids. */
export function findReferredNames(
  roster: RosterChoice,
  tables: readonly FoundTable[],
  sources: TextSources,
): ReferredName[] {
  const columns = roster.columns.filter(
    (column) => column !== roster.id && column.level === 1 && !column.list && isReference(column),
  );
  return columns
    .flatMap((column) => {
      const named = tables.filter((table) => table !== roster.table && isCalled(table, column));
      return named.flatMap((table) => nameIn(table, column, sources, tables) ?? []).slice(0, 1);
    })
    .slice(0, MAX_NAMES);
}

function isReference({ path, kind, values }: Column): boolean {
  const words = wordsOf(path[0] ?? '');
  return (
    (kind === 'text' || kind === 'number') &&
    words.length > 1 &&
    words.at(-1) === 'id' &&
    new Set(values).size > 1
  );
}

/** Whether a table has the name of a column without `id`: `Character`, or `m_characters`. */
export function isCalled({ name, member }: FoundTable, { path }: Column): boolean {
  const wanted = wordsOf(path[0] ?? '')
    .slice(0, -1)
    .join('');
  const words = wordsOf(name);
  const ends = words.map((_, at) => words.slice(at).join(''));
  return member === undefined && ends.some((end) => end === wanted || end === `${wanted}s`);
}

function nameIn(
  table: FoundTable,
  column: Column,
  sources: TextSources,
  tables: readonly FoundTable[],
): ReferredName | undefined {
  if (!('rows' in table.shape)) return undefined;
  const id = chooseId(table, columnsOfTable(table));
  const names = id && findNames(table, id, sources, tables);
  if (id === undefined || names?.kind !== 'text' || names.keys.length > 0) return undefined;
  if (id !== 'key' && table.shape.kind === 'keyed') return undefined;
  const ids = new Set(id === 'key' ? table.shape.rows.keys() : id.values.map(String));
  const known = column.values.filter((value) => ids.has(String(value)));
  if (known.length < column.values.length * MIN_SHARE) return undefined;
  const key = `${expressionOf(column)}${column.blanks ? "[$ != null and $ != '']" : ''}`;
  const row = `$get($tables.${table.name}, ${key})`;
  const own = expressionOf(names.column);
  // A text that is looked up itself needs more than its row.
  if (names.expression !== own) return undefined;
  return {
    name: snakeCase((column.path[0] ?? '').replace(/_?id$/i, '')),
    expression: findMarkup(names.values).strip(`${row}.${own}`),
    key: id === 'key' ? undefined : [table.name, id.path[0] ?? ''],
  };
}
