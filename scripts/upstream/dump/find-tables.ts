import path from 'node:path';
import type { ColumnType } from '../../findings/read-options.ts';
import { isObject, type Json, type JsonObject, REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { countOf } from '../../lib/count-of.ts';
import { pointerSteps, pointerTo } from '../../lib/json-pointer.ts';
import { stemOf } from '../../read/formats/formats.ts';
import type { DumpValues } from './read-values.ts';
import { areAlike, findSameLists } from './same-lists.ts';
import { splitUnion } from './split-union.ts';
import { findGroups } from './find-groups.ts';
import {
  describeFields,
  describeShape,
  type Rows,
  type Shape,
  shapeOf,
  sharePlainField,
} from './table-shape.ts';

/** A table of a dump. */
export interface FoundTable {
  /** A unique name for `game.json`. */
  name: string;
  /** A path inside the dump; or a glob, if each file is one record. */
  files: string;
  /** The number of files. */
  fileCount: number;
  /** JSON Pointer to the table inside the file; `''` for the whole file. */
  at: string;
  /** The columns whose types `game.json` has to declare. */
  columns?: Record<string, ColumnType>;
  /** What `game.json` has to declare as the delimiter of key-value text. */
  delimiter?: string;
  /** The field that keys the rows of several files, each of which is a list of rows. */
  key?: string;
  /** The rows inside, if the file is an object of many lists or objects of rows of the same shape. */
  groups?: { kind: 'list' | 'keyed'; rows: Rows };
  /** The rows of another table that have one member. */
  member?: { of: string; path: string[] };
  value: Json;
  shape: Shape;
}

type UnnamedTable = Omit<FoundTable, 'name'>;

/** With fewer similar files in a folder, each file is a table. */
const MIN_RECORD_FILES = 3;
/** The depth to which an object is searched for tables. */
const MAX_DEPTH = 3;
const MAX_TABLES_PER_FILE = 40;
/** More files of one kind in a folder are one table. */
const MAX_FILE_TABLES = 20;

/**
 * Finds the tables in the files of a dump. Pure.
 *
 * @param isApart whether a stem has a meaning, so that files which differ in it are tables of their own
 */
export function findTables(
  {
    values,
    columns,
    delimiters = new Map(),
  }: Pick<DumpValues, 'values' | 'columns'> & Partial<Pick<DumpValues, 'delimiters'>>,
  isApart: (stem: string) => boolean = () => false,
): FoundTable[] {
  const groups = new Map<string, string[]>();
  for (const file of values.keys()) {
    // Without a table, the dataset is served unchanged.
    if (isRequiredDataset(file)) continue;
    const pattern = siblingsOf(file);
    groups.set(pattern, [...(groups.get(pattern) ?? []), file]);
  }
  const tables = giveNames(
    [...groups].flatMap(([pattern, files]): UnnamedTable[] => {
      const records = Object.fromEntries(files.map((file) => [stemOf(file), values.get(file) ?? null]));
      const [delimiter] = files.flatMap((file) => delimiters.get(file) ?? []);
      const typed = files.map((file) => columns.get(file)).find((each) => each !== undefined);
      const options = { ...(typed && { columns: typed }), ...(delimiter && { delimiter }) };
      if (areRecords(records)) {
        const shape = shapeOf(records);
        return [{ files: pattern, fileCount: files.length, at: '', value: records, shape, ...options }];
      }
      const same = findSameLists(pattern, files, values, isApart);
      const merged = same.map((lists): UnnamedTable => {
        const rows = lists.files.flatMap((file) => values.get(file) as JsonObject[]);
        const value = Object.fromEntries(rows.map((row) => [String(row[lists.key]), row]));
        const shape: Shape = { kind: 'keyed', rows: new Map(Object.entries(value)), count: rows.length };
        return {
          files: lists.pattern,
          fileCount: lists.files.length,
          key: lists.key,
          at: '',
          value,
          shape,
          ...options,
        };
      });
      if (merged.length === 0 && files.length > MAX_FILE_TABLES && areAlike(files, values)) {
        const shape = shapeOf(records);
        return [{ files: pattern, fileCount: files.length, at: '', value: records, shape, ...options }];
      }
      const taken = new Set(same.flatMap((lists) => lists.files));
      const others = files.filter((file) => !taken.has(file));
      return [
        ...merged,
        ...others.flatMap((file) =>
          tablesOfFile(file, values.get(file) ?? null, isApart, {
            columns: columns.get(file),
            delimiter: delimiters.get(file),
          }),
        ),
      ];
    }),
  );
  return tables.flatMap((table) => [table, ...membersOf(table, tables)]);
}

/** The rows of each member of a table whose rows are of many kinds, as tables. */
function membersOf(table: FoundTable, tables: readonly FoundTable[]): FoundTable[] {
  if (!('rows' in table.shape)) return [];
  const { kind } = table.shape;
  return splitUnion(table.shape.rows).flatMap(({ path: steps, rows }): FoundTable[] => {
    const name = `${table.name}_${(steps.at(-1) ?? '').replace(/[^A-Za-z0-9]+/g, '_')}`;
    if (tables.some((other) => other.name === name)) return [];
    const shape = { kind, rows, count: rows.size };
    return [{ ...table, name, member: { of: table.name, path: steps }, shape }];
  });
}

/** Describes the rows of a table in words. */
export function describeRows({ shape, groups }: FoundTable): string {
  if (groups === undefined || !('count' in shape)) return describeShape(shape);
  const members = countOf(shape.count, groups.kind === 'list' ? 'list' : 'object');
  return `${members} of ${countOf(groups.rows.size, 'record')} together, by key`;
}

/** Lists the fields of a table's first row for a message; undefined when it has no rows. */
export function describeFieldsOf({ shape, groups }: FoundTable): string | undefined {
  return describeFields(groups ? { ...groups, count: groups.rows.size } : shape);
}

/** Returns whether a file has the name of a dataset that every game must have. */
export function isRequiredDataset(file: string): boolean {
  return !file.includes('/') && REQUIRED_DATASETS.includes(stemOf(file));
}

/** Returns the glob for a file's folder and extension. In the top folder, it excludes the datasets that every game must have. */
function siblingsOf(file: string): string {
  const extension = path.posix.basename(file).slice(stemOf(file).length);
  const folder = path.posix.dirname(file);
  const stems = folder === '.' ? `!(${REQUIRED_DATASETS.join('|')})` : '*';
  return path.posix.join(folder, `${stems}${extension}`);
}

/** Returns whether each value is a record, not a table. */
function areRecords(values: Record<string, Json>): boolean {
  const shape = shapeOf(values);
  if (shape.kind !== 'keyed' || shape.count < MIN_RECORD_FILES || shape.rows.size < shape.count) return false;
  return sharePlainField(shape.rows);
}

/** Returns the tables that a file wraps, or else the whole file as a table. */
function tablesOfFile(
  file: string,
  value: Json,
  isApart: (stem: string) => boolean,
  { columns, delimiter }: { columns: FoundTable['columns']; delimiter: string | undefined },
): UnnamedTable[] {
  const typed = { ...(columns && { columns }), ...(delimiter !== undefined && { delimiter }) };
  const whole = { files: file, fileCount: 1, at: '', ...typed, value, shape: shapeOf(value) };
  if (whole.shape.kind !== 'object') return [whole];
  const groups = findGroups(value, isApart);
  if (groups) return [{ ...whole, groups }];
  const wrapped = findWrapped(value);
  return wrapped.length > 0 ? wrapped.map((table) => ({ ...whole, ...table })) : [whole];
}

/** A table inside an object, and the JSON Pointer to it. */
type Wrapped = Pick<FoundTable, 'at' | 'value' | 'shape'>;

/** Returns the tables inside an object, at most `MAX_TABLES_PER_FILE`. */
export function findWrapped(value: Json): Wrapped[] {
  return wrappedIn(value, '', 1).slice(0, MAX_TABLES_PER_FILE);
}

function wrappedIn(value: Json, at: string, depth: number): Wrapped[] {
  if (!isObject(value) || depth > MAX_DEPTH || (depth > 1 && isRecord(value))) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const shape = shapeOf(inner);
    const pointer = pointerTo(at, name);
    return 'rows' in shape ? [{ at: pointer, value: inner, shape }] : wrappedIn(inner, pointer, depth + 1);
  });
}

/** An object with a string, a number or a boolean is one record; lists and objects in it belong to the record. */
function isRecord(value: JsonObject): boolean {
  return Object.values(value).some((inner) => inner !== null && typeof inner !== 'object');
}

/** Names tables by stem or folder and by pointer. Tables that would get the same name also get the folders above. */
function giveNames(tables: UnnamedTable[]): FoundTable[] {
  const depths = tables.map(() => 1);
  const deepest = Math.max(0, ...tables.map(({ files }) => files.split('/').length));
  for (let depth = 2; depth <= deepest; depth++) {
    const names = tables.map((table, index) => nameOf(table, depths[index] ?? 0));
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    names.forEach((name, index) => {
      if ((counts.get(name) ?? 0) > 1) depths[index] = depth;
    });
  }
  const used = new Set<string>();
  return tables.map((table, index) => {
    const base = nameOf(table, depths[index] ?? 0);
    let name = base;
    for (let count = 2; used.has(name); count++) name = `${base}_${count}`;
    used.add(name);
    return { name, ...table };
  });
}

function nameOf({ files, fileCount, at }: UnnamedTable, depth: number): string {
  const folders = files.split('/').slice(0, -1);
  const isFolder = fileCount > 1 && /^(!\(|\*)/.test(path.posix.basename(files));
  const steps = isFolder ? (folders.length > 0 ? folders : ['records']) : [...folders, stemOf(files)];
  const name = [...steps.slice(-depth), ...pointerSteps(at)]
    .join('_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(name) ? name : `table_${name}`;
}
