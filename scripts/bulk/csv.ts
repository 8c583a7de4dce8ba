import { csvCell, csvText, LINE_END } from '../records/csv-cell.ts';
import type { Table } from './columns.ts';

/** Writes a table as CSV (RFC 4180), in UTF-8. Texts are as they are, also those that a spreadsheet would run as a formula. */
export function writeCsv({ names, columns }: Table): string {
  const rows = columns[0]?.length ?? 0;
  const lines = [names.map(csvText).join()];
  // Readers skip an empty line.
  for (let row = 0; row < rows; row++)
    lines.push(columns.map((column) => csvCell(column[row])).join() || '""');
  return lines.map((line) => line + LINE_END).join('');
}
