import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../scripts/format/json.ts';
import type { TableDefinition } from '../../scripts/read/definition.ts';
import { parseFile } from '../../scripts/read/files.ts';
import type { ReadOptions } from '../../scripts/read/formats.ts';
import type { BuildSource, GameSource } from '../../scripts/read/game.ts';
import { findBuildFiles } from '../../scripts/read/tables.ts';

/** A raw file as a value, which mutations change in place. */
export interface RawFile {
  file: string;
  reading: ReadOptions;
  content: { root: Json };
}

/** A row and what holds it, so that it can be replaced or removed. */
export interface RawRow {
  holder: JsonObject | Json[];
  key: string;
}

/** A table of the newest build, in its raw files. */
export interface RawTable {
  definition: TableDefinition;
  files: RawFile[];
  /** The rows; of a table in which each file is a row, the roots of the files. */
  rows: RawRow[];
}

/** A place of a value that holds no others. */
export interface Cell {
  holder: JsonObject | Json[];
  key: string;
  /** The position of its row. */
  row: number;
}

/** The values of an attribute in all rows of a raw table. */
export interface RawColumn {
  table: RawTable;
  /** The names of objects on the way; `*` for lists and for objects that are keyed by numbers. */
  path: readonly string[];
  cells: Cell[];
}

/** The tables of the newest build as its files have them. */
export class RawTables {
  readonly #definitions: readonly TableDefinition[];
  /** The files of each pattern. */
  readonly #files: ReadonlyMap<string, readonly string[]>;
  /** The values of files as JSON, by path. */
  readonly #values: ReadonlyMap<string, string>;

  private constructor(
    definitions: readonly TableDefinition[],
    files: ReadonlyMap<string, readonly string[]>,
    values: ReadonlyMap<string, string>,
  ) {
    this.#definitions = definitions;
    this.#files = files;
    this.#values = values;
  }

  /** Reads the files that are in the folder of the newest build. */
  static async read(game: GameSource): Promise<RawTables> {
    const newest = game.builds.at(-1) as BuildSource;
    const files = new Map<string, string[]>();
    for await (const { source, overlays } of findBuildFiles(game)) {
      if (source !== newest) continue;
      for (const [pattern, overlay] of overlays) {
        const own = [...overlay.values()].filter((file) => file.startsWith(`${newest.folder}/`));
        if (own.length > 0) files.set(pattern, own);
      }
    }
    const definitions = newest.definition.tables.filter((definition) => files.has(definition.files));
    const values = new Map<string, string>();
    for (const { files: pattern, reading } of definitions) {
      for (const file of files.get(pattern) ?? []) values.set(file, await readValue(file, reading));
    }
    return new RawTables(definitions, files, values);
  }

  get names(): string[] {
    return this.#definitions.map(({ name }) => name);
  }

  /** The paths of all files of tables. */
  get files(): string[] {
    return [...this.#values.keys()];
  }

  /** A copy of a table, which mutations may change. */
  copy(name: string): RawTable {
    const definition = this.#definitions.find((other) => other.name === name);
    if (definition === undefined) throw new Error(`no table ${name}`);
    const files = (this.#files.get(definition.files) ?? []).map((file) => ({
      file,
      reading: definition.reading,
      content: { root: JSON.parse(this.#values.get(file) ?? 'null') as Json },
    }));
    return { definition, files, rows: rowsOf(definition, files) };
  }
}

async function readValue(file: string, reading: ReadOptions): Promise<string> {
  const outcome = await parseFile(file, reading);
  if (!('value' in outcome)) throw new Error(`${file} cannot be read`);
  return JSON.stringify(outcome.value);
}

function rowsOf({ at, files: pattern }: TableDefinition, files: readonly RawFile[]): RawRow[] {
  if (pattern.includes('*'))
    return files.map(({ content }) => ({ holder: content as JsonObject, key: 'root' }));
  let rows: Json | undefined = files[0]?.content.root;
  for (const step of pointerSteps(at)) rows = (rows as JsonObject | undefined)?.[step];
  if (typeof rows !== 'object' || rows === null) return [];
  return Object.keys(rows).map((key) => ({ holder: rows as JsonObject, key }));
}

/** The value of a row or a cell. */
export function read({ holder, key }: RawRow): Json {
  return (holder as JsonObject)[key] as Json;
}

/** Replaces the value of a row or a cell. */
export function replace({ holder, key }: RawRow, value: Json): void {
  (holder as JsonObject)[key] = value;
}

/** Removes an attribute; an element of a list becomes null. */
export function remove({ holder, key }: RawRow): void {
  if (Array.isArray(holder)) (holder as unknown as JsonObject)[key] = null;
  else delete holder[key];
}

/** Removes rows from their table. */
export function removeRows(rows: readonly RawRow[]): void {
  for (const { holder, key } of rows) if (!Array.isArray(holder)) delete holder[key];
  for (const holder of new Set(rows.map(({ holder }) => holder).filter(Array.isArray))) {
    const gone = new Set(rows.filter((row) => row.holder === holder).map(({ key }) => Number(key)));
    holder.splice(0, holder.length, ...holder.filter((_, position) => !gone.has(position)));
  }
}

/** All columns of a table. */
export function columnsOf(table: RawTable): RawColumn[] {
  const columns = new Map<string, RawColumn>();
  for (const [row, place] of table.rows.entries()) collect(table, columns, place, [], row);
  return [...columns.values()];
}

function collect(
  table: RawTable,
  columns: Map<string, RawColumn>,
  place: RawRow,
  path: readonly string[],
  row: number,
): void {
  const value = read(place);
  if (typeof value !== 'object' || value === null) {
    const name = path.join('\0');
    const column = columns.get(name) ?? { table, path, cells: [] };
    column.cells.push({ ...place, row });
    columns.set(name, column);
    return;
  }
  const keys = Object.keys(value);
  // Rows that are long lists of texts, such as those of a language, are columns themselves.
  const numbered = !isObject(value) || keys.every((key) => /^-?\d+$/.test(key)) || keys.length > 300;
  for (const key of keys) {
    const below = { holder: value as JsonObject, key };
    const language = numbered && path.length === 0 && keys.length > 300 ? [place.key] : path;
    collect(table, columns, below, numbered ? [...language, '*'] : [...path, key], row);
  }
}

/** The last name on the way to a column. */
export function nameOf({ path, table }: RawColumn): string {
  return path.filter((step) => step !== '*').at(-1) ?? table.definition.name;
}

/** Writes a raw file after a mutation. YAML is written as JSON, which is YAML as well. */
export async function writeRawFile({ file, reading, content: { root } }: RawFile): Promise<void> {
  const extension = path.extname(file);
  const rows = root as JsonObject[];
  const text = extension === '.csv' ? renderCsv(rows, reading) : JSON.stringify(root);
  await writeFile(file, text);
}

function renderCsv(rows: readonly JsonObject[], { escapes }: ReadOptions): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: Json | undefined) => {
    if (typeof value !== 'string') return value === undefined || value === null ? '' : String(value);
    const escaped = escapes ? value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n') : value;
    return `"${escaped.replaceAll('"', '""')}"`;
  };
  const lines = rows.map((row) => header.map((name) => cell(row[name])).join(','));
  return `${[header.join(','), ...lines].join('\n')}\n`;
}
