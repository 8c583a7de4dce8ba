import type { ApiRequest } from './route.ts';

/** What links to pages of a response are made from. */
export type Addressed = Pick<ApiRequest, 'path' | 'search' | 'query'>;

/** Longer links are left out: clients and proxies refuse responses with too large headers. */
const MAX_LINK_LENGTHS = 4096;

/** Returns the links to the first, previous, next and last page that exist, as the value of a Link field (RFC 8288); empty without any. */
export function pageLinks(
  request: Addressed,
  total: number,
  count: number,
  offset: number,
  limit: number | null,
): string {
  if (!limit || total === 0) return '';
  const address = addressOf(request);
  const link = (rel: string, at: number) => `<${address}offset=${at}>; rel="${rel}"`;
  const before = offset % limit;
  const last = before + Math.floor((total - 1 - before) / limit) * limit;
  let links = link('first', 0);
  if (offset > 0) links += `, ${link('prev', Math.max(0, Math.min(offset - limit, last)))}`;
  if (offset + count < total && count > 0) links += `, ${link('next', offset + limit)}`;
  links += `, ${link('last', Math.max(0, last))}`;
  return links.length > MAX_LINK_LENGTHS ? '' : links;
}

/** Matches a query string that `addressOf` would not change: pairs that need no encoding, none of them an offset. */
const PLAIN_PAIRS = /^\?(?:(?!offset=)[\w.~,:[\]-]+=[\w.~,:[\]-]*(?:&(?!$)|$))+$/;

/** Returns the address up to the place of `offset`. */
function addressOf({ path, search, query }: Addressed): string {
  if (PLAIN_PAIRS.test(search)) return `${path}${search}&`;
  let address = `${path}?`;
  for (const [name, value] of query) {
    if (name !== 'offset') address += `${encodeLightly(name)}=${encodeLightly(value)}&`;
  }
  return address;
}

/** Characters that need no encoding. */
const PLAIN = /^[\w.~,:[\]-]*$/;

/** Percent-encodes, except readable characters that a query may contain. */
function encodeLightly(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(/%(2C|3A|5B|5D)/g, decodeURIComponent);
}
