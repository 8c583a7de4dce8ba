import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../format/json.ts';
import { formatOf, parseFile, stemOf } from '../../read/files.ts';
import type { ReadOptions } from '../../read/game-schema.ts';
import { countEach, countOf, groupBy } from '../../text.ts';
import { describeSkipped, listDump, listFew } from '../add/files.ts';
import { type Column, findColumns } from './columns.ts';
import { byPreference, languageOf, wordsOf } from './words.ts';

/** A table of a dump. Without rows, it is any other value, such as texts by key. */
export interface DumpTable extends Shape {
  /** A unique name for expressions. */
  name: string;
  /** A path or glob in the dump. */
  files: string;
  fileCount: number;
  /** JSON Pointer to the table in the file. */
  at: string;
  options: Options;
  /** The columns of its rows, in order of first appearance. */
  columns: Column[];
  /** The language of its folder or its name, such as `TextMapJP`. */
  language: string | undefined;
}

interface Shape {
  kind: 'list' | 'keyed' | 'value';
  /** Rows by property name, file stem, or position in a list. */
  rows: ReadonlyMap<string, JsonObject>;
  value: Json;
}

/** What game.json must declare about a file. */
type Options = Pick<ReadOptions, 'delimiter' | 'comment'>;
type Content = { file: string; value: Json; options: Options };

/** In a folder with fewer files, each is a table; more of one kind are one table. */
const MIN_RECORD_FILES = 3;
const MAX_FILE_TABLES = 20;
const MAX_DEPTH = 3;
const MIN_SHARE = 0.8;

/** Reads the tables of a dump, and why files were not read. */
export async function readTables(folder: string): Promise<{ tables: DumpTable[]; notes: string[] }> {
  const dump = await listDump(folder);
  const contents: Content[] = [];
  const notes: string[] = [];
  const files = dump.files.map((file) => file.path);
  for (const file of files.filter((each) => formatOf(each))) {
    const full = path.join(folder, file);
    const options = /\.[ct]sv$/i.test(file) ? guessOptions(await readFile(full, 'utf8'), file) : {};
    const outcome = await parseFile(full, options);
    const [fault] = 'finding' in outcome ? [outcome.finding] : outcome.findings;
    if ('value' in outcome) contents.push({ file, value: outcome.value, options });
    else
      notes.push(
        `not read: ${file}: ${fault?.found}${fault?.place.line ? ` on line ${fault.place.line}` : ''}`,
      );
  }
  const unknown = files.filter((file) => formatOf(file) === undefined);
  if (unknown.length > 0) notes.push(`not read, because the format is unknown: ${listFew(unknown)}`);
  const tables = groupBy(contents, ({ file }) => patternOf(file)).flatMap(tablesOfFolder);
  const used = new Set<string>();
  const named = tables
    .sort((a, b) => byPreference(a.language, b.language))
    .map((table): DumpTable => {
      const name = giveName(table, used);
      return {
        ...table,
        name,
        language: table.language ?? languageIn(name),
        columns: findColumns(table.rows),
      };
    });
  return { tables: named, notes: [...notes, ...[describeSkipped(dump) ?? []].flat()] };
}

const TYPE = /^"?(string|int|integer|long|float|double|number|bool|boolean|byte|short)(\[\])?"?$/i;

/** Guesses what separates the cells of CSV, and how a row of types below the header begins, which is no data. */
function guessOptions(text: string, file: string): Options {
  const lines = text.slice(0, 64e3).split(/\r?\n/).slice(0, 200);
  const [header = '', second = ''] = lines;
  const usual = /\.tsv$/i.test(file) ? '\t' : ',';
  // It occurs as often in most lines as in the header.
  const separates = (by: string) => {
    const count = header.split(by).length;
    const alike = lines.filter((line) => line === '' || line.split(by).length === count);
    return count > 1 && alike.length >= lines.length * 0.9;
  };
  const delimiter = [',', ';', '\t', '|'].find(separates) ?? usual;
  const types = second.split(delimiter);
  const areTypes = types.length > 1 && types.every((cell, at) => TYPE.test(cell) || (at > 0 && cell === ''));
  return {
    ...(delimiter !== usual && { delimiter }),
    ...(areTypes && { comment: `${types[0]}${delimiter}` }),
  };
}

function languageIn(name: string): string | undefined {
  const words = wordsOf(name).filter((word) => !['id', 'no', 'it'].includes(word));
  return words.reverse().map(languageOf).find(Boolean);
}

/** The glob for the files of a folder with the same extension. */
function patternOf(file: string): string {
  const { dir, base } = path.posix.parse(file);
  return path.posix.join(dir, `*${base.slice(stemOf(file).length)}`);
}

/** The files of a folder as one table, or each as a table or the tables inside it. */
function tablesOfFolder(files: readonly [Content, ...Content[]]): DumpTable[] {
  const [{ file: first, options }] = files;
  const language = first.split('/').slice(0, -1).map(languageOf).find(Boolean);
  const make = (content: Content, fileCount: number, at = ''): DumpTable => {
    const { file, value, options } = content;
    return { name: '', files: file, fileCount, at, options, columns: [], language, ...shapeOf(value) };
  };
  const all = Object.fromEntries(files.map(({ file, value }) => [stemOf(file), value]));
  const whole = make({ file: patternOf(first), value: all, options }, files.length);
  const areRecords = files.length >= MIN_RECORD_FILES && whole.rows.size === files.length;
  if (areRecords && whole.kind === 'keyed' && shareField(whole.rows, true)) return [whole];
  if (files.length > MAX_FILE_TABLES && areAlike(Object.values(all))) return [whole];
  return files.flatMap((content) => {
    const own = make(content, 1);
    const inside = own.kind === 'value' ? tablesIn(content.value).slice(0, 40) : [];
    // Many members with the same rows, such as the goods of each shop, are one value, unless they are languages.
    const isOfLanguage = inside.some(([at]) => languageOf(pointerSteps(at).at(-1) ?? ''));
    const areGroups = inside.length >= 8 && !isOfLanguage && areAlike(inside.map(([, value]) => value));
    if (inside.length === 0 || areGroups) return [own];
    return inside.map(([at, value]) => make({ ...content, value }, 1, at));
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

/** Names a table by stem or folder and by pointer, with parent folders if another table has that name. */
function giveName({ files, fileCount, at }: DumpTable, used: Set<string>): string {
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
  if (row === undefined)
    return `${isObject(value) ? 'an object' : 'a list'} of ${countOf(Object.keys(Object(value)).length, 'value')}`;
  const records = countOf(rows.size, 'record');
  const keyed = `an object of ${records}, keyed as ${JSON.stringify(first.slice(0, 40))}`;
  const fields = Object.keys(row);
  const more = fields.length > 12 ? `, and ${fields.length - 12} more` : '';
  return `${kind === 'list' ? `a list of ${records}` : keyed}: ${fields.slice(0, 12).join(', ')}${more}`;
}
