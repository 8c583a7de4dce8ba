import { isObject, type Json } from '../format/dist-format.ts';

/** Needs quotes: as in RFC 4180; with the separator of spreadsheets in many countries; or with spaces that some programs remove. */
const SPECIAL = /[",;\r\n]|^\s|\s$/;
/** The start of a text that spreadsheets may run as a formula, also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Separates the elements of a list. */
const SEPARATOR = '|';

export const LINE_END = '\r\n';

/**
 * Writes a value as a cell of CSV (RFC 4180).
 *
 * - A list of scalars has `|` between its elements; a `|` or `\` in an element is escaped with `\`.
 * - Any other list, and an object, is JSON.
 * - null and an empty list are an empty cell; an empty text is `""`.
 *
 * @param writeText writes a text, or a list that does not consist of numbers
 */
export function csvCell(value: Json | undefined, writeText: (text: string) => string = csvText): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value) || value.some((element) => isObject(element) || Array.isArray(element)))
    return writeText(JSON.stringify(value));
  if (value.length === 0) return '';
  const joined = value.map(writeElement).join(SEPARATOR);
  return value.every((element) => typeof element === 'number') ? joined : writeText(joined);
}

/** Whether a spreadsheet may run a text as a formula. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

export function csvText(text: string): string {
  return text !== '' && !SPECIAL.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

function writeElement(value: Json): string {
  return typeof value === 'string' ? value.replace(/[\\|]/g, '\\$&') : String(value ?? '');
}
