import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject, REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';
import { formatOf, parseFile, stemOf } from '../../read/files.ts';
import type { ColumnType, ReadOptions } from '../../read/game-schema.ts';
import { matchPattern } from '../../read/patterns.ts';
import { countOf, groupBy } from '../../text.ts';
import { describeSkipped, listDump } from '../add/files.ts';
import { byPreference, languageOf } from './words.ts';

/** A table of a dump. Without rows, it is any other value, such as texts by key. */
export interface DumpTable extends Shape {
  /** A unique name for expressions; that of a folder of a language ends in the language. */
  name: string;
  /** Its name in game.json, which the tables of all languages share. */
  of: string;
  /** A path or glob in the dump, or in the folder of its language. */
  files: string;
  fileCount: number;
  /** JSON Pointer to the table in the file. */
  at: string;
  options: Options;
  /** The language of its folder. */
  language?: string | undefined;
  /** The same table in the folders of other languages. */
  others: DumpTable[];
}

interface Shape {
  kind: 'list' | 'keyed' | 'value';
  /** Rows by property name, file stem, or position in a list. */
  rows: ReadonlyMap<string, JsonObject>;
  value: Json;
}

/** What game.json must declare: types of columns, and how the rows begin that are left out, such as a row of types below the header. */
type Options = Pick<ReadOptions, 'columns' | 'delimiter' | 'comment'>;

interface Content {
  value: Json;
  options: Options;
}
const NO_CONTENT: Content = { value: null, options: {} };
type Contents = ReadonlyMap<string, Content>;

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

/** Reads the tables of a dump, with the folders that differ only in their language, and why files were not read. */
export async function readTables(folder: string) {
  const dump = await listDump(folder);
  const contents = new Map<string, Content>();
  const notes: string[] = [];
  const unknown: string[] = [];
  let total = 0;
  for (const { path: file, bytes } of dump.files) {
    if (file === 'build.json') continue;
    const isLarge = bytes > MAX_FILE || total + bytes > MAX_TOTAL;
    const format = formatOf(file);
    if (format === undefined) unknown.push(path.posix.extname(file) || 'files without an extension');
    if (format === undefined) continue;
    let read: Content | string = 'it is too large: cut a sample of it';
    if (!matchPattern(file)(file)) read = 'the name is a wildcard pattern; rename the file';
    else if (!isLarge) read = await readContent(path.posix.join(folder, file));
    total += isLarge ? 0 : bytes;
    if (typeof read === 'string') notes.push(`not read: ${file}: ${read}`);
    else contents.set(file, read);
  }
  const counts = countEach(unknown).map(([extension, count]) => `${count} ${extension}`);
  if (counts.length > 0)
    notes.push(`not read, because the format is unknown: ${counts.slice(0, 10).join(', ')}`);
  const skipped = describeSkipped(dump);
  const files = dump.files.map((file) => file.path);
  return { ...findTables(contents), files, notes, skipped: skipped === undefined ? [] : [skipped] };
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
  const options: Options = {};
  const [, kind] = /\.([ct])sv$/i.exec(file) ?? [];
  if (kind !== undefined) {
    const lines = (await readFile(file, 'utf8')).slice(0, 64e3).split(/\r?\n/).slice(0, 200);
    const [header = '', second = ''] = lines;
    const usual = kind.toLowerCase() === 't' ? '\t' : ',';
    // It occurs as often in most lines as in the header.
    const separates = (by: string) => {
      const count = header.split(by).length;
      const alike = lines.filter((line) => line === '' || line.split(by).length === count);
      return count > 1 && alike.length >= lines.length * 0.9;
    };
    const delimiter = [',', ';', '\t', '|'].find(separates) ?? usual;
    if (delimiter !== usual) options.delimiter = delimiter;
    const types = second.split(delimiter);
    const areTypes = types.every((cell, at) => TYPE.test(cell) || (at > 0 && cell === ''));
    if (types.length > 1 && areTypes) options.comment = `${types[0]}${delimiter}`;
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

function findTables(contents: Contents): { tables: DumpTable[]; folders: LanguageFolders } {
  // A required dataset that no table declares is served unchanged.
  const files = [...contents.keys()].filter((file) => !isRequiredDataset(file));
  const folders = findLanguageFolders(files);
  const found = groupBy(files, patternOf).flatMap((some) =>
    tablesOfFolder(some, contents).map((table): DumpTable => {
      const [language, folder = ''] = [...folders].find(([, each]) => table.files.startsWith(each)) ?? [];
      return { ...table, files: table.files.slice(folder.length), language };
    }),
  );
  const groups = groupBy(found, ({ language, files: of, at }) => `${language !== undefined} ${of} ${at}`);
  const used = new Set<string>();
  const tables = groups.flatMap((group) => {
    group.sort((a, b) => byPreference(a.language ?? '', b.language ?? ''));
    const of = giveName(group[0], used);
    for (const table of group)
      Object.assign(table, { of, name: table.language ? `${of}_${table.language}` : of });
    const [first, ...others] = group;
    return [{ ...first, others }];
  });
  return { tables, folders };
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

/** The files of a folder as one table, or each as a table or the tables inside it. */
function tablesOfFolder(files: readonly [string, ...string[]], contents: Contents): DumpTable[] {
  const table = (of: string, count: number, { value, options }: Content, at = ''): DumpTable => {
    return {
      ...{ name: '', of: '', files: of, fileCount: count, at, options, others: [] },
      ...shapeOf(value),
    };
  };
  const read = files.map((file) => contents.get(file) ?? NO_CONTENT);
  const all = Object.fromEntries(files.map((file, at) => [stemOf(file), read[at]?.value ?? null]));
  const { options } = read.find((each) => Object.keys(each.options).length > 0) ?? NO_CONTENT;
  const whole = table(patternOf(files[0]), files.length, { value: all, options });
  const areRecords = files.length >= MIN_RECORD_FILES && whole.rows.size === files.length;
  if (areRecords && whole.kind === 'keyed' && shareField(whole.rows, true)) return [whole];
  if (files.length > MAX_FILE_TABLES && areAlike(Object.values(all))) return [whole];
  return files.flatMap((file) => {
    const content = contents.get(file) ?? NO_CONTENT;
    const own = table(file, 1, content);
    const inside = own.kind === 'value' ? tablesIn(content.value).slice(0, 40) : [];
    // Many members with the same rows, such as the goods of each shop, are one value, unless they are languages.
    const isOfLanguage = inside.some(({ at }) => languageOf(pointerSteps(at).at(-1) ?? ''));
    const areGroups = inside.length >= 8 && !isOfLanguage && areAlike(inside.map(({ value }) => value));
    if (inside.length === 0 || areGroups) return [own];
    return inside.map(({ at, value }) => table(file, 1, { value, options: content.options }, at));
  });
}

/** Finds the tables inside an object. An object with a plain value is one record, to which its contents belong. */
function tablesIn(value: Json, at = '', depth = 1): { at: string; value: Json }[] {
  if (!isObject(value) || depth > MAX_DEPTH) return [];
  if (depth > 1 && Object.values(value).some((of) => of !== null && typeof of !== 'object')) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const pointer = pointerTo(at, name);
    return shapeOf(inner).rows.size > 0
      ? [{ at: pointer, value: inner }]
      : tablesIn(inner, pointer, depth + 1);
  });
}

/** Returns the shape of a value: rows are objects that share a field. */
function shapeOf(value: Json): Shape {
  const entries = Object.entries<Json>(Object(value));
  const rows = new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])));
  const areRows = rows.size > 0 && rows.size >= entries.length * MIN_SHARE && shareField(rows);
  if (areRows && Array.isArray(value)) return { kind: 'list', rows, value };
  if (areRows && entries.length > 1 && (entries.length >= 10 || shareField(rows, true)))
    return { kind: 'keyed', rows, value };
  return { kind: 'value', rows: new Map(), value };
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
function findLanguageFolders(files: readonly string[]): LanguageFolders {
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

/** Names a table by stem or folder and by pointer, with parent folders if another table has that name. */
function giveName(table: DumpTable, used: Set<string>): string {
  const folders = table.files.split('/').slice(0, -1);
  const ofFolder = folders.length > 0 ? folders : ['records'];
  const steps = table.fileCount > 1 ? ofFolder : [...folders, stemOf(table.files)];
  const names = Array.from({ length: 8 }, (_, depth) => {
    const all = [...steps.slice(-depth - 1), ...pointerSteps(table.at)].join('_');
    const name = all.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
    return /^[A-Za-z]/.test(name) ? name : `table_${name}`;
  });
  const name = names.find((each) => !used.has(each)) ?? `table_${used.size}`;
  used.add(name);
  return name;
}

/** Describes a table in one line. */
export function describeTable({ name, files, at, fileCount, options, language, value }: DumpTable): string {
  const place = `${language ? `${language}: ` : ''}${files}${at === '' ? '' : ` at ${at}`}`;
  const several = fileCount > 1 ? `${fileCount} files, keyed by their stems: ` : '';
  const types =
    options.comment === undefined ? '' : '; the row of types below the header is left out by "comment"';
  return `  ${name}: ${place}, ${several}${describeShape(value)}${types}`;
}

export function describeShape(value: Json): string {
  const { kind, rows } = shapeOf(value);
  const [[first = '', row] = []] = rows;
  if (row === undefined)
    return `${isObject(value) ? 'an object' : 'a list'} of ${countOf(Object.keys(Object(value)).length, 'value')}`;
  const records = countOf(rows.size, 'record');
  const keyed = `an object of ${records}, keyed as ${JSON.stringify(first.slice(0, 40))}`;
  const fields = Object.keys(row);
  const more = fields.length > 12 ? `, and ${fields.length - 12} more` : '';
  return `${kind === 'list' ? `a list of ${records}` : keyed}: ${fields.slice(0, 12).join(', ')}${more}`;
}
