import path from 'node:path';
import type { Scalar } from '../../format/attributes.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';
import { parseFile, readText } from '../../read/files.ts';
import { formatOf, type ReadOptions, stemOf } from '../../read/formats.ts';
import { CommandError } from '../../system.ts';
import { countEach, countOf, groupBy, megabytes, nameSome } from '../../text.ts';
import { describeSkipped, listDump, listFew } from '../add/files.ts';
import { byPreference, languageOf, splitWords } from './words.ts';

/** A field of a table's rows with plain values. The path of a field inside an object has several names. */
export interface DumpColumn {
  path: string[];
  /** The words of its path, and those of the last name in it. */
  words: string[];
  last: string[];
  /** The language that its name ends with: `name_ja`, `NameKr`, or `name: {jp, kr}`; and the words before it. */
  language: string | undefined;
  meaning: string[];
  /** A JSONata expression. */
  expression: string;
  kind: 'number' | 'text' | 'other';
  /** All values except null and empty texts. */
  values: Scalar[];
  /** Whether every row has a value, and whether all values are distinct. */
  full: boolean;
  distinct: boolean;
}

/** A table of a dump. Without rows, it is any other value, such as texts by key. */
export interface DumpTable {
  kind: 'list' | 'keyed' | 'value';
  /** Rows by property name, file stem, or position in a list. */
  rows: ReadonlyMap<string, JsonObject>;
  value: Json;
  /** A unique name for expressions. */
  name: string;
  /** A path or glob in the dump. */
  files: string;
  fileCount: number;
  /** JSON Pointer to the table in the file. */
  at: string;
  options: Options;
  /** The columns of its rows, in order of first appearance. */
  columns: DumpColumn[];
  /** The language of its folder or its name, such as `TextMapJP`. */
  language: string | undefined;
}

type Shape = Pick<DumpTable, 'kind' | 'rows' | 'value'>;

/** What game.json must declare about a file. */
type Options = Pick<ReadOptions, 'delimiter' | 'comment'>;

/** A file, or several as one value. */
type Content = Pick<DumpTable, 'files' | 'fileCount' | 'at' | 'options' | 'value'>;

/** So many files of a folder with the same fields are one table. */
const MIN_RECORD_FILES = 3;
/** Of JSON rows, they took 1.6 GB of memory; Node.js ends at 2 GB or more. */
const MAX_DUMP_BYTES = 256e6;
const MAX_DEPTH = 3;
export const MIN_SHARE = 0.8;

/** Reads the tables of a dump, and why files were not read. */
export async function readDumpTables(folder: string): Promise<{ tables: DumpTable[]; notes: string[] }> {
  const dump = await listDump(folder);
  const paths = dump.files.map((file) => file.path);
  const bytes = dump.files.reduce((sum, file) => sum + (formatOf(file.path) ? file.bytes : 0), 0);
  const large = `${folder} has ${megabytes(bytes)} of tables, and at most ${megabytes(MAX_DUMP_BYTES)} are read: pass a sub-folder with --from`;
  if (bytes > MAX_DUMP_BYTES) throw new CommandError(large, 2);
  const contents: Content[] = [];
  const notes: string[] = [];
  for (const files of paths.filter((file) => formatOf(file))) {
    const full = path.join(folder, files);
    const text = /\.[ct]sv(\.gz)?$/i.test(files) ? await readText(full) : undefined;
    const options = text && 'value' in text ? guessOptions(text.value, files) : {};
    const outcome = await parseFile(full, options);
    const fault = 'finding' in outcome ? outcome.finding : outcome.findings[0];
    if ('value' in outcome) contents.push({ files, fileCount: 1, at: '', options, value: outcome.value });
    else notes.push(`not read: ${files}: ${fault?.found} on line ${fault?.place.line ?? 1}`);
  }
  const unknown = paths.filter((file) => !formatOf(file));
  if (unknown.length > 0) notes.push(`not read, because the format is unknown: ${listFew(unknown)}`);
  const used = new Set<string>();
  const languageAbove = ({ files }: Content) => files.split('/').slice(0, -1).map(languageOf).find(Boolean);
  const tables = groupBy(contents, patternOf)
    .flatMap(contentsOfFolder)
    .sort((a, b) => byPreference(languageAbove(a), languageAbove(b)))
    .map((content): DumpTable => {
      const [name, shape] = [giveName(content, used), shapeOf(content.value)];
      const words = splitWords(name).filter((word) => word !== 'id' && word !== 'it');
      const language = languageAbove(content) ?? words.map(languageOf).findLast(Boolean);
      return { ...content, ...shape, name, language, columns: findColumns(shape.rows) };
    });
  return { tables, notes: [...notes, describeSkipped(dump) ?? []].flat() };
}

const TYPE = /^"?(string|int|integer|long|float|double|number|bool|boolean|byte|short)(\[\])?"?$/i;

/** Guesses what separates the cells of CSV, and how a row of types below the header begins, which is no data. */
function guessOptions(text: string, file: string): Options {
  const [header = '', second = ''] = text.slice(0, 64e3).split(/\r?\n/, 2);
  const usual = /\.tsv(\.gz)?$/i.test(file) ? '\t' : ',';
  const count = (by: string) => header.replace(/"[^"]*"/g, '').split(by).length;
  const [delimiter = usual] = [usual, ';', '\t', '|'].sort((a, b) => count(b) - count(a));
  const types = second.split(delimiter);
  const areTypes = types.length > 1 && types.every((cell, at) => TYPE.test(cell) || (at > 0 && cell === ''));
  return {
    ...(delimiter !== usual && { delimiter }),
    ...(areTypes && { comment: `${types[0]}${delimiter}` }),
  };
}

/** The glob for the files of a folder with the same extension. */
function patternOf({ files }: Content): string {
  const { dir, base } = path.posix.parse(files);
  return path.posix.join(dir, `*${base.slice(stemOf(files).length)}`);
}

/** The files of a folder as one table, or each as a table or the tables inside it. */
function contentsOfFolder(files: readonly [Content, ...Content[]]): Content[] {
  const value = Object.fromEntries(files.map((each) => [stemOf(each.files), each.value]));
  const whole = { ...files[0], files: patternOf(files[0]), fileCount: files.length, value };
  const { kind, rows } = shapeOf(value);
  const areRecords = kind === 'keyed' && files.length >= MIN_RECORD_FILES && rows.size === files.length;
  if (areRecords && shareField(rows, true)) return [whole];
  return files.flatMap((content) => {
    const inside = shapeOf(content.value).kind === 'value' ? tablesIn(content.value).slice(0, 40) : [];
    if (inside.length === 0) return [content];
    return inside.map(([at, each]) => ({ ...content, value: each, at }));
  });
}

/** Finds the tables inside an object, by JSON Pointer. An object with a plain value is one record, to which its contents belong. */
function tablesIn(value: Json, at = '', depth = 1): [at: string, value: Json][] {
  if (!isObject(value) || depth > MAX_DEPTH) return [];
  if (depth > 1 && Object.values(value).some((of) => of !== null && typeof of !== 'object')) return [];
  return Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const pointer = pointerTo(at, name);
    return shapeOf(inner).rows.size > 0 ? [[pointer, inner]] : tablesIn(inner, pointer, depth + 1);
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

/** Rows with more fields are texts or values by key. */
const MAX_FIELDS = 150;

/** The columns of rows, in order of first appearance; none if the rows are not records. */
function findColumns(rows: Shape['rows']): DumpColumn[] {
  if (new Set([...rows.values()].flatMap(Object.keys)).size > MAX_FIELDS) return [];
  const columns = new Map<string, { path: string[]; values: Scalar[]; types: Set<string> }>();
  const visit = (value: JsonObject, above: string[]): void => {
    for (const [name, inner] of Object.entries(value)) {
      const path = [...above, name];
      // An expression cannot quote these.
      if (name === '' || /[`\\\p{Cc}]/u.test(name)) continue;
      if (isObject(inner)) {
        if (path.length < MAX_DEPTH) visit(inner, path);
        continue;
      }
      const key = path.join('\n');
      const column = columns.get(key) ?? { path, values: [], types: new Set() };
      columns.set(key, column);
      if (inner === null || inner === '') continue;
      column.types.add(typeof inner);
      if (!Array.isArray(inner)) column.values.push(inner);
    }
  };
  for (const row of rows.values()) visit(row, []);
  return [...columns.values()].map(({ path, values, types }): DumpColumn => {
    const names = path.map(splitWords);
    const [words, last] = [names.flat(), names.at(-1) ?? []];
    const only = (type: string) => types.size === 1 && types.has(type);
    const languageIn = (length: number) => languageOf(last.slice(-length).join('_'));
    // A field `id` is not Indonesian.
    const ends = last.at(-1) === 'id' ? [] : [2, 1].filter((length) => length < last.length);
    const end = [...(path.length > 1 ? [last.length] : []), ...ends].find(languageIn) ?? 0;
    return {
      path,
      values,
      words,
      last,
      meaning: words.slice(0, words.length - end),
      language: end > 0 ? languageIn(end) : undefined,
      kind: only('string') ? 'text' : only('number') ? 'number' : 'other',
      expression: path.map(quoteName).join('.'),
      full: values.length === rows.size,
      distinct: new Set(values.map(String)).size === values.length,
    };
  });
}

/** Quotes a field name for JSONata if necessary. */
export function quoteName(name: string): string {
  const isPlain = /^(?!(and|or|in|true|false|null|function)$)[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  return isPlain ? name : `\`${name}\``;
}

/** Names a table by stem or folder and by pointer, with parent folders if another table has that name. */
function giveName({ files, fileCount, at }: Content, used: Set<string>): string {
  const folders = files.split('/').slice(0, -1);
  const steps = fileCount === 1 ? [...folders, stemOf(files)] : ['records', ...folders];
  const names = steps.map((_, depth) => {
    const all = [...steps.slice(-depth - 1), ...pointerSteps(at)].join('_');
    return all.replace(/[^A-Za-z0-9]+/g, '_').replace(/^[_0-9]+|_+$/g, '');
  });
  const name = names.find((each) => each && !used.has(each)) ?? `table_${used.size}`;
  used.add(name);
  return name;
}

/** Describes a table in one line. */
export function describeTable({ name, files, at, fileCount, value }: DumpTable): string {
  const several = fileCount > 1 ? `${fileCount} files, keyed by their stems: ` : '';
  return `  ${name}: ${files}${at && ` at ${at}`}, ${several}${describeShape(value)}`;
}

export function describeShape(value: Json): string {
  const { kind, rows } = shapeOf(value);
  const [[first = '', row] = []] = rows;
  const what = isObject(value) ? 'an object' : 'a list';
  if (row === undefined) return `${what} of ${countOf(Object.keys(Object(value)).length, 'value')}`;
  const keys = kind === 'keyed' ? `, keyed as ${JSON.stringify(first.slice(0, 40))}` : '';
  return `${what} of ${countOf(rows.size, 'record')}${keys}: ${nameSome(Object.keys(row), 12)}`;
}
