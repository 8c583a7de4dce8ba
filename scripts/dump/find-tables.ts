import path from 'node:path';
import type { ColumnType } from '../findings/read-options.ts';
import { isObject, type Json, type JsonObject, REQUIRED_DATASETS } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../lib/json-pointer.ts';
import { stemOf } from '../read/formats.ts';
import type { DumpValues } from './read-values.ts';
import { type Shape, shapeOf, sharePlainField } from './table-shape.ts';

/** A table that a dump has. */
export interface FoundTable {
  /** What `game.json` can call it; no two are the same. */
  name: string;
  /** A path inside the dump; for a file a record a glob. */
  files: string;
  /** How many files. */
  fileCount: number;
  /** JSON Pointer to the table inside the file; `''` the whole. */
  at: string;
  /** The types of columns that have to be declared. */
  columns?: Record<string, ColumnType>;
  value: Json;
  shape: Shape;
}

type Nameless = Omit<FoundTable, 'name'>;

/** Fewer files of one shape in a folder are tables of their own. */
const FEWEST_RECORD_FILES = 3;
/** How deep, and for how many, an object is searched for tables. */
const DEEPEST = 3;
const MOST_IN_A_FILE = 40;

/** Tells which tables the files of a dump make. Pure. */
export function findTables({ values, columns }: Pick<DumpValues, 'values' | 'columns'>): FoundTable[] {
  const groups = new Map<string, string[]>();
  for (const file of values.keys()) {
    // As no table it is in the served form already.
    if (isRequiredDataset(file)) continue;
    const pattern = siblingsOf(file);
    groups.set(pattern, [...(groups.get(pattern) ?? []), file]);
  }
  return giveNames(
    [...groups].flatMap(([pattern, files]): Nameless[] => {
      const records = Object.fromEntries(files.map((file) => [stemOf(file), values.get(file) as Json]));
      if (!areRecords(records))
        return files.flatMap((file) => tablesOfFile(file, values.get(file) as Json, columns.get(file)));
      return [{ files: pattern, fileCount: files.length, at: '', value: records, shape: shapeOf(records) }];
    }),
  );
}

/** Whether a file is by its name a dataset that every game has. */
export function isRequiredDataset(file: string): boolean {
  return !file.includes('/') && REQUIRED_DATASETS.includes(stemOf(file));
}

/** The glob for the files of a file's folder with the same extension; in the top folder without those that every game adds. */
function siblingsOf(file: string): string {
  const extension = path.posix.basename(file).slice(stemOf(file).length);
  const folder = path.posix.dirname(file);
  const stems = folder === '.' ? `!(${REQUIRED_DATASETS.join('|')})` : '*';
  return path.posix.join(folder, `${stems}${extension}`);
}

/** Whether values are a record each, and no tables. */
function areRecords(values: Record<string, Json>): boolean {
  const shape = shapeOf(values);
  if (shape.kind !== 'keyed' || shape.count < FEWEST_RECORD_FILES || shape.rows.size < shape.count)
    return false;
  return sharePlainField(shape.rows);
}

/** The table that a file is, or those that it wraps. */
function tablesOfFile(file: string, value: Json, columns: FoundTable['columns']): Nameless[] {
  const typed = columns && { columns };
  const whole = { files: file, fileCount: 1, at: '', ...typed, value, shape: shapeOf(value) };
  if (whole.shape.kind !== 'object') return [whole];
  const wrapped = findWrapped(value);
  return wrapped.length > 0 ? wrapped.map((table) => ({ ...whole, ...table })) : [whole];
}

/** A table inside an object, and the JSON Pointer to it. */
type Wrapped = Pick<FoundTable, 'at' | 'value' | 'shape'>;

/** The tables that an object wraps, the first ones where there are many. */
export function findWrapped(value: Json): Wrapped[] {
  return wrappedIn(value, '', 1).slice(0, MOST_IN_A_FILE);
}

function wrappedIn(value: Json, at: string, depth: number): Wrapped[] {
  if (!isObject(value) || depth > DEEPEST || (depth > 1 && isRecord(value))) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const shape = shapeOf(inner);
    const pointer = pointerTo(at, name);
    return 'rows' in shape ? [{ at: pointer, value: inner, shape }] : wrappedIn(inner, pointer, depth + 1);
  });
}

/** An object with a text, a number or a boolean is one record, and what else it holds belongs to it. */
function isRecord(value: JsonObject): boolean {
  return Object.values(value).some((inner) => inner !== null && typeof inner !== 'object');
}

/** Names tables by stem or folder and pointer; those that would be called the same get the folders above too. */
function giveNames(tables: Nameless[]): FoundTable[] {
  const depths = tables.map(() => 1);
  const deepest = Math.max(0, ...tables.map(({ files }) => files.split('/').length));
  for (let depth = 2; depth <= deepest; depth++) {
    const names = tables.map((table, index) => nameOf(table, depths[index] as number));
    names.forEach((name, index) => {
      if (names.indexOf(name) !== names.lastIndexOf(name)) depths[index] = depth;
    });
  }
  const taken = new Set<string>();
  return tables.map((table, index) => {
    const base = nameOf(table, depths[index] as number);
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    taken.add(name);
    return { name, ...table };
  });
}

function nameOf({ files, fileCount, at }: Nameless, depth: number): string {
  const folders = files.split('/').slice(0, -1);
  const steps = fileCount > 1 ? (folders.length > 0 ? folders : ['records']) : [...folders, stemOf(files)];
  const name = [...steps.slice(-depth), ...pointerSteps(at)]
    .join('_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(name) ? name : `table_${name}`;
}
