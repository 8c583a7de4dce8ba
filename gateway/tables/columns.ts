import { ParameterError, type RawQuery } from '../http/raw-query.ts';
import { quote } from '../http/suggest.ts';
import type { QueryParameter } from '../api/route.ts';

/** The parameter that chooses the columns of CSV. */
export const COLUMNS: QueryParameter = {
  name: 'columns',
  description:
    'These columns in this order, by dotted key and separated by commas, of all that full records have. An object stands for all columns in it. Without it, the ' +
    'columns are those of the records in the list, or what `fields` names, in the order of the attribute dictionary.',
  schema: { type: 'array', items: { type: 'string', description: 'A dotted key.' } },
  style: 'form',
  explode: false,
  example: ['id', 'name', 'stats'],
};

/** The parameter that makes CSV open well in spreadsheets. */
export const CSV: QueryParameter = {
  name: 'csv',
  description:
    '`spreadsheet` begins the file with a byte order mark, by which Excel recognizes UTF-8 when the file is opened. Cells are the same.',
  schema: { type: 'string', enum: ['spreadsheet'] },
};

const BYTE_ORDER_MARK = '\ufeff';

/** Returns what the CSV that a request asks for begins with. @throws ParameterError */
export function readOpening(query: RawQuery): string {
  const values = query.flatMap(([name, value]) => (name === CSV.name ? [value] : []));
  if (values.length === 0) return '';
  if (values.length === 1 && values[0] === 'spreadsheet') return BYTE_ORDER_MARK;
  throw new ParameterError(CSV.name, `csv is ${values.map(quote).join(', ')}, expected spreadsheet, once`);
}
