import { CsvError, parse } from 'csv-parse/sync';
import type { Json, JsonObject } from '../dist-format.ts';
import { isObject } from '../dist-format.ts';
import { type Finding, pointerTo } from '../findings.ts';

/** The rows of a CSV file, and the 1-based line on which each stands. */
export interface CsvTable {
  rows: JsonObject[];
  lines: number[];
}

/** A row as the parser gives it; `info.lines` is the line on which it ends. */
interface CsvRow {
  record: string[];
  info: { lines: number };
}

// Line breaks inside cells become the same on every machine, whatever a checkout does to line ends.
const LINE_BREAK = /\r\n?/g;

type ColumnType = 'string' | 'number' | 'boolean';
interface Column {
  path: string[];
  type: ColumnType;
}

/**
 * Parses CSV text with a header row into records. `a.b` in the header nests; `name:string`, `:number`, `:boolean` set a column's type. A
 * column without a type is numeric only when every value is written the way that number prints (`007` and `1.10` stay text). An
 * empty cell is an absent attribute. Line breaks are `\n` in the result.
 */
export function parseCsv(
  text: string,
  file: string,
): { value: CsvTable; findings: Finding[] } | { finding: Finding } {
  let parsed: CsvRow[];
  try {
    parsed = parse(text.replace(LINE_BREAK, '\n'), {
      info: true,
      skip_empty_lines: true,
      bom: true,
      record_delimiter: '\n',
      relax_column_count: true,
    }) as unknown as CsvRow[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? error.lines : 1;
    return {
      finding: csvFinding(file, line, '', error.message, 'quotes around a whole cell, doubled inside it'),
    };
  }
  const [header, ...body] = parsed;
  if (header === undefined) return { finding: csvFinding(file, 1, '', 'an empty file', 'a header row') };

  const findings: Finding[] = [];
  const cells = body.map(({ record }) => record);
  const columns = header.record.map((name, index) =>
    readColumn(
      name,
      cells.map((row) => row[index] ?? ''),
    ),
  );
  for (const [index, column] of columns.entries()) {
    const clash = columns.findIndex((other) => overlaps(other.path, column.path));
    if (clash < index || column.path.some((step) => step === '')) {
      findings.push(
        csvFinding(
          file,
          startLine(header),
          '',
          `the header "${header.record[index]}"`,
          'distinct, non-empty column names',
        ),
      );
    }
  }
  if (findings.length > 0) return { value: { rows: [], lines: [] }, findings };

  const lines = body.map(startLine);
  const rows = body.map(({ record }, rowIndex) => {
    const row: JsonObject = {};
    const line = lines[rowIndex] as number;
    if (record.length !== columns.length) {
      const expected = `${columns.length} cells, as in the header row`;
      findings.push(csvFinding(file, line, `/${rowIndex}`, `a row of ${record.length} cells`, expected));
    }
    for (const [index, column] of columns.entries()) {
      const cell = record[index] ?? '';
      if (cell === '') continue;
      const value = readCell(cell, column.type);
      if (value === undefined) {
        const pointer = pointerTo('', rowIndex, ...column.path);
        findings.push(csvFinding(file, line, pointer, `the cell "${cell}"`, `a ${column.type}`));
      } else setAt(row, column.path, value);
    }
    return row;
  });
  return { value: { rows, lines }, findings };
}

/** The line on which a row starts: its cells may hold line breaks. */
function startLine({ record, info }: CsvRow): number {
  return info.lines - record.reduce((breaks, cell) => breaks + cell.split('\n').length - 1, 0);
}

function csvFinding(file: string, line: number, pointer: string, found: string, expected: string): Finding {
  return { check: 'csv-syntax', severity: 'error', place: { file, pointer, line }, found, expected };
}

function readColumn(name: string, cells: string[]): Column {
  const typed = /^(.*):(string|number|boolean)$/s.exec(name.trim());
  if (typed) return { path: (typed[1] ?? '').split('.'), type: typed[2] as ColumnType };
  const filled = cells.filter((cell) => cell !== '');
  const numeric =
    filled.length > 0 &&
    filled.every((cell) => String(Number(cell)) === cell && Number.isFinite(Number(cell)));
  const exact =
    numeric && filled.every((cell) => !/^-?\d+$/.test(cell) || Number.isSafeInteger(Number(cell)));
  return { path: name.trim().split('.'), type: exact ? 'number' : 'string' };
}

/** Whether one column would overwrite the other: equal, or one nests inside the other's value. */
function overlaps(a: string[], b: string[]): boolean {
  return a.every((step, index) => index >= b.length || step === b[index]);
}

function readCell(cell: string, type: ColumnType): Json | undefined {
  if (type === 'string') return cell;
  if (type === 'boolean') return cell === 'true' ? true : cell === 'false' ? false : undefined;
  const value = Number(cell);
  if (cell.trim() === '' || !Number.isFinite(value)) return undefined;
  return /^-?\d+$/.test(cell) && !Number.isSafeInteger(value) ? cell : value;
}

function setAt(row: JsonObject, path: string[], value: Json): void {
  let object = row;
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    const below = Object.hasOwn(object, step) ? object[step] : undefined;
    const next: Json = last ? value : isObject(below) ? below : {};
    // A plain assignment to `__proto__` would not make a property.
    Object.defineProperty(object, step, {
      value: next,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    if (!last) object = next as JsonObject;
  }
}
