import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject, REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';
import { formatOf, parseFile, stemOf } from '../../read/files.ts';
import type { ColumnType, ReadOptions } from '../../read/game-schema.ts';
import { matchPattern } from '../../read/patterns.ts';
import { countOf, groupBy } from '../../text.ts';
import type { Dump } from '../add/files.ts';
import { byPreference, languageOf } from './words.ts';

/** The content of a dump's file, and the options that game.json must declare for it. */
interface Content {
  value: Json;
  options: Pick<ReadOptions, 'columns' | 'delimiter' | 'comment'>;
}

/** A table of a dump. Without rows, it is any other value, such as texts by key. */
export interface DumpTable extends Shape {
  /** A unique name for game.json; that of a region ends in its language. */
  name: string;
  /** A path or glob in the dump, or in the folder of its region. */
  files: string;
  fileCount: number;
  /** JSON Pointer to the table in the file. */
  at: string;
  options: Content['options'];
  /** The language of its region's folder, and the name that the tables of all regions share in game.json. */
  region?: { language: string; of: string };
  /** The same table in other regions. */
  others: DumpTable[];
}

interface Shape {
  kind: 'list' | 'keyed' | 'object' | 'other';
  /** Rows by property name, file stem, or position in a list. */
  rows: ReadonlyMap<string, JsonObject>;
  value: Json;
}

type Unnamed = Omit<DumpTable, 'name' | 'region' | 'others'> & { language?: string };

/** The folders of languages in a dump; the one whose texts are proposed is first. */
export type LanguageFolders = ReadonlyMap<string, string>;

/** The maximum size of a file, and of all files, in bytes; others are left out. */
const MAX_FILE = 64e6;
const MAX_TOTAL = 512e6;
/** In a folder with fewer files, each is a table; more of one kind are one table. */
const MIN_RECORD_FILES = 3;
const MAX_FILE_TABLES = 20;
const MAX_DEPTH = 3;
const MIN_SHARE = 0.8;

/** Reads the files of a dump with a known extension, and reports why others were not read. */
export async function readDump({ folder, files }: Dump) {
  const contents = new Map<string, Content>();
  const notes: string[] = [];
  const unknown: string[] = [];
  let total = 0;
  for (const { path: file, bytes } of files) {
    if (file === 'build.json') continue;
    const isLarge = bytes > MAX_FILE || total + bytes > MAX_TOTAL;
    if (formatOf(file) === undefined) unknown.push(path.posix.extname(file) || 'files without an extension');
    else if (isLarge) notes.push(`not read: ${file}: it is too large: cut a sample of it`);
    else if (!matchPattern(file)(file))
      notes.push(`not read: ${file}: the name is a wildcard pattern; rename the file`);
    else {
      total += bytes;
      const read = await readContent(path.posix.join(folder, file));
      if (typeof read === 'string') notes.push(`not read: ${file}: ${read}`);
      else contents.set(file, read);
    }
  }
  const counts = countEach(unknown).map(([extension, count]) => `${count} ${extension}`);
  if (counts.length > 0)
    notes.push(`not read, because the format is unknown: ${counts.slice(0, 10).join(', ')}`);
  return { contents, notes };
}

/** Counts equal values, most frequent first. */
export function countEach<T>(values: Iterable<T>): [value: T, count: number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, many], [, more]) => more - many);
}

const TYPE = /^"?(string|int|integer|long|float|double|number|bool|boolean|byte|short)(\[\])?"?$/i;

/** Reads a file. @returns a text if it cannot be read, which says why */
async function readContent(file: string): Promise<Content | string> {
  const options: Content['options'] = {};
  if (/\.[ct]sv$/i.test(file)) {
    const lines = (await readFile(file, 'utf8')).slice(0, 64e3).split(/\r?\n/).slice(0, 200);
    const cellsOf = (line = '', by = ',') => line.split(by);
    const [header, second] = lines;
    const usual = /\.tsv$/i.test(file) ? '\t' : ',';
    // The delimiter occurs as often in most lines as in the header.
    const separates = (by: string) => {
      const count = cellsOf(header, by).length;
      const alike = lines.filter((line) => line === '' || cellsOf(line, by).length === count);
      return count > 1 && alike.length >= lines.length * 0.9;
    };
    const delimiter = [',', ';', '\t', '|'].find(separates) ?? usual;
    // Exports of some games have the column types below the header.
    const types = cellsOf(second, delimiter);
    const isTypes = types.length > 1 && types.every((cell, at) => TYPE.test(cell) || (at > 0 && cell === ''));
    if (delimiter !== usual) options.delimiter = delimiter;
    if (isTypes) options.comment = `${types[0]}${delimiter}`;
  }
  let outcome = await parseFile(file, options);
  const odd = 'findings' in outcome ? outcome.findings.filter(({ check }) => check === 'csv-columns') : [];
  if (odd.length > 0) {
    const names = odd.map(({ place }) => pointerSteps(place.pointer).slice(1).join('.'));
    options.columns = Object.fromEntries(names.map((name) => [name, 'number' as ColumnType]));
    outcome = await parseFile(file, options);
  }
  const [fault] = 'finding' in outcome ? [outcome.finding] : outcome.findings;
  const hasContent = 'value' in outcome && Object.keys(Object(outcome.value)).length > 0;
  if ('value' in outcome && (fault === undefined || hasContent)) return { value: outcome.value, options };
  if (fault === undefined) return 'it is empty';
  return `${fault.found}${fault.place.line === undefined ? '' : ` on line ${fault.place.line}`}`;
}

/** Finds the tables of a dump, and the folders that differ only in their language. */
export function findTables(contents: ReadonlyMap<string, Content>): {
  tables: DumpTable[];
  regions: LanguageFolders;
} {
  // A required dataset that no table declares is served unchanged.
  const files = [...contents.keys()].filter((file) => !isRequiredDataset(file));
  const regions = findRegions(files);
  const found = groupBy(files, patternOf).flatMap((some) =>
    tablesOfFolder(patternOf(some[0]), some, contents).map((table) => inRegion(table, regions)),
  );
  const groups = groupBy([...found.entries()], ([index, { language, files: of, at }]) =>
    language === undefined ? String(index) : `${of} ${at}`,
  ).map((group) =>
    group.map(([, table]) => table).sort((a, b) => byPreference(a.language ?? '', b.language ?? '')),
  );
  const names = giveNames(groups.flatMap(([table]) => table ?? []));
  const make = ({ language, ...table }: Unnamed, of: string, others: DumpTable[]): DumpTable =>
    language === undefined
      ? { ...table, name: of, others }
      : { ...table, name: `${of}_${language}`, region: { language, of }, others };
  const tables = groups.flatMap(([first, ...more], at) => {
    const name = names[at] ?? '';
    const others = more.map((each) => make(each, name, []));
    return first === undefined ? [] : make(first, name, others);
  });
  return { tables, regions };
}

/** Whether a file is named like a dataset that every game must have. */
export function isRequiredDataset(file: string): boolean {
  return !file.includes('/') && REQUIRED_DATASETS.includes(stemOf(file));
}

/** The glob for the files of a folder with the same extension. */
function patternOf(file: string): string {
  const { dir, base } = path.posix.parse(file);
  const stems = dir === '' ? `!(${REQUIRED_DATASETS.join('|')})` : '*';
  return path.posix.join(dir, stems + base.slice(stemOf(file).length));
}

/** The files of a folder as one table, as lists that are parts of one, or each as its own table. */
function tablesOfFolder(
  pattern: string,
  files: readonly string[],
  contents: ReadonlyMap<string, Content>,
): Unnamed[] {
  const of = (file: string) => contents.get(file) ?? { value: null, options: {} };
  const { options } = of(files.find((file) => Object.keys(of(file).options).length > 0) ?? '');
  const value = Object.fromEntries(files.map((file) => [stemOf(file), of(file).value]));
  const whole = { files: pattern, fileCount: files.length, at: '', options, ...shapeOf(value) };
  const areRecords = files.length >= MIN_RECORD_FILES && whole.rows.size === files.length;
  if (areRecords && whole.kind === 'keyed' && shareField(whole.rows, true)) return [whole];
  if (files.length > MAX_FILE_TABLES && areAlike(files.map((file) => of(file).value))) return [whole];
  return files.flatMap((file) => {
    const shape = shapeOf(of(file).value);
    const table = { files: file, fileCount: 1, at: '', options: of(file).options, ...shape };
    const wrapped = shape.kind === 'object' ? wrappedIn(shape.value).slice(0, 40) : [];
    // Many members with the same rows, such as the goods of each shop, are one value, unless they are languages.
    const isOfLanguage = wrapped.some(({ at }) => languageOf(pointerSteps(at).at(-1) ?? ''));
    const areGroups =
      wrapped.length >= 8 && !isOfLanguage && areAlike(wrapped.map(({ rows }) => [...rows.values()]));
    return wrapped.length > 0 && !areGroups ? wrapped.map((each) => ({ ...table, ...each })) : [table];
  });
}

/** Finds the tables inside an object. An object with a plain value is one record, to which its contents belong. */
export function wrappedIn(value: Json, at = '', depth = 1): (Shape & { at: string })[] {
  if (!isObject(value) || depth > MAX_DEPTH) return [];
  if (depth > 1 && Object.values(value).some((of) => of !== null && typeof of !== 'object')) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const shape = shapeOf(inner);
    const pointer = pointerTo(at, name);
    return shape.rows.size > 0 ? [{ at: pointer, ...shape }] : wrappedIn(inner, pointer, depth + 1);
  });
}

/** Returns the shape of a value: rows are objects that share a field. */
export function shapeOf(value: Json): Shape {
  const entries = Object.entries<Json>(Object(value));
  const rows = new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])));
  const areRows = rows.size > 0 && rows.size >= entries.length * MIN_SHARE && shareField(rows);
  if (areRows && Array.isArray(value)) return { kind: 'list', rows, value };
  if (areRows && entries.length > 1 && (entries.length >= 10 || shareField(rows, true)))
    return { kind: 'keyed', rows, value };
  return { kind: isObject(value) ? 'object' : 'other', rows: new Map(), value };
}

/** Whether most rows share a field. @param isPlain only a field with a plain value */
function shareField(rows: Shape['rows'], isPlain = false): boolean {
  const names = [...rows.values()].flatMap((row) =>
    Object.keys(row).filter((name) => !isPlain || typeof row[name] !== 'object'),
  );
  return (countEach(names)[0]?.[1] ?? 0) >= rows.size * MIN_SHARE;
}

/** Whether many values are records or lists with the same fields. The rows of an export such as {"Rows": {…}} decide it. */
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

/** Finds the folders that differ only in a language and hold the same files; of several such families, the one with the most files. */
function findRegions(files: readonly string[]): LanguageFolders {
  const inLanguages = files.flatMap((file) => {
    const steps = file.split('/');
    const at = steps.slice(0, -1).findIndex((step) => languageOf(step) !== undefined);
    const [before, folder] = [steps.slice(0, at), steps.slice(0, at + 1)].map((some) => some.join('/'));
    const [language, inside] = [languageOf(steps[at] ?? '') ?? '', steps.slice(at + 1).join('/')];
    return at < 0 ? [] : [{ before, folder: `${folder}/`, language, inside }];
  });
  const families = groupBy(inLanguages, ({ before = '' }) => before).map((family) =>
    groupBy(family, ({ inside }) => inside).filter((same) => same.length > 1),
  );
  const [most = []] = families.sort((a, b) => b.length - a.length);
  const folders = new Map<string, string>();
  for (const { language, folder } of most.flat()) if (!folders.has(language)) folders.set(language, folder);
  return new Map([...folders].sort(([a], [b]) => byPreference(a, b)));
}

function inRegion(table: Unnamed, regions: LanguageFolders): Unnamed {
  const [language, folder = ''] = [...regions].find(([, each]) => table.files.startsWith(each)) ?? [];
  return language === undefined ? table : { ...table, files: table.files.slice(folder.length), language };
}

/** Names tables by stem or folder and by pointer, with parent folders if that is not unique. */
function giveNames(tables: readonly Unnamed[]): string[] {
  let names = tables.map((table) => nameOf(table, 1));
  for (let depth = 2; depth < 8; depth++) {
    const counts = new Map(countEach(names));
    names = tables.map((table, at) => {
      const name = names[at] ?? '';
      return (counts.get(name) ?? 0) > 1 ? nameOf(table, depth) : name;
    });
  }
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique); count++) unique = `${name}_${count}`;
    used.add(unique);
    return unique;
  });
}

/** The folder of the rows, if each of many files is one row. */
export function folderOfRows({
  files,
  fileCount,
}: Pick<DumpTable, 'files' | 'fileCount'>): string | undefined {
  return fileCount > 1 ? (files.split('/').at(-2) ?? '') : undefined;
}

function nameOf(table: Unnamed, depth: number): string {
  const folders = table.files.split('/').slice(0, -1);
  const ofFolder = folders.length > 0 ? folders : ['records'];
  const steps = table.fileCount > 1 ? ofFolder : [...folders, stemOf(table.files)];
  const all = [...steps.slice(-depth), ...pointerSteps(table.at)].join('_');
  const name = all.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(name) ? name : `table_${name}`;
}

/** Describes a table in one line. */
export function describeTable(table: DumpTable): string {
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
