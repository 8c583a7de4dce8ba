import path from 'node:path';
import { escapeControls } from '../../check/report.ts';
import { beginEvaluation, evaluate, selectRows, withTextId } from '../../compile/compile-build.ts';
import { compileMappings } from '../../compile/mapping.ts';
import type { Finding, StepReporter } from '../../findings.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { readGameFile } from '../../read/game.ts';
import { snakeCase } from '../new/words.ts';
import { sourceOf } from '../source.ts';
import { readBuildTables } from '../try/evaluate.ts';
import { cutShort } from './render-diff.ts';

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

/** A record, and the columns of its row by their values. */
interface Compared {
  record: JsonObject;
  place: string;
  columns: ReadonlyMap<string, string[]>;
}

/** Describes the newest build of a game for its review; in a worker, because mappings and files come from strangers. */
export async function describeNewGame({ newGame }: NewGameTask, steps: StepReporter): Promise<NewGame> {
  const { game, tables } = await readBuildTables(newGame, steps, () => {});
  const raw = await readGameFile(path.posix.join(newGame.data, newGame.slug), []);
  const { git, npm, files = {}, licence } = (raw && sourceOf(raw)) ?? {};
  const named = [git, npm, ...Object.keys(files)].filter((each) => each !== undefined);
  const mapping = compileMappings(game).value.get(tables.source.definition);
  const findings: Finding[] = [];
  const run = beginEvaluation(tables, findings, steps);
  const [lists, doubts]: [NewGame['lists'], string[]] = [[], []];
  const mapped = [...(mapping?.roster ? [['characters', mapping.roster] as const] : [])];
  for (const [list, rows] of [...mapped, ...(mapping?.datasets ?? [])]) {
    if (!('from' in rows)) continue;
    const { entry, record: more } = rows as typeof rows & { record?: typeof rows.entry };
    const selected = [...selectRows(run, rows)];
    const records = chooseEvenly(selected, COMPARED).map(({ key, row, place, bindings }): Compared => {
      const parts = [entry, more].map((each) => {
        const value = each && evaluate(run, each, row, bindings, place);
        return isObject(value) ? value : {};
      });
      const record = withTextId(Object.assign({}, ...parts));
      return { record, place: `${place.file} ${place.pointer}`, columns: columnsOf(row, key) };
    });
    const title = `${list}, from table ${rows.from}, ${selected.length} rows`;
    if (records.length > 0) lists.push({ title, records: chooseEvenly(records, SHOWN).map(describeRecord) });
    doubts.push(...findDoubts(list, records));
  }
  const origin = named.join(', ') || 'not stated, ask who contributes it';
  const source = [`source: ${origin}`, `licence: ${licence ?? 'NOT STATED'}`];
  return { licence: licence ?? '', source, doubts, lists };
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

function columnsOf(row: Json, key?: string): Map<string, string[]> {
  const columns = new Map<string, string[]>();
  for (const leaf of [...(key === undefined ? [] : [{ path: '$key', value: key }]), ...leavesOf(row)]) {
    const text = String(leaf.value).trim();
    columns.set(text, [...(columns.get(text) ?? []), leaf.path]);
  }
  return columns;
}

/** Renders a record as lines: each value next to the columns of the raw row that have it. */
function describeRecord({ record, place, columns }: Compared): string {
  const served = leavesOf(record).filter((leaf) => !leaf.path.includes('[]'));
  const shown = served.slice(0, MAX_LINES);
  const lines = shown.map(({ path: name, value }) => {
    const from = nearest(name, columns.get(String(value).trim()) ?? []);
    const text = cutShort(JSON.stringify(value), MAX_VALUE);
    return `  ${name.padEnd(24)} ${text} ${from.length > 0 ? `= ${from.join(', ')}` : '(not in its row)'}`;
  });
  const title = [record.id, record.name].filter((each) => typeof each === 'string').join(' ');
  return [`${title}: ${place}`, ...lines].map(escapeControls).join('\n');
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

/** Finds the values that no column holds, of attributes that most records copy from a column. */
function findDoubts(list: string, records: readonly Compared[]): string[] {
  const seen = new Map<string, { of: number; alone: string[] }>();
  for (const { record, columns } of records)
    for (const { path: attribute, value } of leavesOf(record)) {
      const entry = seen.get(attribute) ?? { of: 0, alone: [] };
      seen.set(attribute, entry);
      entry.of++;
      if (!columns.has(String(value).trim()))
        entry.alone.push(`${String(record.id ?? '')} ${cutShort(JSON.stringify(value), MAX_VALUE)}`);
    }
  const odd = [...seen].filter(([, { of, alone }]) => alone.length > 0 && alone.length <= of * (1 - COPIED));
  return odd.map(([attribute, { of, alone }]) => {
    const few = alone.slice(0, 3).join(', ');
    return `${list}.${attribute}: ${alone.length} of ${of} records have a value that no column holds: ${few}`;
  });
}

/** Chooses elements at equal distances. */
function chooseEvenly<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count);
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, count);
}
