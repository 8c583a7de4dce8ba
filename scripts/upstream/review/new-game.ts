import path from 'node:path';
import type { Steps } from '../../findings.ts';
import { isObject, type Json } from '../../format/dist-format.ts';
import { readGameFile } from '../../read/game.ts';
import { snakeCase } from '../new/words.ts';
import { sourceOf } from '../source.ts';
import { type TracedRecord, traceRecords } from '../try/trace-records.ts';
import { readBuildTables } from '../try/try-expression.ts';
import { cutShort, printable } from './render-diff.ts';

/** What a worker needs to describe a new game. */
export interface NewGameTask {
  newGame: { data: string; slug: string; upstream?: string };
}

/** What the owner of a project needs to know of a game that it does not have yet, as lines for people. */
export interface NewGame {
  /** Where its data comes from, as it says. */
  source: string[];
  /** What a reader should look at first. */
  doubts: string[];
  /** Some records of each list beside the raw rows that they come from. */
  lists: { title: string; records: string[] }[];
}

/** So many records of each list are compared with their rows, and so many are shown. */
const COMPARED = 5000;
const SHOWN = 10;
const MAX_LINES = 18;
const MAX_VALUE = 40;
const MAX_LEAVES = 2000;
/** An attribute that so many records have from a column is copied: others have values of their own. */
const COPIED = 0.8;

/** Describes the newest build of a game for its review, in a worker: mappings and files come from strangers. */
export async function describeNewGame({ newGame }: NewGameTask, steps: Steps): Promise<NewGame> {
  const { game, tables } = await readBuildTables(newGame, steps, () => {});
  const raw = await readGameFile(path.posix.join(newGame.data, newGame.slug), []);
  const source = raw && sourceOf(raw);
  const { git, archive, npm, files = {}, others = [], licence } = source ?? {};
  const addresses = [git, archive, npm, ...Object.keys(files), ...others.map((each) => each.git)];
  const named = addresses.filter((each) => each !== undefined);
  const traced = await traceRecords(game, tables, COMPARED, steps);
  return {
    source: [
      `source: ${named.join(', ') || 'not stated, ask who contributes it'}`,
      `licence: ${licence ?? 'NOT STATED: ask who contributes it before you approve'}`,
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

/** A plain value and where it is in an object: names with dots; `[]` stands for the elements of a list. */
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

/** A record as lines: each value beside the columns of the raw rows that have it. */
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

/** The columns whose names are most like that of an attribute. */
function nearest(attribute: string, columns: readonly string[]): string[] {
  const isNamed = (column: string) => (lastOf(column) === lastOf(attribute) ? 0 : 1);
  const all = [...new Set(columns)].sort((a, b) => isNamed(a) - isNamed(b) || a.length - b.length);
  return all.slice(0, 2);
}

function lastOf(name: string): string {
  return snakeCase(name.replaceAll('[]', '').split('.').at(-1) ?? '');
}

/**
 * Finds values that do not fit: an attribute that other records copy from a column and that some have from nowhere, and a stat with the values of
 * another column than the one of its name.
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
