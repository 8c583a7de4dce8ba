import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject, REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';
import { formatOf, isGzip, parseFile, stemOf } from '../../read/files.ts';
import { matchPattern } from '../../read/patterns.ts';
import { countOf } from '../../text.ts';
import type { Dump } from '../add/files.ts';
import { byPreference, languageOf } from './words.ts';
import type { ColumnType, ReadOptions } from '../../read/game-schema.ts';

/** What a file of a dump has, and the options that game.json has to declare for it. */
interface Content {
  value: Json;
  options: Pick<ReadOptions, 'columns' | 'delimiter' | 'comment'>;
}

/** A table of a dump. A table without rows is any other value, such as texts by key. */
export interface Table {
  /** A unique name for game.json; that of a region ends in its language. */
  name: string;
  /** A path in the dump, or in the folder of its region; or a glob. */
  files: string;
  fileCount: number;
  /** JSON Pointer to the table in the file. */
  at: string;
  options: Content['options'];
  kind: 'list' | 'keyed' | 'object' | 'other';
  /** Rows by property name, file stem, or position in a list. */
  rows: ReadonlyMap<string, JsonObject>;
  value: Json;
  /** The language of its folder, and the name that it shares with the same table of others. */
  region?: { language: string; of: string };
}

type Unnamed = Omit<Table, 'name'>;
type Shape = Pick<Table, 'kind' | 'rows' | 'value'>;

/** The folders of languages in a dump, the one whose texts are proposed first. */
export type Regions = ReadonlyMap<string, string>;

/** Larger files, and those after so much was read, are left out. In bytes. */
const MAX_FILE = 64e6;
const MAX_TOTAL = 512e6;
/** In a folder with fewer files each is a table; more of one kind are one table. */
const MIN_RECORD_FILES = 3;
const MAX_FILE_TABLES = 20;
const MAX_DEPTH = 3;
const MIN_SHARE = 0.8;

/** Reads the files of a dump that have a known extension, and says why others were not read. */
export async function readDump({
  folder,
  files,
}: Dump): Promise<{ contents: Map<string, Content>; notes: string[] }> {
  const contents = new Map<string, Content>();
  const [notes, others]: string[][] = [[], []];
  let total = 0;
  for (const { path: file, bytes } of files) {
    const isLarge = bytes > MAX_FILE || total + bytes > MAX_TOTAL;
    if (file === 'build.json') continue;
    if (formatOf(file) === undefined) others?.push(path.posix.extname(file) || 'files without an extension');
    else if (isLarge)
      notes?.push(`not read: ${file}: ${Math.round(bytes / 1e6)} MB are too large: cut a sample of it`);
    else if (!matchPattern(file)(file))
      notes?.push(`not read: ${file}: the name is a wildcard pattern; rename the file`);
    else {
      total += bytes;
      const read = await readContent(path.posix.join(folder, file));
      if (typeof read === 'string') notes?.push(`not read: ${file}: ${read}`);
      else contents.set(file, read);
    }
  }
  const counts = countEach(others ?? []).map(([extension, count]) => `${count} ${extension}`);
  const unknown =
    counts.length > 0 ? [`not read, because the format is unknown: ${counts.slice(0, 10).join(', ')}`] : [];
  return { contents, notes: [...(notes ?? []), ...unknown] };
}

/** Counts equal values, the most frequent first. */
export function countEach<T>(values: Iterable<T>): [value: T, count: number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, many], [, more]) => more - many);
}

const TYPE = /^"?(string|int|integer|long|float|double|number|bool|boolean|byte|short)(\[\])?"?$/i;

/** Reads a file. Returns a text that says why it cannot be read. */
async function readContent(file: string): Promise<Content | string> {
  const isTable = /\.[ct]sv(\.gz)?$/i.test(file) && !isGzip(file);
  const lines = isTable ? (await readFile(file, 'utf8')).slice(0, 64e3).split(/\r?\n/).slice(0, 200) : [];
  const usual = /\.tsv/i.test(file) ? '\t' : ',';
  const cellsOf = (line: string, delimiter: string) => line.split(delimiter).length;
  const [header = '', second = ''] = lines;
  // What most lines have as often as the header separates cells.
  const separates = (each: string) =>
    cellsOf(header, each) > 1 &&
    lines.filter((line) => line === '' || cellsOf(line, each) === cellsOf(header, each)).length >=
      lines.length * 0.9;
  const delimiter = [',', ';', '\t', '|'].find(separates) ?? usual;
  // Exports of some games have the types of the columns below the header.
  const types = second.split(delimiter).filter((cell) => cell !== '');
  const isTypes = types.length > 1 && types.every((cell) => TYPE.test(cell)) && !second.startsWith(delimiter);
  const options: Content['options'] = {
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

/** Finds the tables of a dump, and the folders that differ only in their language. */
export function findTables(contents: ReadonlyMap<string, Content>): { tables: Table[]; regions: Regions } {
  const regions = findRegions([...contents.keys()]);
  const folders = new Map<string, string[]>();
  for (const file of contents.keys()) {
    // Without a table, the dataset is served unchanged.
    if (isRequiredDataset(file)) continue;
    const { dir, base } = path.posix.parse(file);
    const stems = dir === '' ? `!(${REQUIRED_DATASETS.join('|')})` : '*';
    const pattern = path.posix.join(dir, stems + base.slice(stemOf(file).length));
    folders.set(pattern, [...(folders.get(pattern) ?? []), file]);
  }
  const found = [...folders].flatMap(([pattern, files]) => tablesOfFolder(pattern, files, contents));
  return { tables: giveNames(found.map((table) => inRegion(table, regions))), regions };
}

/** Whether a file has the name of a dataset that every game must have. */
export function isRequiredDataset(file: string): boolean {
  return !file.includes('/') && REQUIRED_DATASETS.includes(stemOf(file));
}

/** The files of a folder as one table, as lists that are parts of one, or each as its own. */
function tablesOfFolder(
  pattern: string,
  files: readonly string[],
  contents: ReadonlyMap<string, Content>,
): Unnamed[] {
  const contentOf = (file: string) => contents.get(file)?.value ?? null;
  const options =
    files.map((file) => contents.get(file)?.options ?? {}).find((each) => Object.keys(each).length > 0) ?? {};
  const make = (of: string, parts: readonly string[], value: Json): Unnamed => ({
    ...{ files: of, fileCount: parts.length, at: '', options },
    ...shapeOf(value),
  });
  const whole = make(
    pattern,
    files,
    Object.fromEntries(files.map((file) => [stemOf(file), contentOf(file)])),
  );
  const areRecords = files.length >= MIN_RECORD_FILES && whole.rows.size === files.length;
  if (areRecords && whole.kind === 'keyed' && shareField(whole.rows, true)) return [whole];
  if (files.length > MAX_FILE_TABLES && areAlike(files.map(contentOf))) return [whole];
  return files.flatMap((file) =>
    tablesOfFile({ ...make(file, [file], contentOf(file)), options: contents.get(file)?.options ?? {} }),
  );
}

/** The tables that a file wraps, or else the whole file. */
function tablesOfFile(whole: Unnamed): Unnamed[] {
  const wrapped = whole.kind === 'object' ? wrappedIn(whole.value).slice(0, 40) : [];
  // Many members of the same rows, such as the goods of each shop, are one value, unless they are languages.
  const isOfLanguage = wrapped.some(({ at }) => languageOf(pointerSteps(at).at(-1) ?? ''));
  const areGroups =
    wrapped.length >= 8 && !isOfLanguage && areAlike(wrapped.map(({ rows }) => [...rows.values()]));
  return wrapped.length > 0 && !areGroups ? wrapped.map((each) => ({ ...whole, ...each })) : [whole];
}

/** The tables inside an object. An object with a plain value is one record: what is in it belongs to it. */
export function wrappedIn(value: Json, at = '', depth = 1): (Pick<Table, 'at'> & Shape)[] {
  if (!isObject(value) || depth > MAX_DEPTH) return [];
  if (depth > 1 && Object.values(value).some((of) => of !== null && typeof of !== 'object')) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const shape = shapeOf(inner);
    const pointer = pointerTo(at, name);
    return shape.rows.size > 0 ? [{ at: pointer, ...shape }] : wrappedIn(inner, pointer, depth + 1);
  });
}

/** The shape of a value: rows are objects with a field in common. */
export function shapeOf(value: Json): Shape {
  const none: Table['rows'] = new Map();
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
function shareField(rows: Table['rows'], isPlain = false): boolean {
  const names = [...rows.values()].flatMap((row) =>
    Object.keys(row).filter((name) => !isPlain || typeof row[name] !== 'object'),
  );
  return (countEach(names)[0]?.[1] ?? 0) >= rows.size * MIN_SHARE;
}

/** Whether many values are one record or list of the same fields each. The rows of an export such as {"Rows": {…}} say what it is. */
function areAlike(values: readonly Json[]): boolean {
  const sample = values.slice(0, 20);
  const fields = sample.flatMap((value) => {
    const members = isObject(value) ? Object.values(value) : [];
    const [wrapped] = members.length === 1 ? shapeOf(members[0] ?? null).rows.values() : [];
    const row = wrapped ?? (Array.isArray(value) ? value.find(isObject) : value);
    return isObject(row) ? Object.keys(row) : [];
  });
  const counts = countEach(fields);
  const shared = counts.filter(([, count]) => count >= sample.length * MIN_SHARE).length;
  return shared > 0 && shared >= counts.length * 0.5;
}

/** Finds the folders that differ only in a language and hold the same files; of several such families, the one with most files. */
function findRegions(files: readonly string[]): Regions {
  const families = new Map<string, { folders: Map<string, string>; shared: Map<string, Set<string>> }>();
  for (const file of files) {
    const steps = file.split('/');
    const at = steps.slice(0, -1).findIndex((step) => languageOf(step) !== undefined);
    if (at < 0) continue;
    const before = steps.slice(0, at).join('/');
    const family = families.get(before) ?? { folders: new Map(), shared: new Map() };
    families.set(before, family);
    const language = languageOf(steps[at] ?? '') ?? '';
    const inside = steps.slice(at + 1).join('/');
    if (!family.folders.has(language)) family.folders.set(language, `${steps.slice(0, at + 1).join('/')}/`);
    family.shared.set(inside, (family.shared.get(inside) ?? new Set()).add(language));
  }
  const sharedOf = ({ shared }: { shared: Map<string, Set<string>> }) =>
    [...shared.values()].filter(({ size }) => size > 1);
  const [most] = [...families.values()].sort((a, b) => sharedOf(b).length - sharedOf(a).length);
  const used = new Set(most ? sharedOf(most).flatMap((each) => [...each]) : []);
  const folders = [...(most?.folders ?? [])].filter(([language]) => used.has(language));
  return new Map(folders.sort(([a], [b]) => byPreference(a, b)));
}

function inRegion(table: Unnamed, regions: Regions): Unnamed {
  const [language, folder = ''] = [...regions].find(([, each]) => table.files.startsWith(each)) ?? [];
  if (language === undefined) return table;
  return { ...table, files: table.files.slice(folder.length), region: { language, of: '' } };
}

/** Names tables by stem or folder and by pointer, with the folders above if that is not unique. The same file in each region has one name. */
function giveNames(tables: readonly Unnamed[]): Table[] {
  const placeOf = ({ region, files, at }: Unnamed, index: number) => `${files} ${at} ${region ? '' : index}`;
  const names = tables.map((table) => nameOf(table, 1));
  for (let depth = 2; depth < 8; depth++) {
    const places = new Map<string, Set<string>>();
    for (const [index, table] of tables.entries())
      places.set(
        names[index] ?? '',
        (places.get(names[index] ?? '') ?? new Set()).add(placeOf(table, index)),
      );
    for (const [index, table] of tables.entries())
      if ((places.get(names[index] ?? '')?.size ?? 0) > 1) names[index] = nameOf(table, depth);
  }
  const used = new Map<string, string>();
  return tables.map((table, index): Table => {
    const [own = '', place] = [names[index], placeOf(table, index)];
    let of = own;
    for (let count = 2; (used.get(of) ?? place) !== place; count++) of = `${own}_${count}`;
    used.set(of, place);
    const { region } = table;
    return region
      ? { ...table, name: `${of}_${region.language}`, region: { ...region, of } }
      : { ...table, name: of };
  });
}

/** The folder of the rows, if each of many files is one. */
export function folderOfRows({ files, fileCount }: Pick<Table, 'files' | 'fileCount'>): string | undefined {
  return fileCount > 1 && /(^|\/)(!\(|\*)[^/]*$/.test(files) ? (files.split('/').at(-2) ?? '') : undefined;
}

function nameOf(table: Unnamed, depth: number): string {
  const folders = table.files.split('/').slice(0, -1);
  const ofFolder = folders.length > 0 ? folders : ['records'];
  const steps = folderOfRows(table) === undefined ? [...folders, stemOf(table.files)] : ofFolder;
  const all = [...steps.slice(-depth), ...pointerSteps(table.at)].join('_');
  const name = all.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(name) ? name : `table_${name}`;
}

/** Describes a table in a line. */
export function describeTable(table: Table): string {
  const { name, files, at, fileCount, options, region } = table;
  const place = `${region ? `${region.language}: ` : ''}${files}${at === '' ? '' : ` at ${at}`}`;
  const several = fileCount > 1 ? `${fileCount} files, keyed by their stems: ` : '';
  const types =
    options.comment === undefined ? '' : '; the row of types below the header is left out by "comment"';
  return `  ${name}: ${place}, ${several}${describeShape(table)}${types}`;
}

export function describeShape({ kind, rows, value }: Shape): string {
  const [[first = '', row] = []] = rows;
  if (row === undefined) {
    if (typeof value !== 'object' || value === null) return 'one value';
    return `${kind === 'object' ? 'an object' : 'a list'} of ${countOf(Object.keys(value).length, 'value')}`;
  }
  const records = countOf(rows.size, 'record');
  const keyed = `an object of ${records}, keyed as ${JSON.stringify(first.slice(0, 40))}`;
  const fields = Object.keys(row);
  const more = fields.length > 12 ? `, and ${fields.length - 12} more` : '';
  return `${kind === 'list' ? `a list of ${records}` : keyed}: ${fields.slice(0, 12).join(', ')}${more}`;
}
