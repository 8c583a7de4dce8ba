import { isObject, type Json } from '../format/dist-format.ts';
import type { Table } from './columns.ts';

const LINE_END = '\r\n';
const SPECIAL = /[",;\r\n]|^\s|\s$/;

/** Writes a table as CSV (RFC 4180), in UTF-8. */
export function writeCsv({ names, columns }: Table): string {
  const rows = columns[0]?.length ?? 0;
  const lines = [names.map(quote).join()];
  for (let row = 0; row < rows; row++)
    lines.push(columns.map((column) => writeCell(column[row])).join() || '""');
  return lines.map((line) => line + LINE_END).join('');
}

/** null and an empty list are an empty cell; an empty text is `""`. */
function writeCell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value) || value.some((element) => isObject(element) || Array.isArray(element)))
    return quote(JSON.stringify(value));
  return value.length === 0 ? '' : quote(value.map(writeElement).join('|'));
}

function writeElement(value: Json): string {
  return typeof value === 'string' ? value.replace(/[\\|]/g, '\\$&') : String(value ?? '');
}

function quote(text: string): string {
  return text !== '' && !SPECIAL.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
