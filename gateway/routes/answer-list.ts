import type { Body } from '../http/respond.ts';
import type { Collection } from '../query/collection.ts';
import { projectRow } from '../query/fields.ts';
import type { ListQuery } from '../query/list-query.ts';
import { selectRows } from '../query/select-rows.ts';
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

/** Links longer than this together are left out: a header that clients and proxies cannot take would lose the answer. */
const LONGEST_LINKS = 4096;

/** Links to the first, previous, next and last page, as they exist (RFC 8288). */
function pageLinks(
  { path, query }: ApiRequest,
  total: number,
  count: number,
  offset: number,
  limit: number | null,
): string[] {
  if (!limit || total === 0) return [];
  const others = query
    .filter(([name]) => name !== 'offset')
    .map(([name, value]) => `${encodeLightly(name)}=${encodeLightly(value)}`);
  const link = (rel: string, at: number) =>
    `<${path}?${[...others, `offset=${at}`].join('&')}>; rel="${rel}"`;
  const last = (offset % limit) + Math.floor((total - 1 - (offset % limit)) / limit) * limit;
  const links = [
    link('first', 0),
    ...(offset > 0 ? [link('prev', Math.max(0, Math.min(offset - limit, last)))] : []),
    ...(offset + count < total && count > 0 ? [link('next', offset + limit)] : []),
    link('last', Math.max(0, last)),
  ];
  return links.join().length > LONGEST_LINKS ? [] : links;
}

/** Percent-encodes, but for what a query may hold and a person can read. */
function encodeLightly(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|3A|5B|5D)/g, decodeURIComponent);
}
