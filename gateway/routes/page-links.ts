import type { ApiRequest } from './route.ts';

/** Links longer than this together are left out: a header that clients and proxies cannot take would lose the answer. */
const LONGEST_LINKS = 4096;

/** Links to the first, previous, next and last page, as they exist (RFC 8288). */
export function pageLinks(
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

/** What needs no encoding. */
const PLAIN = /^[\w.~,:[\]-]*$/;

/** Percent-encodes, but for what a query may hold and a person can read. */
function encodeLightly(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(/%(2C|3A|5B|5D)/g, decodeURIComponent);
}
