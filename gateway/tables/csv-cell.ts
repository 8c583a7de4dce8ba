import { isObject, type Json } from '../../scripts/format/dist-format.ts';

/** Begins a text that spreadsheets may run as a formula, also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Needs quotes: what RFC 4180 says, the separator of spreadsheets in many countries, and spaces that some programs remove. */
const SPECIAL = /[",;\r\n]|^\s|\s$/;
/** Between the elements of a list. */
const SEPARATOR = '|';

/**
 * Writes a value as a cell of CSV (RFC 4180).
 *
 * - A text that a spreadsheet could run as a formula begins with `'`. Numbers never do.
 * - A list of scalars has `|` between its elements; a `|` or `\` in an element has a `\` before it.
 * - Any other list, and an object, is JSON.
 * - null and an empty list are an empty cell; an empty text is `""`.
 */
export function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return csvText(value);
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value) || value.some((element) => isObject(element) || Array.isArray(element)))
    return csvText(JSON.stringify(value));
  if (value.length === 0) return '';
  const joined = value.map(writeElement).join(SEPARATOR);
  return value.every((element) => typeof element === 'number') ? joined : csvText(joined);
}

/** Writes a text as a cell of CSV. */
export function csvText(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  if (text !== '' && !SPECIAL.test(harmless)) return harmless;
  return `"${harmless.replaceAll('"', '""')}"`;
}

function writeElement(value: Json): string {
  return typeof value === 'string' ? value.replace(/[\\|]/g, '\\$&') : String(value ?? '');
}
