import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json } from '../../format/dist-format.ts';
import type { RawGameDefinition } from '../../read/definition.ts';
import { matchPattern } from '../../read/patterns.ts';
import { tooLarge } from '../../check/git.ts';
import type { Dump } from './list-files.ts';
import type { RawLimits } from './limits.ts';
import type { PresentFile } from './present-files.ts';
import { canWrite, isSameValue, readTrimmable, writeTrimmed } from './trim-formats.ts';
import { copyFiles } from './write-addition.ts';

/** What is left out of a file. */
export interface RawTrim {
  /** Where the rows are: names of members with dots between them, `*` for all. Other members are left out. Absent: the file's value. */
  at?: string;
  /** The columns that stay; `a.b` stays inside the object `a`, and `*` stands for all names. Absent: all. */
  columns?: string[];
  /** The rows that stay: those that have one of these values in the column. Absent: all. */
  rows?: Record<string, (string | number | boolean)[]>;
  /** The rows that stay: those whose value in the column, or whose key for `$key`, occurs in one of these files. Absent: all. */
  named_in?: Record<string, string[]>;
}

const names = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', minLength: 1 },
  description: 'a list of names of columns',
};

/** JSON Schema of what is left out of a file. */
export const trimSchema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  description: '{"columns": [name, …], "rows": {column: [value, …]}}',
  properties: {
    at: {
      type: 'string',
      minLength: 1,
      description: 'names of members with dots between them',
      help: 'Where the rows are: "items", or "*" for the members of each member. Other members are left out.',
    },
    columns: {
      ...names,
      help: 'The columns that stay; "a.b" stays inside the object "a", and * stands for all names.',
    },
    rows: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { type: 'array', items: { type: ['string', 'number', 'boolean'] }, minItems: 1 },
      description: 'the values of rows that stay, by column',
      help: 'The rows that stay: those that have one of the values in the column.',
    },
    named_in: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { ...names, description: 'a list of patterns of files' },
      description: 'patterns of files, by column',
      help: 'The rows that stay: those whose value in the column occurs in one of these files, such as texts by "$key".',
    },
  },
};

/** What `source` says about the files of dumps: how much of them is read, and what is left out, by a pattern of their paths in the folder of a build. */
export function fileRulesOf({ source }: RawGameDefinition): FileRules {
  return (source ?? {}) as FileRules;
}

/** The rules of a game about the files of its dumps; see `RawSource`. */
export interface FileRules {
  limits?: RawLimits;
  trim?: Record<string, RawTrim>;
}

/** Files of a build by their paths in its folder. */
export interface TrimFiles {
  paths: readonly string[];
  /** The text of a file. */
  read(file: string): Promise<string>;
}

/** Leaves out of the files of a build what the rules of its game say. */
export class Trimmer {
  readonly #rules: (readonly [matches: (file: string) => boolean, rule: RawTrim])[];
  readonly #values = new Map<string, Promise<Json | undefined>>();
  readonly #files: TrimFiles;

  /** @param rules by a pattern of paths; the first that matches counts */
  constructor(rules: Readonly<Record<string, RawTrim>>, files: TrimFiles) {
    this.#rules = Object.entries(rules).map(([pattern, rule]) => [matchPattern(pattern), rule] as const);
    this.#files = files;
  }

  /** Whether a rule is about a file. */
  trims(file: string): boolean {
    return this.#ruleOf(file) !== undefined;
  }

  /** What stays of a file; undefined if it is of no format that can be trimmed, damaged, which a check reports, or CSV without a cell that stays. */
  valueOf(file: string): Promise<Json | undefined> {
    return this.#valueWithin(file, []);
  }

  /** @param asking the files whose rows depend on this one: two can name each other */
  #valueWithin(file: string, asking: readonly string[]): Promise<Json | undefined> {
    const trimmed = this.#values.get(file) ?? this.#trim(file, [...asking, file]);
    this.#values.set(file, trimmed);
    return trimmed;
  }

  #ruleOf(file: string): RawTrim | undefined {
    return this.#rules.find(([matches]) => matches(file))?.[1];
  }

  async #trim(file: string, asking: readonly string[]): Promise<Json | undefined> {
    const value = await readTrimmable(await this.#files.read(file), file);
    const rule = this.#ruleOf(file) ?? {};
    if (value === undefined) return undefined;
    const named: Record<string, Set<string>> = {};
    for (const [column, patterns] of Object.entries(rule.named_in ?? {})) {
      const words = await this.#wordsOf(patterns, asking);
      if (words !== undefined) named[column] = words;
    }
    const rows = trimRows(value, rule, named);
    return canWrite(rows, file) ? rows : undefined;
  }

  /** The keys and values that occur in other files; undefined if all of these depend on this one, so that no row is known to be unnamed. */
  async #wordsOf(patterns: readonly string[], asking: readonly string[]): Promise<Set<string> | undefined> {
    const words = new Set<string>();
    const isNamed = patterns.map((pattern) => matchPattern(pattern));
    const named = this.#files.paths.filter((file) => isNamed.some((matches) => matches(file)));
    const others = named.filter((file) => !asking.includes(file));
    for (const file of others) addWords(words, (await this.#valueWithin(file, asking)) ?? null);
    return others.length === 0 && named.length > 0 ? undefined : words;
  }
}

function addWords(words: Set<string>, value: Json): void {
  if (Array.isArray(value)) for (const each of value) addWords(words, each);
  else if (!isObject(value)) words.add(String(value));
  else
    for (const [key, member] of Object.entries(value)) {
      words.add(key);
      addWords(words, member);
    }
}

/** A dump that becomes a part of a build. */
interface TrimScope {
  /** The folder in that of the build. */
  into: string;
  /** Whether the game reads a path in the folder of the build. */
  isRead: (file: string) => boolean;
  /** The files that the build has without the dump. */
  present: ReadonlyMap<string, PresentFile>;
  /** A file may have so many bytes. */
  maxBytes: number;
}

/**
 * Copies the files of a dump that a game reads to a folder, without what the game's definition leaves out. What is present with the same values
 * stays as it is, however it is written.
 *
 * @param rules by a pattern of paths in the folder of a build
 * @returns the dump in its new place; files that the game does not read are only listed
 */
export async function trimDump(
  dump: Dump,
  rules: Readonly<Record<string, RawTrim>>,
  { into, isRead, present, maxBytes }: TrimScope,
  folder: string,
): Promise<Dump> {
  const targets = new Map(dump.files.map((file) => [path.posix.join(into, file.path), file]));
  const trimmer = new Trimmer(rules, {
    paths: [...new Set([...targets.keys(), ...present.keys()])].filter(isRead),
    read: (file) => {
      const inDump = targets.get(file);
      return readWithin(
        inDump ? path.join(dump.folder, inDump.path) : present.get(file)?.path,
        file,
        maxBytes,
      );
    },
  });
  await mkdir(folder);
  for (const [target, file] of targets) {
    if (!isRead(target)) continue;
    const value = trimmer.trims(target) ? await trimmer.valueOf(target) : undefined;
    if (value === undefined) {
      await copyFiles(dump.folder, [file], folder);
      continue;
    }
    const presentFile = present.get(target);
    const old =
      presentFile && !presentFile.reference
        ? await readWithin(presentFile.path, target, maxBytes)
        : undefined;
    const isKept = old !== undefined && isSameValue(await readTrimmable(old, target), value);
    const text = isKept ? old : writeTrimmed(value, target);
    await mkdir(path.dirname(path.join(folder, file.path)), { recursive: true });
    await writeFile(path.join(folder, file.path), text);
    file.bytes = Buffer.byteLength(text);
  }
  return { ...dump, folder };
}

/** Reads a file. @param file its path in the folder of the build @throws CommandError if it is too large */
async function readWithin(from = '', file: string, maxBytes: number): Promise<string> {
  const { size } = await stat(from);
  if (size > maxBytes) throw tooLarge(file, size, maxBytes);
  return await readFile(from, 'utf8');
}

/** Leaves out rows and columns of a list or an object of rows. */
export function trimRows(
  value: Json,
  rule: RawTrim,
  named: Readonly<Record<string, Set<string>>> = {},
): Json {
  const { at, columns, rows = {} } = rule;
  const tree = columns && treeOf(columns);
  const stays = (row: Json, key: string) => {
    const cell = (column: string) => (column === '$key' ? key : isObject(row) ? row[column] : undefined);
    return (
      Object.entries(rows).every(([column, values]) => values.some((each) => isCell(each, cell(column)))) &&
      Object.entries(named).every(([column, words]) => words.has(String(cell(column))))
    );
  };
  const trim = (row: Json) => (tree === undefined ? row : prune(row, tree));
  return trimAt(value, at?.split('.') ?? [], (list) => {
    if (Array.isArray(list)) return list.filter((row) => stays(row, '')).map(trim);
    if (!isObject(list)) return list;
    const entries = Object.entries(list).filter(([key, row]) => stays(row, key));
    return Object.fromEntries(entries.map(([key, row]) => [key, trim(row)]));
  });
}

/** Whether a cell has a value of a rule; cells of CSV are text. */
function isCell(value: string | number | boolean, cell: Json | undefined): boolean {
  return value === cell || String(value) === cell;
}

function trimAt(value: Json, [step, ...rest]: string[], trim: (list: Json) => Json): Json {
  if (step === undefined) return trim(value);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => step === '*' || step === key);
  return Object.fromEntries(members.map(([key, member]) => [key, trimAt(member, rest, trim)]));
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
  const members: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const below = join(tree.get(name), tree.get('*'));
    if (below === undefined) continue;
    if (below === null) members.push([name, member]);
    else if (isObject(member) || Array.isArray(member)) members.push([name, prune(member, below)]);
  }
  return Object.fromEntries(members);
}
