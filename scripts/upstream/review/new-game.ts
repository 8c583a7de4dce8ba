import path from 'node:path';
import { plainEvaluation, selectRows, valuesOf, withTextId } from '../../compile/compile-build.ts';
import type { Expression } from '../../compile/expression.ts';
import { compileMappings, type MappedRows } from '../../compile/mapping.ts';
import { type LookedUp, TracedTables } from '../../compile/traced-tables.ts';
import type { Finding, StepReporter } from '../../findings.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { type GameSource, readGameFile } from '../../read/game.ts';
import type { BuildTables } from '../../read/tables.ts';
import { snakeCase } from '../new/words.ts';
import { sourceOf } from '../source.ts';
import { readBuildTables } from '../try/evaluate.ts';
import { cutShort, printable } from './render-diff.ts';

/** The input of a worker that describes a new game. */
export interface NewGameTask {
  newGame: { data: string; slug: string; upstream?: string };
}

/** What a project's owner needs to know about a new game, as lines for people. */
export interface NewGame {
  /** The origin of its data, according to the game. */
  source: string[];
  /** Empty if none is stated. */
  licence: string;
  /** What a reader should check first. */
  doubts: string[];
  /** Some records of each list, next to the raw rows that they come from. */
  lists: { title: string; records: string[] }[];
}

/** How many records of each list are compared with their rows, and how many are shown. */
const COMPARED = 5000;
const SHOWN = 10;
const MAX_LINES = 18;
const MAX_VALUE = 40;
const MAX_LEAVES = 2000;
/** If this share of records copies an attribute from a column, the others have values of their own. */
const COPIED = 0.8;

/** Describes the newest build of a game for its review; in a worker, because mappings and files come from strangers. */
export async function describeNewGame({ newGame }: NewGameTask, steps: StepReporter): Promise<NewGame> {
  const { game, tables } = await readBuildTables(newGame, steps, () => {});
  const raw = await readGameFile(path.posix.join(newGame.data, newGame.slug), []);
  const source = raw && sourceOf(raw);
  const { git, archive, npm, files = {}, licence } = source ?? {};
  const named = [git, archive, npm, ...Object.keys(files)].filter((each) => each !== undefined);
  const traced = await traceRecords(game, tables, COMPARED, steps);
  return {
    licence: licence ?? '',
    source: [
      `source: ${named.join(', ') || 'not stated, ask who contributes it'}`,
      `licence: ${licence ?? 'NOT STATED'}`,
    ],
    doubts: traced.flatMap(({ list, from, records }) =>
      from === undefined ? [] : findDoubts(list, records),
    ),
    lists: traced.map(({ list, from, count, records }) => {
      const step = Math.max(1, Math.floor(records.length / SHOWN));
      const shown = records.filter((_, at) => at % step === 0).slice(0, SHOWN);
      const title = `${list}, ${from === undefined ? 'served as it is' : `from table ${from}`}, ${count} rows`;
      return { title, records: shown.map(describeRecord) };
    }),
  };
}

/** A plain value and its path in an object: names with dots; `[]` stands for the elements of a list. */
interface Leaf {
  path: string;
  value: string | number | boolean;
}

function leavesOf(value: Json, at = '', leaves: Leaf[] = []): Leaf[] {
  if (value === null || leaves.length >= MAX_LEAVES) return leaves;
  if (Array.isArray(value)) for (const each of value) leavesOf(each, `${at}[]`, leaves);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value))
      leavesOf(each, at === '' ? name : `${at}.${name}`, leaves);
  else leaves.push({ path: at, value });
  return leaves;
}

function leavesOfRows(rows: TracedRecord['rows']): Map<string, string[]> {
  const columns = new Map<string, string[]>();
  for (const { key, value } of rows)
    for (const leaf of [...(key === undefined ? [] : [{ path: '$key', value: key }]), ...leavesOf(value)]) {
      const text = String(leaf.value).trim();
      columns.set(text, [...(columns.get(text) ?? []), leaf.path]);
    }
  return columns;
}

/** Renders a record as lines: each value next to the columns of the raw rows that have it. */
function describeRecord({ record, rows }: TracedRecord): string {
  const columns = leavesOfRows(rows);
  const served = leavesOf(record).filter((leaf) => !leaf.path.includes('[]'));
  const rank = ({ path: name }: Leaf) =>
    name === 'id' || name === 'name' ? 0 : name.startsWith('stats.') ? 1 : 2;
  const shown = served.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_LINES);
  const lines = shown.map(({ path: name, value }) => {
    const from = nearest(name, columns.get(String(value).trim()) ?? []);
    const text = cutShort(JSON.stringify(value), MAX_VALUE);
    return `  ${name.padEnd(24)} ${text} ${from.length > 0 ? `= ${from.join(', ')}` : '(in no column)'}`;
  });
  const title = [record.id, record.name].filter((each) => typeof each === 'string').join(' ');
  return [`${title}: ${rows[0]?.place ?? ''}`, ...lines].map(printable).join('\n');
}

/** Returns the columns whose names are most similar to that of an attribute. */
function nearest(attribute: string, columns: readonly string[]): string[] {
  const isNamed = (column: string) => (lastOf(column) === lastOf(attribute) ? 0 : 1);
  const all = [...new Set(columns)].sort((a, b) => isNamed(a) - isNamed(b) || a.length - b.length);
  return all.slice(0, 2);
}

function lastOf(name: string): string {
  return snakeCase(name.replaceAll('[]', '').split('.').at(-1) ?? '');
}

/**
 * Finds values that do not fit: an attribute that most records copy from a column and some have from nowhere, and a stat whose values are those of a
 * column for another stat.
 */
function findDoubts(list: string, records: readonly TracedRecord[]): string[] {
  const seen = new Map<string, { of: number; alone: string[]; columns: Set<string> | undefined }>();
  const names = new Set<string>();
  for (const { record, rows } of records) {
    const columns = leavesOfRows(rows);
    for (const each of columns.values()) for (const name of each) names.add(name);
    for (const { path: attribute, value } of leavesOf(record)) {
      const from = columns.get(String(value).trim()) ?? [];
      const entry = seen.get(attribute) ?? { of: 0, alone: [], columns: undefined };
      seen.set(attribute, entry);
      entry.of++;
      if (from.length === 0)
        entry.alone.push(`${String(record.id ?? '')} ${cutShort(JSON.stringify(value), MAX_VALUE)}`);
      else entry.columns = new Set(entry.columns ? from.filter((each) => entry.columns?.has(each)) : from);
    }
  }
  return [...seen].flatMap(([attribute, { of, alone, columns }]) => {
    const isCopied = alone.length > 0 && alone.length <= of * (1 - COPIED);
    const own = [...names].find((name) => lastOf(name) === lastOf(attribute));
    const [other] = nearest(attribute, [...(columns ?? [])]);
    const isOther = alone.length === 0 && own !== undefined && other !== undefined && !columns?.has(own);
    return [
      ...(isCopied
        ? [
            `${list}.${attribute}: ${alone.length} of ${of} records have a value that no column holds: ${alone.slice(0, 3).join(', ')}`,
          ]
        : []),
      ...(isOther
        ? [`${list}.${attribute} has the values of the column ${other}, and not those of ${own}`]
        : []),
    ];
  });
}

/** An upstream row, or the part of one that a record was made from. */
interface RawRow {
  /** Its file and JSON Pointer, or its table and key. */
  place: string;
  /** Its key in its table, if it is the record's own row. */
  key?: string;
  value: Json;
}

/** A record, with the rows that it was made from: its own first, then those that expressions looked up. */
interface TracedRecord {
  record: JsonObject;
  rows: RawRow[];
}

/** Some records of a collection. */
interface TracedCollection {
  /** `characters` or the key of a dataset. */
  list: string;
  /** The table of its rows; undefined for a file that is served unchanged. */
  from: string | undefined;
  /** How many rows the mapping keeps. */
  count: number;
  records: TracedRecord[];
}

/** At most this many looked-up rows of a record are shown. */
const MAX_LOOKED_UP = 6;

/**
 * Compiles some evenly chosen records of each collection again, and records which rows of the tables they were made from.
 *
 * @param count how many records of each collection
 */
async function traceRecords(
  game: GameSource,
  tables: BuildTables,
  count: number,
  steps: StepReporter,
): Promise<TracedCollection[]> {
  const mappings = compileMappings(game).value;
  const mapping = mappings.get(tables.source.definition);
  const collections: TracedCollection[] = [];
  if (mapping?.roster) collections.push(await traceRows('characters', mapping.roster, tables, count, steps));
  for (const [key, rows] of mapping?.datasets ?? [])
    if ('from' in rows) collections.push(await traceRows(key, rows, tables, count, steps));
  for (const [list, { value, place }] of tables.served) {
    const rows = Array.isArray(value) ? value.filter(isObject) : [];
    const records = chooseEvenly(rows, count).map((record) => ({
      record,
      rows: [{ place: place.file, value: record }],
    }));
    collections.push({ list, from: undefined, count: rows.length, records });
  }
  return collections.filter(({ records }) => records.length > 0);
}

async function traceRows(
  list: string,
  rows: MappedRows & { record?: Expression },
  tables: BuildTables,
  count: number,
  steps: StepReporter,
): Promise<TracedCollection> {
  const traced = new TracedTables(valuesOf(tables));
  const evaluation = plainEvaluation(tables, steps, traced.values);
  const findings: Finding[] = [];
  const selected = [];
  for await (const row of selectRows(rows, tables, findings, evaluation)) selected.push(row);
  const records: TracedRecord[] = [];
  for (const { key, row, place, bindings } of chooseEvenly(selected, count)) {
    const looked: LookedUp[] = [];
    const made = (expression: Expression | undefined) => {
      if (expression === undefined) return {};
      expression.prepare({ tables: traced.values });
      traced.begin(expression);
      const value = evaluation.evaluate(expression, row, bindings, place, findings);
      looked.push(...traced.lookedUp);
      return isObject(value) ? value : {};
    };
    const record = withTextId({ ...made(rows.entry), ...made(rows.record) });
    const rawRow = { place: `${place.file} ${place.pointer}`, key, value: row };
    records.push({ record, rows: [rawRow, ...describeLookedUp(looked, row)] });
  }
  return { list, from: rows.from, count: selected.length, records };
}

/** The rows that expressions looked up, by table and key. */
function describeLookedUp(looked: readonly LookedUp[], row: Json): RawRow[] {
  const rows = new Map<string, { place: string; value: Json }>();
  for (const { table, part, key, value } of looked) {
    if (value === undefined || value === row) continue;
    const place = `${table} ${part ?? key}`;
    const known = rows.get(place)?.value ?? {};
    rows.set(place, {
      place,
      value: part === undefined ? value : { ...(isObject(known) && known), [key]: value },
    });
  }
  return [...rows.values()].slice(0, MAX_LOOKED_UP);
}

/** Chooses elements at equal distances. */
function chooseEvenly<T>(all: readonly T[], count: number): T[] {
  if (all.length <= count) return [...all];
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as T);
}
