import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject, REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';
import { formatOf, isGzip, parseFile, stemOf } from '../../read/files.ts';
import { splitLines } from '../../read/json.ts';
import { matchPattern } from '../../read/patterns.ts';
import { countOf } from '../../text.ts';
import type { Dump } from '../add/files.ts';
import { byPreference, languageOf } from './words.ts';
import type { ColumnType, ReadOptions } from '../../read/game-schema.ts';

/** A file of a dump as it was read, and the options that game.json has to declare for it. */
interface DumpFileValue {
  value: Json;
  options: Pick<ReadOptions, 'columns' | 'delimiter' | 'comment'>;
}

/** What a dump has: its files by path; what was not read or not wholly, for people; and files with an unknown extension. */
interface DumpValues {
  values: Map<string, DumpFileValue>;
  notes: string[];
  others: string[];
}

/** Larger files, and those after so much was read, are left out. In bytes. */
const MAX_FILE = 64e6;
const MAX_TOTAL = 512e6;

/** Reads the files of a dump that have a known extension. */
export async function readDump({ folder, files }: Dump): Promise<DumpValues> {
  const read: DumpValues = { values: new Map(), notes: [], others: [] };
  let total = 0;
  for (const { path: file, bytes } of files) {
    if (file === 'build.json') continue;
    if (formatOf(file) === undefined) {
      read.others.push(file);
      continue;
    }
    const isLarge = bytes > MAX_FILE || total + bytes > MAX_TOTAL;
    total += isLarge ? 0 : bytes;
    const found = isLarge
      ? `${Math.round(bytes / 1e6)} MB are too large: cut a sample of it, and declare the table by hand`
      : matchPattern(file)(file)
        ? await readOne(path.posix.join(folder, file))
        : 'the name is a wildcard pattern; rename the file';
    if (typeof found === 'string') read.notes.push(`not read: ${file}: ${found}`);
    else read.values.set(file, found);
  }
  return read;
}

const TYPE = /^"?(string|int|integer|long|float|double|number|bool|boolean|byte|short)(\[\])?"?$/i;

/** Reads a file. Returns why it cannot be read as a text. */
async function readOne(file: string): Promise<DumpFileValue | string> {
  const isTable = /\.[ct]sv(\.gz)?$/i.test(file) && !isGzip(file);
  const lines = isTable ? splitLines((await readFile(file, 'utf8')).slice(0, 64e3)).slice(0, 200) : [];
  const usual = /\.tsv/i.test(file) ? '\t' : ',';
  // What most lines have as often as the header separates cells.
  const [header = '', second = ''] = lines;
  const delimiter =
    [',', ';', '\t', '|'].find((each) => {
      const cells = header.split(each).length;
      const same = lines.filter((line) => line === '' || line.split(each).length === cells);
      return cells > 1 && same.length >= lines.length * 0.9;
    }) ?? usual;
  // Exports of some games have the types of the columns below the header.
  const types = second.split(delimiter).filter((cell) => cell !== '');
  const isTypes = types.length > 1 && types.every((cell) => TYPE.test(cell)) && !second.startsWith(delimiter);
  const options: DumpFileValue['options'] = {
    ...(delimiter !== usual && { delimiter }),
    ...(isTypes && { comment: `${types[0]}${delimiter}` }),
  };
  let outcome = await parseFile(file, options);
  const odd = 'findings' in outcome ? outcome.findings.filter(({ check }) => check === 'csv-columns') : [];
  if (odd.length > 0) {
    const names = odd.map(({ place }) => pointerSteps(place.pointer).slice(1).join('.'));
    options.columns = Object.fromEntries(names.map((name) => [name, 'number' as ColumnType]));
    outcome = await parseFile(file, options);
  }
  const [fault] = 'finding' in outcome ? [outcome.finding] : outcome.findings;
  const isEmpty = !('value' in outcome) || Object.keys(Object(outcome.value)).length === 0;
  if ('value' in outcome && (fault === undefined || !isEmpty)) return { value: outcome.value, options };
  if (fault === undefined) return 'it is empty';
  return `${fault.found}${fault.place.line === undefined ? '' : ` on line ${fault.place.line}`}`;
}

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
type UnnamedTable = Omit<Table, 'name'>;
type Shape = Pick<Table, 'kind' | 'rows' | 'value'>;

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
    const folder = path.posix.dirname(file);
    const stems = folder === '.' ? `!(${REQUIRED_DATASETS.join('|')})` : '*';
    addTo(
      groups,
      path.posix.join(folder, stems + path.posix.basename(file).slice(stemOf(file).length)),
      file,
    );
  }
  const found = [...groups].flatMap(([pattern, files]) => tablesOfFolder(pattern, files, values));
  return { tables: giveNames(found.map((table) => inRegion(table, regions))), regions };
}

function addTo<T>(groups: Map<string, T[]>, key: string, value: T): void {
  groups.set(key, [...(groups.get(key) ?? []), value]);
}

/** Whether a file has the name of a dataset that every game must have. */
export function isRequiredDataset(file: string): boolean {
  return !file.includes('/') && REQUIRED_DATASETS.includes(stemOf(file));
}

function tablesOfFolder(
  pattern: string,
  files: readonly string[],
  values: DumpValues['values'],
): UnnamedTable[] {
  const contentOf = (file: string) => values.get(file)?.value ?? null;
  const all = files.map((file) => values.get(file)?.options ?? {});
  const options = all.find((each) => Object.keys(each).length > 0) ?? {};
  const make = (of: string, fileCount: number, value: Json, key?: string): UnnamedTable => ({
    ...{ files: of, fileCount, at: '', options, key },
    ...shapeOf(value),
  });
  const whole = make(
    pattern,
    files.length,
    Object.fromEntries(files.map((file) => [stemOf(file), contentOf(file)])),
  );
  const areRecords = files.length >= MIN_RECORD_FILES && whole.rows.size === files.length;
  if (areRecords && whole.kind === 'keyed' && shareField(whole.rows, true)) return [whole];
  const same = sameLists(pattern, files, contentOf);
  const merged = same.map(({ pattern: of, files: parts, key }) => {
    const rows = parts.flatMap((file) => contentOf(file) as JsonObject[]);
    return make(of, parts.length, Object.fromEntries(rows.map((row) => [String(row[key]), row])), key);
  });
  if (merged.length === 0 && files.length > MAX_FILE_TABLES && areAlike(files.map(contentOf))) return [whole];
  const taken = new Set(same.flatMap((each) => each.files));
  const others = files.filter((file) => !taken.has(file));
  return [...merged, ...others.flatMap((file) => tablesOfFile(file, values.get(file)))];
}

/** The tables that a file wraps, or else the whole file. */
function tablesOfFile(file: string, read: DumpFileValue | undefined): UnnamedTable[] {
  const { value, options } = read ?? { value: null, options: {} };
  const whole = { files: file, fileCount: 1, at: '', options, key: undefined, ...shapeOf(value) };
  const wrapped = whole.kind === 'object' ? wrappedIn(value).slice(0, MAX_TABLES_PER_FILE) : [];
  // Many members of the same rows, such as the goods of each shop, are one value, unless they are languages.
  const isOfLanguage = wrapped.some(({ at }) => languageOf(pointerSteps(at).at(-1) ?? ''));
  const areGroups =
    wrapped.length >= 8 && !isOfLanguage && haveSameFields(wrapped.map(({ rows }) => [...rows.values()]));
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

/** The shape of a value: rows are objects with fields in common. */
export function shapeOf(value: Json): Shape {
  const none: Rows = new Map();
  if (typeof value !== 'object' || value === null) return { kind: 'other', rows: none, value };
  const entries = Object.entries<Json>(value);
  const rows = new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])));
  const areRows = rows.size > 0 && rows.size >= entries.length * MIN_SHARE && shareField(rows);
  if (Array.isArray(value))
    return areRows ? { kind: 'list', rows, value } : { kind: 'other', rows: none, value };
  const isKeyed = areRows && entries.length > 1 && (entries.length >= 10 || shareField(rows, true));
  return isKeyed ? { kind: 'keyed', rows, value } : { kind: 'object', rows: none, value };
}

/** Whether most rows have one field, with a plain value if that is asked. */
function shareField(rows: Rows, isPlain = false): boolean {
  const counts = new Map<string, number>();
  for (const row of rows.values())
    for (const [name, value] of Object.entries(row))
      if (!isPlain || typeof value !== 'object') counts.set(name, (counts.get(name) ?? 0) + 1);
  return Math.max(0, ...counts.values()) >= rows.size * MIN_SHARE;
}

/** Files of a folder whose lists are parts of one table: all of them, or those whose names differ in a number. */
function sameLists(pattern: string, files: readonly string[], contentOf: (file: string) => Json) {
  const lists = files.filter((file) => {
    const value = contentOf(file);
    return Array.isArray(value) && (value.length === 0 || shapeOf(value).kind === 'list');
  });
  const groups = new Map<string, string[]>();
  const isAll = lists.length === files.length && files.length > 2;
  if (isAll && !lists.some((file) => languageOf(stemOf(file)))) groups.set(pattern, lists);
  for (const file of lists) {
    const stem = stemOf(file);
    const start = /^([^*?[\](){}!+@]*[^\d*?[\](){}!+@]?[._-])\d+$/.exec(stem)?.[1];
    const end = path.posix.basename(file).slice(stem.length);
    if (start !== undefined)
      addTo(groups, path.posix.join(path.posix.dirname(file), `${start}*${end}`), file);
  }
  const taken = new Set<string>();
  return [...groups].flatMap(([of, parts]) => {
    const [start = '', end = ''] = of.split('*');
    const isPart = (file: string) => parts.includes(file) || !(file.startsWith(start) && file.endsWith(end));
    const rows = parts.map((file) => (contentOf(file) as Json[]).filter(isObject));
    const isOne =
      parts.length > 1 && (of === pattern || files.every(isPart)) && !parts.some((file) => taken.has(file));
    const key = isOne && haveSameFields(rows) ? keyOf(rows.flat()) : undefined;
    if (key === undefined) return [];
    for (const file of parts) taken.add(file);
    return [{ pattern: of, files: parts, key }];
  });
}

function haveSameFields(lists: readonly JsonObject[][]): boolean {
  const filled = lists.filter(({ length }) => length > 0);
  const sets = filled.map((rows) => new Set(rows.slice(0, SEEN_ROWS).flatMap(Object.keys)));
  const all = new Set(sets.flatMap((set) => [...set]));
  const shared = [...all].filter((field) => sets.every((set) => set.has(field)));
  return sets.length > 1 && shared.length > 1 && shared.length >= all.size * 0.5;
}

function keyOf(rows: readonly JsonObject[]): string | undefined {
  const isCalled = (field: string) =>
    /(^|[^a-z])(id|key|tag|code|name|uid)$/i.test(field) || /[a-z](Id|ID|Key)$/.test(field);
  return Object.keys(rows[0] ?? {})
    .filter(isCalled)
    .find((field) => {
      const keys = rows.map((row) => row[field]);
      const isAble = keys.every((key) => (typeof key === 'string' && key !== '') || Number.isInteger(key));
      return isAble && new Set(keys.map(String)).size === rows.length;
    });
}

/** Whether many files are one record or list of the same fields each. */
function areAlike(values: readonly Json[]): boolean {
  const sets = values.slice(0, SEEN_ROWS).map((value) => {
    const members = isObject(value) ? Object.values(value) : [];
    // An export such as {"Rows": {…}} is a table of its own: only the fields of its rows say what it is.
    const shape = members.length === 1 ? shapeOf(members[0] ?? null) : undefined;
    const inside = shape && shape.rows.size > 0 ? [...shape.rows.values()][0] : value;
    const row = Array.isArray(inside) ? inside.find(isObject) : inside;
    return new Set(isObject(row) ? Object.keys(row) : []);
  });
  const all = new Set(sets.flatMap((set) => [...set]));
  const isShared = (field: string) => sets.filter((set) => set.has(field)).length >= sets.length * MIN_SHARE;
  const shared = [...all].filter(isShared);
  return shared.length > 0 && shared.length >= all.size * 0.5;
}

/** Finds the folders that differ only in a language and hold the same files. */
function findRegions(files: readonly string[]): Regions {
  const families = new Map<string, Map<string, string>[]>();
  const languages = new Map<string, Map<string, string>>();
  for (const file of files) {
    const steps = file.split('/');
    const at = steps.slice(0, -1).findIndex((step) => languageOf(step) !== undefined);
    if (at < 0) continue;
    const before = steps.slice(0, at).join('/');
    const [step = '', ...after] = steps.slice(at);
    const key = `${before}\n${after.join('/')}`;
    const inEach = languages.get(key) ?? new Map<string, string>();
    if (!languages.has(key)) addTo(families, before, inEach);
    languages.set(key, inEach);
    const language = languageOf(step) ?? '';
    if (!inEach.has(language)) inEach.set(language, `${path.posix.join(before, step)}/`);
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
  const names = tables.map((table) => nameOf(table, 1));
  const idOf = (index: number) => `${names[index]} ${tables[index]?.region?.language ?? ''}`;
  const deepest = Math.max(0, ...tables.map(({ files }) => files.split('/').length));
  for (let depth = 2; depth <= deepest; depth++) {
    const ids = tables.map((_, index) => idOf(index));
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const [index, table] of tables.entries())
      if ((counts.get(ids[index] ?? '') ?? 0) > 1) names[index] = nameOf(table, depth);
  }
  const used = new Map<string, string>();
  return tables.map((table, index) => {
    const { region } = table;
    // The same file in each region has one name.
    const same = `${table.files} ${table.at} ${region === undefined ? index : ''}`;
    const own = names[index] ?? '';
    let of = own;
    for (let count = 2; (used.get(of) ?? same) !== same; count++) of = `${own}_${count}`;
    used.set(of, same);
    return region
      ? { ...table, name: `${of}_${region.language}`, region: { ...region, of } }
      : { ...table, name: of };
  });
}

/** The folder of the rows, if each of many files is one; otherwise undefined. */
export function folderOfRows({ files, fileCount }: Pick<Table, 'files' | 'fileCount'>): string | undefined {
  if (fileCount < 2 || !/^(!\(|\*)/.test(path.posix.basename(files))) return undefined;
  return files.split('/').at(-2) ?? '';
}

function nameOf(table: UnnamedTable, depth: number): string {
  const folders = table.files.split('/').slice(0, -1);
  const ofFolder = folders.length > 0 ? folders : ['records'];
  const steps = folderOfRows(table) === undefined ? [...folders, stemOf(table.files)] : ofFolder;
  const all = [...steps.slice(-depth), ...pointerSteps(table.at)].join('_');
  const name = all.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(name) ? name : `table_${name}`;
}

/** Describes a table in a line. */
export function describeTable({
  kind,
  rows,
  value,
  fileCount,
  key,
  options,
}: Omit<Table, 'name' | 'files' | 'at'>): string {
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
  const more = fields.length > 12 ? `, and ${fields.length - 12} more` : '';
  const files = fileCount > 1 ? `${fileCount} files, keyed by ${key ?? 'their stems'}: ` : '';
  const types =
    options.comment === undefined ? '' : '; the row of types below the header is left out by "comment"';
  return `${files}${what}${fields.length > 0 ? `: ${fields.slice(0, 12).join(', ')}${more}` : ''}${types}`;
}
