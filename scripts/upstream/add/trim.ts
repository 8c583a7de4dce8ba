import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CsvError, parse } from 'csv-parse/sync';
import { Tinypool } from 'tinypool';
import { stringify } from 'yaml';
import { csvText } from '../../bulk/csv.ts';
import { tooLarge } from '../../check/git.ts';
import { isObject, type Json, type JsonObject, ownValue } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { TYPED } from '../../read/csv.ts';
import { parseJson } from '../../read/json.ts';
import { matchPattern } from '../../read/patterns.ts';
import { parseYaml } from '../../read/yaml.ts';
import { CommandError, closePool } from '../../system.ts';
import { groupBy } from '../../text.ts';
import type { RawPart, RawTrim } from '../source.ts';
import type { Dump, PresentFile } from './files.ts';

/*
 * Removes from the files of dumps what no mapping reads, and divides large files. Large files may need much memory and time, so this runs in a
 * process of its own (`runApart`), whose default export is at the end.
 */

/**
 * Reads a JSON, YAML or CSV file, with the cells of CSV as text; undefined for other files, damaged ones, and CSV whose columns do not have distinct
 * names.
 */
export async function readTrimmable(text: string, file: string): Promise<Json | undefined> {
  if (file.endsWith('.csv')) return readCsv(text);
  const parsed = isYaml(file) ? parseYaml(text, file) : file.endsWith('.json') && parseJson(text, file);
  return parsed && 'value' in parsed && parsed.findings.length === 0 ? parsed.value : undefined;
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

function readCsv(text: string): Json | undefined {
  try {
    const [header = [], ...rows]: string[][] = parse(text, { bom: true, skip_empty_lines: true });
    if (new Set(header).size < header.length || header.includes('')) return undefined;
    return rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

/** Writes the rest of a file in its format, JSON with one row per line, so that the next build differs in few lines. */
export function writeTrimmed(value: Json, file: string): string {
  if (!file.endsWith('.csv')) return isYaml(file) ? stringify(value, { lineWidth: 0 }) : writeRows(value);
  const rows = Array.isArray(value) ? value.filter(isObject) : [];
  const header = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => header.map((name) => String(ownValue(row, name) ?? '')));
  return `${[header, ...cells].map((each) => each.map((cell) => cell && csvText(cell)).join() || '""').join('\n')}\n`;
}

function writeRows(value: Json): string {
  if (Array.isArray(value)) return `[\n${value.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`;
  if (!isObject(value)) return `${JSON.stringify(value)}\n`;
  const rows = Object.entries(value).map(([key, row]) => `${JSON.stringify(key)}:${JSON.stringify(row)}`);
  return `{\n${rows.join(',\n')}\n}\n`;
}

/**
 * Returns what trims the files of a build.
 *
 * @param rules by a pattern of paths; the first match counts
 * @param paths of all files, in the folder of the build
 * @param read returns the text of a file
 */
export function createTrimmer(
  rules: Readonly<Record<string, RawTrim>>,
  { paths, read }: { paths: readonly string[]; read(file: string): Promise<string> },
) {
  const compiled = Object.entries(rules).map(([pattern, rule]) => [matchPattern(pattern), rule] as const);
  const values = new Map<string, Promise<Json | undefined>>();
  const ruleOf = (file: string) => compiled.find(([matches]) => matches(file))?.[1];
  /** @param asking the files whose rows depend on this one: two can refer to each other */
  const restOf = (file: string, asking: readonly string[] = []): Promise<Json | undefined> => {
    const trimmed = values.get(file) ?? trim(file, [...asking, file]);
    values.set(file, trimmed);
    return trimmed;
  };
  const trim = async (file: string, asking: readonly string[]): Promise<Json | undefined> => {
    const value = await readTrimmable(await read(file), file);
    const rule = ruleOf(file) ?? {};
    if (value === undefined) return undefined;
    const named: Record<string, Set<string>> = {};
    for (const [column, patterns] of Object.entries(rule.named_in ?? {})) {
      const isNamed = patterns.map((pattern) => matchPattern(pattern));
      const all = paths.filter((each) => isNamed.some((matches) => matches(each)));
      const others = all.filter((each) => !asking.includes(each));
      const rests: (Json | undefined)[] = [];
      for (const other of others) rests.push(await restOf(other, asking));
      // If all of these depend on this file, or one cannot be read, no row is known to be unreferenced.
      if (rests.includes(undefined) || (others.length === 0 && all.length > 0)) continue;
      named[column] = new Set();
      for (const rest of rests) addWords(named[column], rest ?? null);
    }
    return trimRows(value, rule, named);
  };
  return {
    /** Whether a rule applies to a file. */
    trims: (file: string) => ruleOf(file) !== undefined,
    /**
     * Returns the rest of a file; undefined if its format cannot be trimmed, if it is damaged (which a check reports), or if it is CSV and no cell is
     * left.
     */
    restOf: async (file: string) => {
      const rows = await restOf(file);
      // CSV without a row and a column has no header.
      const isTable = Array.isArray(rows) && isObject(rows[0]) && Object.keys(rows[0]).length > 0;
      return isTable || !file.endsWith('.csv') ? rows : undefined;
    },
  };
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

/** Removes rows and columns of a list or an object of rows. */
export function trimRows(
  value: Json,
  { at, columns, rows = {} }: RawTrim,
  named: Readonly<Record<string, Set<string>>> = {},
): Json {
  const paths = columns?.flatMap((column) => [column.split('.'), [column]]);
  const stays = (row: Json, key: string) => {
    // Cells of CSV are text.
    const cell = (column: string) => String(column === KEY ? key : isObject(row) ? row[column] : undefined);
    return (
      Object.entries(rows).every(([column, values]) => values.map(String).includes(cell(column))) &&
      Object.entries(named).every(([column, words]) => words.has(cell(column)))
    );
  };
  const trim = (row: Json) => (paths === undefined ? row : prune(row, paths));
  const trimList = (list: Json) => {
    if (Array.isArray(list)) return list.filter((row) => stays(row, '')).map(trim);
    if (!isObject(list)) return list;
    const entries = Object.entries(list).filter(([key, row]) => stays(row, key));
    return Object.fromEntries(entries.map(([key, row]) => [key, trim(row)]));
  };
  const trimAt = (part: Json, [step, ...rest]: string[]): Json => {
    if (step === undefined) return trimList(part);
    if (!isObject(part)) return part;
    const members = Object.entries(part).filter(([key]) => step === '*' || step === key);
    return Object.fromEntries(members.map(([key, member]) => [key, trimAt(member, rest)]));
  };
  return trimAt(value, at?.split('.') ?? []);
}

/** Keeps the members that paths name, also as a column of CSV with its type; `*` stands for all names, and for the items of a list. */
function prune(value: Json, paths: readonly string[][]): Json {
  const below = (...steps: string[]) =>
    paths.flatMap(([first = '', ...rest]) => (steps.includes(first) ? [rest] : []));
  const isEnd = (path: string[]) => path.length === 0;
  if (paths.some(isEnd)) return value;
  // Without `*`, names are those of the members of a list's items.
  if (Array.isArray(value)) return value.map((item) => prune(item, [...paths, ...below('*')]));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const rest = below(name, name.replace(TYPED, '$1'), '*');
    const isKept = typeof member === 'object' && member !== null ? rest.length > 0 : rest.some(isEnd);
    return isKept ? [[name, prune(member, rest)]] : [];
  });
  return Object.fromEntries(kept);
}

/** Returns the value at a JSON Pointer, in which `*` collects the rows of all members; undefined if there is none. */
export function valueAtPointer(value: Json, pointer: string): Json | undefined {
  return valueBelow(value, pointerSteps(pointer));
}

function valueBelow(value: Json | undefined, [step, ...rest]: string[]): Json | undefined {
  if (step === undefined) return value;
  if (step !== '*') return valueBelow(ownValue(Object(value ?? {}) as JsonObject, step), rest);
  const rows = Object.values<Json>(Object(value)).flatMap((member) => valueBelow(member, rest) ?? []);
  return rows.length > 0 ? rows : undefined;
}

/** Stands for the key of a row as a column. */
const KEY = '$key';
/** The characters that the name of a file may have. */
const STEM = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

/** Divides the value of a large JSON file into files, by path. @throws CommandError if it lacks the part, or a file would have an unusable name */
function splitValue(value: Json, file: string, parts: Readonly<Record<string, RawPart>>): Map<string, Json> {
  const files = new Map<string, Json>();
  for (const [target, { at = '', each }] of Object.entries(parts)) {
    const rows = valueAtPointer(value, at);
    if (rows === undefined)
      throw new CommandError(
        `${file} has nothing at "${at}", which "parts" in "source" names: upstream has another shape now; look at the file, and correct "parts" in game.json`,
      );
    if (each === undefined) {
      files.set(target, rows);
      continue;
    }
    const nameOf = ([key, row]: [string, Json]) => {
      const stem = each === KEY ? key : isObject(row) ? row[each] : undefined;
      if ((typeof stem === 'string' || typeof stem === 'number') && STEM.test(String(stem)))
        return target.replace('*', String(stem));
      throw new CommandError(
        `a row of ${file} has ${JSON.stringify(stem) ?? 'nothing'} as "${each}", which cannot be the name of a file: correct "each" of "parts" in game.json`,
      );
    };
    for (const group of groupBy(Object.entries<Json>(Object(rows)), nameOf)) {
      const all = Array.isArray(rows) ? group.map(([, row]) => row) : Object.fromEntries(group);
      files.set(nameOf(group[0]), each === KEY ? group[0][1] : all);
    }
  }
  return files;
}

/** A dump to trim. */
interface TrimTask {
  dump: Dump;
  rules: Readonly<Record<string, RawTrim>>;
  /** The folder inside the build's folder. */
  into: string;
  /** The paths in the build's folder that the game reads, of the dump's files and the present ones. */
  read: readonly string[];
  /** The files of the build without the dump. */
  present: [string, PresentFile][];
  /** The maximum size of a file. */
  maxBytes: number;
  /** Receives the files. */
  folder: string;
}

/** A large file of a package to divide: its place, and the package and the file in messages. */
interface SplitTask {
  from: string;
  file: string;
  parts: Record<string, RawPart>;
  folder: string;
}

/**
 * Copies the files of a dump that a game reads to a folder, without what the game's definition leaves out. A file with the same values as the present
 * one stays as it is written.
 */
async function trimDump({ dump, rules, into, read, present, maxBytes, folder }: TrimTask): Promise<Dump> {
  const known = new Map(present);
  const targets = new Map(dump.files.map((file) => [path.posix.join(into, file.path), file]));
  const placeOf = (file: { path: string }) => path.join(dump.folder, file.path);
  const readWithin = async (from: string, file: string) => {
    const { size } = await stat(from);
    if (size > maxBytes) throw tooLarge(file, size, maxBytes);
    return await readFile(from, 'utf8');
  };
  const trimmer = createTrimmer(rules, {
    paths: [...new Set(read)],
    read: (target) => {
      const file = targets.get(target);
      return readWithin(file ? placeOf(file) : (known.get(target)?.path ?? ''), target);
    },
  });
  for (const target of new Set(read)) {
    const file = targets.get(target);
    if (file === undefined) continue;
    const full = path.join(folder, file.path);
    await mkdir(path.dirname(full), { recursive: true });
    const value = trimmer.trims(target) ? await trimmer.restOf(target) : undefined;
    if (value === undefined) {
      await writeFile(full, await readFile(placeOf(file)));
      continue;
    }
    const before = known.get(target);
    const old = before && !before.reference ? await readWithin(before.path, target) : undefined;
    const isKept = old !== undefined && isDeepStrictEqual(await readTrimmable(old, target), value);
    const text = isKept ? old : writeTrimmed(value, target);
    await writeFile(full, text);
    file.bytes = Buffer.byteLength(text);
  }
  return { ...dump, folder };
}

async function splitFile({ from, file, parts, folder }: SplitTask): Promise<{ files: string[] }> {
  const parsed = parseJson(await readFile(from, 'utf8'), file);
  if (!('value' in parsed)) throw new CommandError(`${file} is no JSON: ${parsed.finding.found}`);
  const pieces = splitValue(parsed.value, file, parts);
  for (const [target, value] of pieces) {
    await mkdir(path.dirname(path.join(folder, target)), { recursive: true });
    await writeFile(path.join(folder, target), writeRows(value));
  }
  return { files: [...pieces.keys()] };
}

/** Far more than a file within the limits of a source needs. */
const MEBIBYTES = 4096;
const MAX_MINUTES = 10;

/**
 * Trims a dump or divides a file in another process.
 *
 * @param what the start of the message if the process fails: `a.json cannot be divided`
 * @throws CommandError if the files are faulty, or the process needs too much
 */
export async function runApart<T extends TrimTask | SplitTask>(
  task: T,
  what: string,
): Promise<T extends TrimTask ? Dump : { files: string[] }> {
  const pool = new Tinypool({
    runtime: 'child_process',
    minThreads: 0,
    maxThreads: 1,
    filename: import.meta.url,
    execArgv: [...process.execArgv, `--max-old-space-size=${MEBIBYTES}`],
  });
  const limits = `within ${MAX_MINUTES} minutes and ${MEBIBYTES} MiB of memory`;
  const done = await pool
    .run(task, { signal: AbortSignal.timeout(MAX_MINUTES * 60_000) })
    .catch(({ message }) => ({ problem: `${what} ${limits}: ${message}` }))
    .finally(() => closePool(pool));
  if ('problem' in done) throw new CommandError(done.problem);
  return done;
}

/** Runs in the other process. The class of an error is lost between processes, so expected errors are values. */
export default async function work(task: TrimTask | SplitTask): Promise<object> {
  const work = 'dump' in task ? trimDump(task) : splitFile(task);
  return await work.catch((error: unknown) => {
    if (error instanceof CommandError) return { problem: error.message };
    throw error;
  });
}
