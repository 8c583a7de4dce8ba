import path from 'node:path';
import { escapeControls } from '../../check/report.ts';
import { beginEvaluation, evaluate, selectRows, withTextId } from '../../compile/compile-build.ts';
import { compileMappings } from '../../compile/mapping.ts';
import type { StepReporter } from '../../findings.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { readGameFile } from '../../read/game.ts';
import { sourceOf } from '../source.ts';
import { readBuildTables } from '../try/try.ts';
import { cutShort } from './diff.ts';

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

/** A plain value as text, and its path in an object: names with dots; `[]` stands for the elements of a list. */
type Leaf = readonly [path: string, text: string, value: Json];

/** The plain values of a record and of its row. */
interface Compared {
  record: JsonObject;
  place: string;
  leaves: Leaf[];
  /** The columns of the row by their values. */
  columns: ReadonlyMap<string, string[]>;
}

/** Describes the newest build of a game for its review; in a worker, because mappings and files come from strangers. */
export async function describeNewGame({ newGame }: NewGameTask, steps: StepReporter): Promise<NewGame> {
  const { game, tables } = await readBuildTables(newGame, steps);
  const raw = await readGameFile(path.posix.join(newGame.data, newGame.slug), []);
  const { git, npm, archive, files = {}, licence } = (raw && sourceOf(raw)) ?? {};
  const named = [git, npm, archive, ...Object.keys(files)].filter((each) => each !== undefined);
  const mapping = compileMappings(game).value.get(tables.source.definition);
  const run = beginEvaluation(tables, [], steps);
  const [lists, doubts]: [NewGame['lists'], string[]] = [[], []];
  const mapped = [...(mapping?.roster ? [['characters', mapping.roster] as const] : [])];
  for (const [list, rows] of [...mapped, ...(mapping?.datasets ?? [])]) {
    if (!('from' in rows)) continue;
    const { entry, record: more } = rows as typeof rows & { record?: typeof rows.entry };
    const selected = [...selectRows(run, rows)];
    const records = chooseEvenly(selected, COMPARED).map(({ key, row, place, bindings }): Compared => {
      const parts = [entry, more].map((each) => each && evaluate(run, each, row, bindings, place));
      const record = withTextId(Object.assign({}, ...parts.filter((part) => isObject(part))));
      const columns = new Map<string, string[]>();
      for (const [column, text] of [['$key', key] as const, ...leavesOf(row)])
        columns.set(text, [...(columns.get(text) ?? []), column]);
      return { record, place: `${place.file} ${place.pointer}`, leaves: leavesOf(record), columns };
    });
    const title = `${list}, from table ${rows.from}, ${selected.length} rows`;
    if (records.length > 0) lists.push({ title, records: chooseEvenly(records, SHOWN).map(describeRecord) });
    doubts.push(...findDoubts(list, records));
  }
  const origin = named.join(', ') || 'not stated, ask who contributes it';
  const source = [`source: ${origin}`, `licence: ${licence ?? 'NOT STATED'}`];
  return { licence: licence ?? '', source, doubts, lists };
}

function leavesOf(value: Json, at = '', leaves: Leaf[] = []): Leaf[] {
  if (value === null || leaves.length >= MAX_LEAVES) return leaves;
  if (Array.isArray(value)) for (const each of value) leavesOf(each, `${at}[]`, leaves);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value))
      leavesOf(each, at === '' ? name : `${at}.${name}`, leaves);
  else leaves.push([at, String(value).trim(), value]);
  return leaves;
}

/** Renders a record as lines: each value next to the columns of the raw row that have it, those of the same name first. */
function describeRecord({ record, place, leaves, columns }: Compared): string {
  const nameOf = (at: string) => at.split('.').at(-1)?.toLowerCase();
  const lines = leaves
    .filter(([at]) => !at.includes('[]'))
    .slice(0, MAX_LINES)
    .map(([at, text, value]) => {
      const from = [...new Set(columns.get(text) ?? [])];
      const same = from.filter((column) => nameOf(column) === nameOf(at));
      const shown = [...new Set([...same, ...from])].slice(0, 2).join(', ');
      const served = cutShort(JSON.stringify(value), MAX_VALUE);
      return `  ${at.padEnd(24)} ${served} ${shown === '' ? '(not in its row)' : `= ${shown}`}`;
    });
  const title = [record.id, record.name].filter((each) => typeof each === 'string').join(' ');
  return [`${title}: ${place}`, ...lines].map(escapeControls).join('\n');
}

/** Finds the values that no column holds, of attributes that most records copy from a column. */
function findDoubts(list: string, records: readonly Compared[]): string[] {
  const seen = new Map<string, { of: number; alone: string[] }>();
  for (const { record, leaves, columns } of records)
    for (const [attribute, text, value] of leaves) {
      const entry = seen.get(attribute) ?? { of: 0, alone: [] };
      seen.set(attribute, entry);
      entry.of++;
      if (!columns.has(text))
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
