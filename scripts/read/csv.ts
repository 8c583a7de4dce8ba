import { CsvError, parse } from 'csv-parse/sync';
import { errorAt, type Finding, type Place, placeBelow } from '../findings.ts';
import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import { pointerSteps, setOwn } from '../format/json.ts';
import { isUnsafeInteger, printsAsNumber } from '../text.ts';
import type { CellType, ParseOutcome, Parser, ReadOptions } from './formats.ts';
import { hideEscapes, showEscapes } from './key-value.ts';

/** A column: the path of its cells in a record, and their type. */
interface CsvColumn {
  path: string[];
  type: CellType;
  /** Set if a numeric column became text because of a few numbers in another notation: the index of the first one. */
  odd?: number;
}

export const TYPED = /^(.*):(string|number|boolean)$/s;

/**
 * Parses the name of a column. `a.b` nests; `name:number` sets the type. A column without a type is numeric only if every value is written as
 * JavaScript prints that number.
 *
 * @param cells the column's values
 * @param declared types by column name, for headers that cannot be edited
 */
function readColumn(name: string, cells: string[], declared: Record<string, CellType>): CsvColumn {
  const typed = TYPED.exec(name.trim());
  const plain = typed?.[1] ?? name.trim();
  const type = (typed?.[2] as CellType) ?? (Object.hasOwn(declared, plain) ? declared[plain] : undefined);
  // Interned: V8 then compares names by address.
  const path = plain.split('.').map((name) => Object.keys({ [name]: 0 })[0] ?? name);
  if (type !== undefined) return { path, type };
  if (isNumeric(cells)) return { path, type: 'number' };
  const odd = findOddNumber(cells);
  return { path, type: 'string', ...(odd !== undefined && { odd }) };
}

function isNumeric(cells: string[]): boolean {
  return cells.every((cell) => cell === '' || printsAsNumber(cell)) && cells.some((cell) => cell !== '');
}

/** Returns the index of the first number in a different notation from most cells (`1.0` among integers). Numbers with leading zeros are ids. */
function findOddNumber(cells: string[]): number | undefined {
  let plain = 0;
  const odd: number[] = [];
  for (const [index, cell] of cells.entries()) {
    if (cell === '') continue;
    if (printsAsNumber(cell)) plain++;
    else if (DECIMAL.test(cell) && !/^[+-]?0\d/.test(cell) && !isUnsafeInteger(cell)) odd.push(index);
    else return undefined;
  }
  return odd.length < plain ? odd[0] : undefined;
}

/** Returns the positions of columns without a name, and of columns whose path equals an earlier one or leads into its value. */
function findClashes(columns: CsvColumn[]): number[] {
  const [values, objects] = [new Set<string>(), new Set<string>()];
  return columns.flatMap(({ path }, index) => {
    const [whole = '', ...above] = path.map((_, at) => JSON.stringify(path.slice(0, path.length - at)));
    const isTaken = values.has(whole) || objects.has(whole) || above.some((object) => values.has(object));
    values.add(whole);
    for (const object of above) objects.add(object);
    return isTaken || path.includes('') ? [index] : [];
  });
}

/** A decimal number; `0x1F` and ` 5` are not accepted. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Reads a cell as its column's type; undefined if it does not match. Integers that a number cannot represent exactly become strings. */
function readCell(cell: string, type: CellType): Json | undefined {
  if (type === 'string') return cell;
  if (type === 'boolean') return cell === 'true' ? true : cell === 'false' ? false : undefined;
  const value = DECIMAL.test(cell) ? Number(cell) : Number.NaN;
  if (!Number.isFinite(value)) return undefined;
  return isUnsafeInteger(cell) ? cell : value;
}

/** Sets a value at a path in a record, and creates the objects on the way. */
function setAt(row: JsonObject, path: string[], value: Json): void {
  let object = row;
  for (let index = 0; index < path.length - 1; index++) {
    const below = ownValue(object, path[index] ?? '');
    const next = isObject(below) ? below : {};
    setOwn(object, path[index] ?? '', next);
    object = next;
  }
  setOwn(object, path.at(-1) ?? '', value);
}

// A checkout may change line breaks inside cells; the result must not depend on it.
const LINE_BREAK = /\r\n?/g;

/**
 * Parses CSV text with a header row into records (RFC 4180, modified by `options`). `a.b` in the header nests; `name:string`, `:number` and
 * `:boolean` set a column's type. A column without a type is numeric only if every value is written as JavaScript prints that number (`007` and
 * `1.10` stay text). An empty cell is an absent attribute. Line breaks become `\n`.
 */
export function parseCsv(text: string, file: string, options: ReadOptions = {}): ParseOutcome<JsonObject[]> {
  const other = findOtherDelimiter(text, file, options);
  if (other !== undefined) return { finding: other };
  let rows: string[][];
  try {
    rows = readRows(text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? error.lines + linesAbove(options) : 1;
    const expected = 'quotes around a whole cell, and doubled inside it';
    const fix = 'correct the cell, or set "quote", "escapes" or "delimiter" of its table in game.json';
    return { finding: csvFinding({ file, pointer: '', line }, error.message, expected, fix) };
  }
  const place = { file, pointer: '', reading: options };
  const header = Array.isArray(options.header) ? options.header : rows.shift();
  if (header === undefined || (Array.isArray(options.header) && rows.length === 0)) {
    return { finding: csvFinding({ file, pointer: '', line: 1 }, 'an empty file', 'a header row') };
  }
  const columns = header.map((name, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    return readColumn(name, cells, options.columns ?? {});
  });
  const findings = findClashes(columns).map((index) =>
    csvFinding(place, `the header "${header[index]}"`, 'distinct, non-empty column names'),
  );
  if (findings.length > 0) return { value: [], findings };
  for (const [index, { path, odd = -1 }] of columns.entries()) {
    const cell = rows[odd]?.[index];
    if (cell === undefined) continue;
    // It is hard to find by its effects.
    const name = path.join('.');
    const found = `the cell "${cell}", which makes the whole column "${name}" text`;
    const expected = 'a number as JavaScript prints it, like the other cells';
    const fix = `write it that way, or set the column's type: "${name}:number" in the header, or "columns" of the table in game.json`;
    const finding = errorAt('csv-columns', placeBelow(place, odd, ...path), found, expected, fix);
    findings.push({ ...finding, severity: 'warning' });
  }
  const value = rows.map((cells, index) => readRecord(cells, index, columns, place, findings));
  return { value, findings };
}

/** Reports a header that only another delimiter splits, because the consequences are hard to understand. */
function findOtherDelimiter(text: string, file: string, options: ReadOptions): Finding | undefined {
  const { delimiter = ',', header = 1, comment = '' } = options;
  if (typeof header !== 'number' || comment !== '') return undefined;
  const names = text.split('\n', header)[header - 1]?.trim() ?? '';
  const other = [';', '\t', '|', ','].find((each) => names.includes(each));
  if (other === undefined || names.includes(delimiter)) return undefined;
  const expected = `names of columns with "${delimiter}" between them`;
  const fix = `set "delimiter": ${JSON.stringify(other)} of its table in game.json`;
  return csvFinding({ file, pointer: '', line: header }, `the header "${names}"`, expected, fix);
}

function readRecord(
  cells: string[],
  index: number,
  columns: CsvColumn[],
  place: Place,
  findings: Finding[],
): JsonObject {
  const record: JsonObject = {};
  const report = (path: string[], found: string, expected: string) =>
    findings.push(csvFinding(placeBelow(place, index, ...path), found, expected));
  if (cells.length !== columns.length)
    report([], `a row of ${cells.length} cells`, `${columns.length} cells, as in the header row`);
  for (let position = 0; position < columns.length; position++) {
    const cell = cells[position] ?? '';
    const column = columns[position];
    if (cell === '' || column === undefined) continue;
    const value = readCell(cell, column.type);
    if (value !== undefined) setAt(record, column.path, value);
    else report(column.path, `the cell "${cell}"`, `a ${column.type}`);
  }
  return record;
}

/** Reads the cells of each row. A text without quotes needs no parser. @throws CsvError */
function readRows(whole: string, options: ReadOptions): string[][] {
  const { delimiter = ',', quote = '"', comment = '', escapes } = options;
  const text = textBelow(whole, options);
  const isRow = (line: string) => line !== '' && (comment === '' || !line.startsWith(comment));
  const lines = () => text.replace(/^\ufeff/, '').split('\n');
  const rows: string[][] =
    quote !== '' && text.includes(quote)
      ? parse(text, parserOptions(options))
      : lines()
          .filter(isRow)
          .map((line) => line.split(delimiter));
  return escapes ? rows.map((cells) => cells.map(showEscapes)) : rows;
}

export function findCsvLines(text: string, options: ReadOptions): (pointer: string) => number {
  const settings = { ...parserOptions(options), info: true };
  let rows: { record: string[]; info: { lines: number } }[];
  try {
    rows = parse(textBelow(text, options), settings) as unknown as typeof rows;
  } catch {
    return () => 1;
  }
  return (pointer) => {
    const [step] = pointerSteps(pointer);
    const row = rows[step === undefined ? 0 : Number(step) + (Array.isArray(options.header) ? 0 : 1)];
    // The parser reports the line where a row ends; its cells may contain line breaks.
    return row ? linesAbove(options) + row.info.lines - (row.record.join('').split('\n').length - 1) : 1;
  };
}

function parserOptions({ delimiter = ',', quote = '"', comment = '' }: ReadOptions) {
  return {
    skip_empty_lines: true,
    bom: true,
    record_delimiter: '\n',
    relax_column_count: true,
    delimiter,
    quote: quote === '' ? null : quote,
    escape: quote === '' ? null : quote,
    ...(comment !== '' && { comment, comment_no_infix: true }),
  };
}

/** The text from the header on, with escape sequences hidden. */
function textBelow(text: string, options: ReadOptions): string {
  const { delimiter = ',', quote = '"', escapes } = options;
  const above = linesAbove(options);
  const whole = text.replace(LINE_BREAK, '\n');
  const data = above === 0 ? whole : whole.split('\n').slice(above).join('\n');
  return escapes ? hideEscapes(data, quote + delimiter) : data;
}

function linesAbove({ header }: ReadOptions): number {
  return typeof header === 'number' ? header - 1 : 0;
}

function csvFinding(place: Place, ...problem: [found: string, expected: string, fix?: string]): Finding {
  return errorAt('file-syntax', place, ...problem);
}

export const CSV: Parser = { parse: parseCsv, findLines: findCsvLines };
export const TSV: Parser = {
  parse: (text, file, options) => parseCsv(text, file, { delimiter: '\t', ...options }),
  findLines: (text, options) => findCsvLines(text, { delimiter: '\t', ...options }),
};
