import { isObject, type Json } from '../../format/dist-format.ts';
import { mainStatOf } from '../propose/choose-columns.ts';
import { snakeCase } from '../propose/column.ts';
import type { TracedRecord } from '../try/trace-records.ts';

/** A plain value and where it is in an object: names with dots; `[]` stands for the elements of a list. */
interface Leaf {
  path: string;
  value: string | number | boolean;
}

/** Where the values of an attribute come from. */
export interface ValueOrigin {
  attribute: string;
  /** The columns that have the same value in each record, the most alike first; none if the value is made by an expression. */
  columns: string[];
  /** What a reader should look at; undefined for nothing. */
  doubt: string | undefined;
}

/** A record beside the columns that its values are in. */
export interface RecordOrigins {
  title: string;
  place: string;
  values: { attribute: string; value: string; columns: string[] }[];
  /** Columns whose values the record does not have. */
  others: Leaf[];
}

const MAX_LEAVES = 2000;
const MAX_DEPTH = 8;
/** Further columns with the same values are not named. */
const MAX_COLUMNS = 2;

/** Puts the values of a record beside the columns that have them in all records. @param origins as `findOrigins` returns them */
export function findRecordOrigins(
  { record, rows }: TracedRecord,
  origins: readonly ValueOrigin[],
): RecordOrigins {
  const raw = leavesOfRows(rows);
  const served = leavesOf(record);
  const values = served.map(({ path, value }) => ({
    attribute: path,
    value: JSON.stringify(value),
    columns: origins.find(({ attribute }) => attribute === path)?.columns ?? [],
  }));
  const isServed = (leaf: Leaf) => served.some(({ value }) => isSame(value, leaf.value));
  const { id, name } = record;
  const title = [id, name].filter((each) => typeof each === 'string').join(' ');
  return {
    title,
    place: rows[0]?.place ?? '',
    values,
    others: raw.filter((leaf) => leaf.path !== '$key' && !isServed(leaf)),
  };
}

/** Finds where the values of each attribute come from, over some records, and what is doubtful about it. */
export function findOrigins(records: readonly TracedRecord[]): ValueOrigin[] {
  const seen = new Map<string, { columns: Set<string> | undefined; named: number; of: number; as: string }>();
  for (const { record, rows } of records) {
    const raw = leavesOfRows(rows);
    const leaves = leavesOf(rows[0]?.value ?? null).filter((leaf) => !leaf.path.includes('[]'));
    for (const { path, value } of leavesOf(record)) {
      const columns = columnsWith(raw, value);
      const origin = seen.get(path);
      const both = origin?.columns ? columns.filter((each) => origin.columns?.has(each)) : columns;
      // A column with the name of the attribute that has another value.
      const other = leaves.find(
        (leaf) => lastOf(leaf.path) === lastOf(path) && !columns.includes(leaf.path) && isAlike(leaf, value),
      );
      seen.set(path, {
        columns: new Set(both),
        named:
          (origin?.named ?? 0) + (other && columns.every((each) => lastOf(each) !== lastOf(path)) ? 1 : 0),
        of: (origin?.of ?? 0) + 1,
        as: other?.path ?? origin?.as ?? '',
      });
    }
  }
  return [...seen].map(([attribute, { columns, named, of, as }]) => {
    const chosen = nearestColumns(attribute, [...(columns ?? [])]);
    return {
      attribute,
      columns: chosen,
      doubt: findDoubt(attribute, chosen, named > of / 2 ? as : undefined),
    };
  });
}

/** @param namesake a column with the name of the attribute, and with other values */
function findDoubt(attribute: string, columns: readonly string[], namesake: string | undefined) {
  // The elements of a list are not in the order of others.
  if (attribute.includes('[]')) return undefined;
  const stat = mainStatOf(lastOf(attribute));
  const [column] = columns;
  const others = columns.map((each) => mainStatOf(lastOf(each)));
  if (
    column !== undefined &&
    stat !== undefined &&
    others.every((each) => each !== undefined && each !== stat)
  )
    return `${attribute} has the values of the column ${column}`;
  if (column !== undefined && namesake !== undefined)
    return `${attribute} has the values of the column ${column}, and not those of ${namesake}`;
  return undefined;
}

function columnsWith(raw: readonly Leaf[], value: Leaf['value']): string[] {
  return [...new Set(raw.flatMap((leaf) => (isSame(leaf.value, value) ? leaf.path : [])))];
}

/** The columns whose names are most like that of the attribute, then the shortest ones. */
function nearestColumns(attribute: string, columns: readonly string[]): string[] {
  const stat = mainStatOf(lastOf(attribute));
  const rank = (column: string) => {
    const name = lastOf(column);
    if (name === lastOf(attribute)) return 0;
    return stat !== undefined && mainStatOf(name) === stat ? 1 : 2;
  };
  return [...columns]
    .sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
    .slice(0, MAX_COLUMNS);
}

function lastOf(path: string): string {
  return snakeCase(path.replaceAll('[]', '').split('.').at(-1) ?? '');
}

function isSame(one: Leaf['value'], other: Leaf['value']): boolean {
  return one === other || (typeof one !== 'boolean' && String(one).trim() === String(other).trim());
}

function isAlike({ value }: Leaf, other: Leaf['value']): boolean {
  return typeof value === typeof other;
}

function leavesOfRows(rows: TracedRecord['rows']): Leaf[] {
  return rows.flatMap(({ key, value }) => [
    ...(key === undefined ? [] : [{ path: '$key', value: key }]),
    ...leavesOf(value),
  ]);
}

function leavesOf(value: Json): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (at: Json, path: string, depth: number): void => {
    if (depth > MAX_DEPTH || leaves.length >= MAX_LEAVES || at === null) return;
    if (Array.isArray(at)) for (const each of at) visit(each, `${path}[]`, depth + 1);
    else if (isObject(at))
      for (const [name, each] of Object.entries(at))
        visit(each, path === '' ? name : `${path}.${name}`, depth + 1);
    else leaves.push({ path, value: at });
  };
  visit(value, '', 0);
  return leaves;
}
