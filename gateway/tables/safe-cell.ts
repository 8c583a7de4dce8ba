import { csvCell, csvText, isFormula } from '../../scripts/bulk/tables.ts';
import type { Json } from '../../scripts/format/dist-format.ts';

/** Writes a value as a cell of CSV (`csvCell`). A text that a spreadsheet could run as a formula begins with `'`. Numbers never do. */
export function safeCell(value: Json | undefined): string {
  return csvCell(value, safeText);
}

/** Writes a text as a cell of CSV, as `safeCell` does. */
export function safeText(text: string): string {
  return csvText(isFormula(text) ? `'${text}` : text);
}
