import type { Body } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import { projectRow } from '../query/fields.ts';
import type { ListQuery } from '../query/list-query.ts';
import { selectRows } from '../query/select-rows.ts';
import { pageLinks } from './page-links.ts';
import type { ApiRequest } from './route.ts';

const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

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
    return { json: Buffer.from(`${opening}${records.join()}]}`), links };
  }
  const parts: Buffer[] = [Buffer.from(opening)];
  for (let at = 0; at < rows.length; at++) {
    if (at > 0) parts.push(COMMA);
    parts.push(list.records[rows[at] as number] as Buffer);
  }
  parts.push(END);
  return { json: Buffer.concat(parts), links };
}
