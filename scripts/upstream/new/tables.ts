import path from 'node:path';
import { isObject, type Json, type JsonObject, REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { countOf } from '../../text.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';
import { stemOf } from '../../read/files.ts';
import type { DumpFileValue, DumpValues } from './read-dump.ts';
import { byPreference, languageOf } from './words.ts';

/** Rows by key: property names, file stems, or positions in a list. */
export type Rows = ReadonlyMap<string, JsonObject>;

/** A table of a dump. A table without rows is any other value, such as texts by key. */
export interface Table {
  /** A unique name for game.json; that of a region ends in it. */
  name: string;
  /** A path in the dump, or in the folder of its region; or a glob. */
  files: string;
  fileCount: number;
  /** JSON Pointer to the table in the file. */
  at: string;
  options: DumpFileValue['options'];
  /** The field that keys the rows of several files. */
  key: string | undefined;
  kind: 'list' | 'keyed' | 'object' | 'other';
  rows: Rows;
  value: Json;
  /** The folders are regions by language: the one of this table, and its name without it. */
  region?: { language: string; of: string };
}

/** The folders of languages in a dump, the one whose texts are proposed first. */
export type Regions = Map<string, string>;

const MIN_SHARE = 0.8;
/** In a folder with fewer similar files each is a table; more files of one kind are one table. */
const MIN_RECORD_FILES = 3;
const MAX_FILE_TABLES = 20;
const MAX_TABLES_PER_FILE = 40;
const SEEN_ROWS = 20;
const MAX_DEPTH = 3;

/** Finds the tables of a dump, and the folders that differ only in their language. */
export function findTables({ values }: Pick<DumpValues, 'values'>): { tables: Table[]; regions: Regions } {
  const regions = findRegions([...values.keys()]);
  const groups = new Map<string, string[]>();
  for (const file of values.keys()) {
    // Without a table, the dataset is served unchanged.
    if (isRequiredDataset(file)) continue;
    const extension = path.posix.basename(file).slice(stemOf(file).length);
    const folder = path.posix.dirname(file);
    const stems = folder === '.' ? `!(${REQUIRED_DATASETS.join('|')})` : '*';
    const pattern = path.posix.join(folder, stems + extension);
    groups.set(pattern, [...(groups.get(pattern) ?? []), file]);
  }
  const found = [...groups].flatMap(([pattern, files]) => tablesOfFolder(pattern, files, values));
  return { tables: giveNames(found.map((table) => inRegion(table, regions))), regions };
}

type UnnamedTable = Omit<Table, 'name'>;

function tablesOfFolder(
  pattern: string,
  files: readonly string[],
  values: DumpValues['values'],
): UnnamedTable[] {
  const contentOf = (file: string) => values.get(file)?.value ?? null;
  const options = files.map((file) => values.get(file)?.options ?? {});
  const first = options.find((each) => Object.keys(each).length > 0) ?? {};
  const make = (of: string, count: number, value: Json, key?: string): UnnamedTable => ({
    ...{ files: of, fileCount: count, at: '', options: first, key },
    ...shapeOf(value),
  });
  const records = Object.fromEntries(files.map((file) => [stemOf(file), contentOf(file)]));
  const whole = make(pattern, files.length, records);
  const areRecords = files.length >= MIN_RECORD_FILES && whole.rows.size === files.length;
  if (areRecords && whole.kind === 'keyed' && sharePlainField(whole.rows)) return [whole];
  const same = sameLists(pattern, files, contentOf);
  const merged = same.map(({ pattern: of, files: parts, key }) => {
    const rows = parts.flatMap((file) => contentOf(file) as JsonObject[]);
    return make(of, parts.length, Object.fromEntries(rows.map((row) => [String(row[key]), row])), key);
  });
  if (merged.length === 0 && files.length > MAX_FILE_TABLES && areAlike(files.map(contentOf))) return [whole];
  const taken = new Set(same.flatMap((each) => each.files));
  return [
    ...merged,
    ...files.filter((file) => !taken.has(file)).flatMap((file) => tablesOfFile(file, values.get(file))),
  ];
}

/** The tables that a file wraps, or else the whole file. */
function tablesOfFile(file: string, read: DumpFileValue | undefined): UnnamedTable[] {
  const { value, options } = read ?? { value: null, options: {} };
  const whole = { files: file, fileCount: 1, at: '', options, key: undefined, ...shapeOf(value) };
  const wrapped = whole.kind === 'object' ? wrappedIn(value).slice(0, MAX_TABLES_PER_FILE) : [];
  // Many members of the same rows, such as the goods of each shop, are one value, unless they are languages.
  const areGroups =
    wrapped.length >= 8 &&
    !wrapped.some(({ at }) => languageOf(pointerSteps(at).at(-1) ?? '')) &&
    haveSameFields(wrapped.map(({ rows }) => [...rows.values()]));
  return wrapped.length > 0 && !areGroups ? wrapped.map((table) => ({ ...whole, ...table })) : [whole];
}

/** The tables inside an object. */
export function wrappedIn(value: Json, at = '', depth = 1): (Pick<Table, 'at'> & Shape)[] {
  // An object with a plain value is one record; what is in it belongs to it.
  const isRecord =
    isObject(value) && Object.values(value).some((of) => of !== null && typeof of !== 'object');
  if (!isObject(value) || depth > MAX_DEPTH || (depth > 1 && isRecord)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const shape = shapeOf(inner);
    const pointer = pointerTo(at, name);
    return shape.rows.size > 0 ? [{ at: pointer, ...shape }] : wrappedIn(inner, pointer, depth + 1);
  });
}

type Shape = Pick<Table, 'kind' | 'rows' | 'value'>;
const NO_ROWS: Rows = new Map();

/** The shape of a value: rows are objects with fields in common. */
export function shapeOf(value: Json): Shape {
  if (typeof value !== 'object' || value === null) return { kind: 'other', rows: NO_ROWS, value };
  const entries = Object.entries<Json>(value);
  const rows = new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])));
  const most = Math.max(0, ...countFields(rows.values()).values());
  const areRows = rows.size > 0 && rows.size >= entries.length * MIN_SHARE && most >= rows.size * MIN_SHARE;
  if (Array.isArray(value))
    return areRows ? { kind: 'list', rows, value } : { kind: 'other', rows: NO_ROWS, value };
  const isKeyed = areRows && entries.length > 1 && (entries.length >= 10 || sharePlainField(rows));
  return isKeyed ? { kind: 'keyed', rows, value } : { kind: 'object', rows: NO_ROWS, value };
}

function countFields(rows: Iterable<JsonObject>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) for (const name of Object.keys(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function sharePlainField(rows: Rows): boolean {
  const counts = new Map<string, number>();
  for (const row of rows.values())
    for (const [name, value] of Object.entries(row))
      if (typeof value !== 'object') counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts.values()].some((count) => count >= rows.size * MIN_SHARE);
}

/** Files of a folder whose lists are parts of one table: all of them, or those whose names differ in a number. */
function sameLists(pattern: string, files: readonly string[], contentOf: (file: string) => Json) {
  const lists = files.filter((file) => {
    const value = contentOf(file);
    return Array.isArray(value) && (value.length === 0 || shapeOf(value).kind === 'list');
  });
  const groups = new Map<string, string[]>();
  if (lists.length === files.length && files.length > 2 && !lists.some((file) => languageOf(stemOf(file))))
    groups.set(pattern, lists);
  for (const file of lists) {
    const stem = stemOf(file);
    const start = /^([^*?[\](){}!+@]*[^\d*?[\](){}!+@]?[._-])\d+$/.exec(stem)?.[1];
    if (start === undefined) continue;
    const of = path.posix.join(
      path.posix.dirname(file),
      `${start}*${path.posix.basename(file).slice(stem.length)}`,
    );
    groups.set(of, [...(groups.get(of) ?? []), file]);
  }
  const taken = new Set<string>();
  return [...groups].flatMap(([of, parts]) => {
    const [start = '', end = ''] = of.split('*');
    const isWhole =
      of === pattern ||
      files.every((file) => parts.includes(file) || !(file.startsWith(start) && file.endsWith(end)));
    const rows = parts.map((file) => (contentOf(file) as Json[]).filter(isObject));
    const key =
      parts.length > 1 && isWhole && !parts.some((file) => taken.has(file)) && haveSameFields(rows)
        ? keyOf(rows.flat())
        : undefined;
    if (key === undefined) return [];
    for (const file of parts) taken.add(file);
    return [{ pattern: of, files: parts, key }];
  });
}

function haveSameFields(lists: readonly JsonObject[][]): boolean {
  const sets = lists
    .filter(({ length }) => length > 0)
    .map((rows) => new Set(rows.slice(0, SEEN_ROWS).flatMap(Object.keys)));
  const all = new Set(sets.flatMap((set) => [...set]));
  const shared = [...all].filter((field) => sets.every((set) => set.has(field)));
  return sets.length > 1 && shared.length > 1 && shared.length >= all.size * 0.5;
}

function keyOf(rows: readonly JsonObject[]): string | undefined {
  return Object.keys(rows[0] ?? {})
    .filter(
      (field) => /(^|[^a-z])(id|key|tag|code|name|uid)$/i.test(field) || /[a-z](Id|ID|Key)$/.test(field),
    )
    .find((field) => {
      const keys = rows.map((row) => row[field]);
      const isAble = keys.every((key) => (typeof key === 'string' && key !== '') || Number.isInteger(key));
      return isAble && new Set(keys.map(String)).size === rows.length;
    });
}

/** Whether many files are one record or list of the same fields each. */
function areAlike(values: readonly Json[]): boolean {
  const sets = values.slice(0, SEEN_ROWS).map((value) => new Set(fieldsIn(value)));
  const all = new Set(sets.flatMap((set) => [...set]));
  const shared = [...all].filter((field) => sets.filter((set) => set.has(field)).length >= sets.length * 0.8);
  return shared.length > 0 && shared.length >= all.size * 0.5;
}

function fieldsIn(value: Json): string[] {
  const members = isObject(value) ? Object.values(value) : [];
  // An export such as {"Rows": {…}} is a table of its own: only the fields of its rows say what it is.
  const [only] = members.length === 1 ? members : [];
  const shape = only === undefined ? undefined : shapeOf(only);
  const inside = shape && shape.rows.size > 0 ? [...shape.rows.values()][0] : value;
  const row = Array.isArray(inside) ? inside.find(isObject) : inside;
  return isObject(row) ? Object.keys(row) : [];
}

/** Finds the folders that differ only in a language and hold the same files. */
function findRegions(files: readonly string[]): Regions {
  const families = new Map<string, Map<string, string>[]>();
  const languages = new Map<string, Map<string, string>>();
  for (const file of files) {
    const steps = file.split('/');
    const at = steps.slice(0, -1).findIndex((step) => languageOf(step) !== undefined);
    if (at < 0) continue;
    const [before, step, after] = [
      steps.slice(0, at).join('/'),
      steps[at] ?? '',
      steps.slice(at + 1).join('/'),
    ];
    const inEach = languages.get(`${before}\n${after}`) ?? new Map<string, string>();
    const language = languageOf(step) ?? '';
    if (!inEach.has(language)) inEach.set(language, `${path.posix.join(before, step)}/`);
    if (!languages.has(`${before}\n${after}`))
      families.set(before, [...(families.get(before) ?? []), inEach]);
    languages.set(`${before}\n${after}`, inEach);
  }
  const shared = [...families.values()].map((each) => each.filter(({ size }) => size > 1));
  const most = shared.sort((a, b) => b.length - a.length)[0] ?? [];
  const folders = new Map(most.flatMap((each) => [...each].reverse()).reverse());
  return new Map([...folders].sort(([a], [b]) => byPreference(a, b)));
}

function inRegion(table: UnnamedTable, regions: Regions): UnnamedTable {
  const [language, folder] = [...regions].find(([, each]) => table.files.startsWith(each)) ?? [];
  if (language === undefined || folder === undefined) return table;
  return { ...table, files: table.files.slice(folder.length), region: { language, of: '' } };
}

/** Names tables by stem or folder and by pointer. Tables that would get the same name also get the folders above. */
function giveNames(tables: UnnamedTable[]): Table[] {
  const depths = tables.map(() => 1);
  const nameAt = (index: number) => nameOf(tables[index] as UnnamedTable, depths[index] ?? 1);
  const idOf = (index: number) => `${nameAt(index)} ${tables[index]?.region?.language ?? ''}`;
  const deepest = Math.max(0, ...tables.map(({ files }) => files.split('/').length));
  for (let depth = 2; depth <= deepest; depth++) {
    const counts = new Map<string, number>();
    const ids = tables.map((_, index) => idOf(index));
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    ids.forEach((id, index) => {
      if ((counts.get(id) ?? 0) > 1) depths[index] = depth;
    });
  }
  const used = new Map<string, string>();
  return tables.map((table, index) => {
    const { region } = table;
    // The same file in each region has one name.
    const same = `${table.files} ${table.at} ${region === undefined ? index : ''}`;
    let of = nameAt(index);
    for (let count = 2; (used.get(of) ?? same) !== same; count++) of = `${nameAt(index)}_${count}`;
    used.set(of, same);
    return {
      ...table,
      name: region ? `${of}_${region.language}` : of,
      ...(region && { region: { ...region, of } }),
    };
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

/** Whether a file has the name of a dataset that every game must have. */
export function isRequiredDataset(file: string): boolean {
  return !file.includes('/') && REQUIRED_DATASETS.includes(stemOf(file));
}

/** Describes a table in a line. */
export function describeTable({
  kind,
  rows,
  value,
  fileCount,
  key,
  options,
}: Pick<Table, 'kind' | 'rows' | 'value' | 'fileCount' | 'key' | 'options'>): string {
  const [first = '', row] = [...rows][0] ?? [];
  const records = countOf(rows.size, 'record');
  const what =
    kind === 'list'
      ? `a list of ${records}`
      : kind === 'keyed'
        ? `an object of ${records}, keyed as ${JSON.stringify(first.slice(0, 40))}`
        : value !== null && typeof value === 'object'
          ? `${kind === 'object' ? 'an object' : 'a list'} of ${countOf(Object.keys(value).length, 'value')}`
          : 'one value';
  const fields = Object.keys(row ?? {});
  const types =
    options.comment === undefined ? '' : '; the row of types below the header is left out by "comment"';
  const files = fileCount > 1 ? `${fileCount} files, keyed by ${key ?? 'their stems'}: ` : '';
  return `${files}${what}${fields.length > 0 ? `: ${fields.slice(0, 12).join(', ')}${fields.length > 12 ? `, and ${fields.length - 12} more` : ''}` : ''}${types}`;
}
