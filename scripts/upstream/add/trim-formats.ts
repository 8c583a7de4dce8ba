import { isDeepStrictEqual } from 'node:util';
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'yaml';
import { isObject, type Json, ownValue } from '../../format/dist-format.ts';
import { parseJson } from '../../read/json.ts';
import { parseYaml } from '../../read/yaml.ts';
import { csvText } from '../../bulk/tables.ts';

/**
 * The value of a JSON, YAML or CSV file, where the cells of CSV are text; undefined for other files, damaged ones, and CSV whose columns do not have
 * names of their own.
 */
export async function readTrimmable(text: string, file: string): Promise<Json | undefined> {
  if (file.endsWith('.csv')) return readCsv(text);
  const parsed = isYaml(file) ? parseYaml(text, file) : file.endsWith('.json') && parseJson(text, file);
  return parsed && 'value' in parsed ? parsed.value : undefined;
}

/** Whether what stays of a file can be written in its format: CSV without a row and a column has no header. */
export function canWrite(value: Json, file: string): boolean {
  const isTable = Array.isArray(value) && isObject(value[0]) && Object.keys(value[0]).length > 0;
  return isTable || !file.endsWith('.csv');
}

/** Writes what stays of a file in its format, JSON with a line for each row, so that the next build differs in few lines. */
export function writeTrimmed(value: Json, file: string): string {
  if (file.endsWith('.csv')) return writeCsv(value);
  return isYaml(file) ? stringify(value, { lineWidth: 0 }) : writeRows(value);
}

/** Writes a value as JSON with a line for each row. */
export function writeRows(value: Json): string {
  if (Array.isArray(value)) return `[\n${value.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`;
  if (!isObject(value)) return `${JSON.stringify(value)}\n`;
  const rows = Object.entries(value).map(([key, row]) => `${JSON.stringify(key)}:${JSON.stringify(row)}`);
  return `{\n${rows.join(',\n')}\n}\n`;
}

/** Whether two values are equal; in cells of CSV, 30 is 30.0. */
export function isSameValue(one: Json | undefined, other: Json | undefined): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((each) => plain(each) ?? null);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each) ?? null]));
  return typeof value === 'string' && /^-?\d+\.0+$/.test(value) ? value.replace(/\.0+$/, '') : value;
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

function readCsv(text: string): Json | undefined {
  try {
    const [header = [], ...rows]: string[][] = parse(text, { bom: true, skip_empty_lines: true });
    if (new Set(header).size < header.length || header.includes('')) return undefined;
    return rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function writeCsv(rows: Json): string {
  if (!Array.isArray(rows)) return '';
  const first = rows[0];
  const header = isObject(first) ? Object.keys(first) : [];
  const cells = rows.map((row) =>
    header.map((name) => (isObject(row) ? String(ownValue(row, name) ?? '') : '')),
  );
  const line = (each: string[]) => each.map((cell) => cell && csvText(cell)).join();
  return `${[header, ...cells].map(line).join('\n')}\n`;
}
