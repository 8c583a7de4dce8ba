import type { Body } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import { projectRow } from '../query/fields.ts';
import type { ListQuery } from '../query/list-query.ts';
import { selectRows } from '../query/select-rows.ts';
import { pageLinks } from './page-links.ts';
import type { ApiRequest } from './route.ts';

const COMMA = 0x2c;
const END = ']}';

/**
 * Puts a page of a list together: an envelope, and the records' bytes as they are.
 *
 * @param head the envelope's first members
 * @param recordsKey the envelope's last member, which holds the records
 */
export function answerList(
  request: ApiRequest,
  list: Collection,
  query: ListQuery,
  head: Record<string, unknown>,
  recordsKey: string,
): Body {
  const { total, rows } = selectRows(list, query);
  const { limit = null, offset, sortName, ids, projection } = query;
  const envelope = {
    ...head,
    total,
    count: rows.length,
    limit,
    offset,
    sort: sortName,
    ...(ids && { missing: ids.missing }),
  };
  const opening = `${JSON.stringify(envelope).slice(0, -1)},"${recordsKey}":[`;
  const links = pageLinks(request, total, rows.length, offset, limit);
  if (projection) {
    const records = Array.from(rows, (row) => projectRow(projection, row) ?? '{}');
    return { json: Buffer.from(`${opening}${records.join()}${END}`), links };
  }
  return { json: joinRecords(opening, list.records, rows), links };
}

function joinRecords(opening: string, records: readonly Buffer[], rows: ArrayLike<number>): Buffer {
  let length = Buffer.byteLength(opening) + Math.max(0, rows.length - 1) + END.length;
  for (let index = 0; index < rows.length; index++)
    length += (records[rows[index] as number] as Buffer).length;
  // Not out of a pool, which would live as long as an answer that is kept.
  const json = Buffer.allocUnsafeSlow(length);
  let at = json.write(opening);
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) json[at++] = COMMA;
    const record = records[rows[index] as number] as Buffer;
    json.set(record, at);
    at += record.length;
  }
  json.write(END, at);
  return json;
}
