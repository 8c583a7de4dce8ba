import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../core/format/dist-format.ts';
import type { RawGameDefinition } from '../../../core/read/definition.ts';
import { parseJson } from '../../../core/read/json.ts';
import { matchPattern } from '../../../core/read/match-pattern.ts';
import type { Dump } from '../dump/list-files.ts';
import { copyFiles } from './write-addition.ts';

/** What is left out of a file. */
export interface RawTrim {
  /** The columns that stay; `a.b` stays inside the object `a`, and `*` stands for all names. Absent: all. */
  columns?: string[];
  /** The rows that stay: those that have one of these values in the column. Absent: all. */
  rows?: Record<string, (string | number | boolean)[]>;
}

/** JSON Schema of what is left out of a file. */
export const trimSchema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  description: '{"columns": [name, …], "rows": {column: [value, …]}}',
  properties: {
    columns: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      description: 'a list of names of columns',
      help: 'The columns that stay; "a.b" stays inside the object "a", and * stands for all names.',
    },
    rows: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { type: 'array', items: { type: ['string', 'number', 'boolean'] }, minItems: 1 },
      description: 'the values of rows that stay, by column',
      help: 'The rows that stay: those that have one of the values in the column.',
    },
  },
};

/** What a game's definition leaves out of files, by a pattern of their paths in the folder of a build. */
export function trimOf({ source }: RawGameDefinition): Record<string, RawTrim> | undefined {
  return (source as { trim?: Record<string, RawTrim> } | undefined)?.trim;
}

/** Returns the function that finds the rule of a file: that of the first pattern that matches. */
export function rulesOf(rules: Readonly<Record<string, RawTrim>>): (file: string) => RawTrim | undefined {
  const matching = Object.entries(rules).map(([pattern, rule]) => [matchPattern(pattern), rule] as const);
  return (file) => matching.find(([matches]) => matches(file))?.[1];
}

/**
 * Copies the files of a dump that a game reads to a folder, without what the game's definition leaves out.
 *
 * @param rules by a pattern of paths in the dump
 * @param isRead whether the game reads a path
 * @returns the dump in its new place; files that the game does not read are only listed
 */
export async function trimDump(
  dump: Dump,
  rules: Readonly<Record<string, RawTrim>>,
  isRead: (file: string) => boolean,
  folder: string,
): Promise<Dump> {
  const ruleOf = rulesOf(rules);
  await mkdir(folder);
  for (const file of dump.files) {
    if (!isRead(file.path)) continue;
    const rule = ruleOf(file.path);
    const text = rule && trimText(await readFile(path.join(dump.folder, file.path), 'utf8'), file.path, rule);
    if (text === undefined) await copyFiles(dump.folder, [file], folder);
    else {
      await mkdir(path.dirname(path.join(folder, file.path)), { recursive: true });
      await writeFile(path.join(folder, file.path), text);
      file.bytes = Buffer.byteLength(text);
    }
  }
  return { ...dump, folder };
}

/** A JSON file without what a rule leaves out; undefined if it is no JSON, which a check reports. What is trimmed already stays as it is. */
export function trimText(text: string, file: string, rule: RawTrim): string | undefined {
  const parsed = parseJson(text, file);
  return 'value' in parsed ? writeRows(trimRows(parsed.value, rule)) : undefined;
}

/** Leaves out rows and columns of a list or an object of rows. */
export function trimRows(value: Json, { columns, rows = {} }: RawTrim): Json {
  const tree = columns && treeOf(columns);
  const stays = (row: Json) =>
    Object.entries(rows).every(([column, values]) => isObject(row) && values.includes(row[column] as string));
  const trim = (row: Json) => (tree === undefined ? row : prune(row, tree));
  if (Array.isArray(value)) return value.filter(stays).map(trim);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, row]) => stays(row));
  return Object.fromEntries(kept.map(([key, row]) => [key, trim(row)]));
}

/** Names of columns as a tree; null stands for all that is below. */
type Tree = Map<string, Tree | null>;

function treeOf(columns: readonly string[]): Tree {
  const tree: Tree = new Map();
  for (const column of columns) {
    const steps = column.split('.');
    let at = tree;
    for (const [index, step] of steps.entries()) {
      const below = at.get(step);
      if (below === null) break;
      const next = index === steps.length - 1 ? null : (below ?? new Map());
      at.set(step, next);
      if (next !== null) at = next;
    }
  }
  return tree;
}

/** What stays by either of two trees; undefined is none. */
function join(one: Tree | null | undefined, other: Tree | null | undefined): Tree | null | undefined {
  if (one === undefined) return other;
  if (other === undefined) return one;
  if (one === null || other === null) return null;
  const both: Tree = new Map(one);
  for (const [name, below] of other) both.set(name, join(both.get(name), below) ?? null);
  return both;
}

function prune(value: Json, tree: Tree): Json {
  if (Array.isArray(value)) {
    // `*` stands for the items of a list too; without it, names are those of the items' members.
    const each = join(tree, tree.get('*')) ?? tree;
    return tree.get('*') === null ? value : value.map((item) => prune(item, each));
  }
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const below = join(tree.get(name), tree.get('*'));
    if (below === undefined) continue;
    if (below === null) kept[name] = member;
    else if (isObject(member) || Array.isArray(member)) kept[name] = prune(member, below);
  }
  return kept;
}

/** Writes a value as JSON with a line for each row, so that the next build differs in few lines. */
export function writeRows(value: Json): string {
  if (Array.isArray(value)) return `[\n${value.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`;
  if (!isObject(value)) return `${JSON.stringify(value)}\n`;
  const rows = Object.entries(value).map(([key, row]) => `${JSON.stringify(key)}:${JSON.stringify(row)}`);
  return `{\n${rows.join(',\n')}\n}\n`;
}
