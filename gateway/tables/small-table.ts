import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { LINE_END } from '../../scripts/bulk/tables.ts';
import type { MemberRows } from '../api/route.ts';
import { andThen } from '../http/work.ts';
import type { Body, Result } from '../http/respond.ts';
import { safeCell } from './safe-cell.ts';

/**
 * Writes the rows that are elements of a member of a JSON response.
 *
 * @param result the JSON response
 * @param opening what comes before the first line
 */
export function writeMember(
  form: 'csv' | 'ndjson',
  rows: MemberRows,
  result: Result,
  opening: string,
): Body | Promise<Body> {
  const write = form === 'csv' ? writeCsv : writeNdjson;
  return andThen(result.body(), ({ json }) => {
    const elements = (JSON.parse(json.toString()) as Record<string, JsonObject[]>)[rows.member] ?? [];
    return { json: Buffer.from(opening + write(rows, elements)), total: elements.length };
  });
}

function writeCsv({ names, cellsOf }: MemberRows, elements: readonly JsonObject[]): string {
  const lines = [names, ...elements.map((element) => cellsOf(element))];
  return lines.map((cells) => `${cells.map((cell) => safeCell(cell)).join()}${LINE_END}`).join('');
}

function writeNdjson(_: MemberRows, elements: readonly JsonObject[]): string {
  return elements.map((element) => `${JSON.stringify(element)}\n`).join('');
}
