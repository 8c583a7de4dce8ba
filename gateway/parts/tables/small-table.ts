import { LINE_END } from '../../../scripts/core/format/csv-cell.ts';
import type { Json } from '../../../scripts/core/format/dist-format.ts';
import { andThen } from '../../core/lib/and-then.ts';
import { safeCell } from './safe-cell.ts';
import type { Result } from '../../core/wire/respond.ts';
import { TABLE_TYPES } from '../../core/api/forms.ts';
import type { Form } from '../../core/api/routes/route.ts';

/** Rows that are made for one response. */
export interface SmallTable<R extends object> {
  /** The names of the columns of CSV. */
  names: readonly string[];
  /** Each is a line of NDJSON. */
  rows: readonly R[];
  cellsOf(row: R): readonly Json[];
}

/**
 * Returns a response with rows as CSV or NDJSON.
 *
 * @param result the JSON response
 */
export function tableResult<R extends object>(
  form: Form,
  result: Result,
  makeTable: () => SmallTable<R> | Promise<SmallTable<R>>,
): Result {
  const write = form === 'csv' ? writeCsv : writeNdjson;
  return {
    ...result,
    type: form === 'csv' ? TABLE_TYPES.csv : TABLE_TYPES.ndjson,
    body: () =>
      andThen(makeTable(), (table) => ({ json: Buffer.from(write(table)), total: table.rows.length })),
  };
}

function writeCsv<R extends object>({ names, rows, cellsOf }: SmallTable<R>): string {
  const lines = [names, ...rows.map(cellsOf)];
  return lines.map((cells) => `${cells.map(safeCell).join()}${LINE_END}`).join('');
}

function writeNdjson<R extends object>({ rows }: SmallTable<R>): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
