import type { ApiRequest } from './route.ts';

/** Links longer than this together are left out: a header that clients and proxies cannot take would lose the answer. */
const LONGEST_LINKS = 4096;

/** Links to the first, previous, next and last page, as they exist, as the value of a field Link (RFC 8288); empty where there are none. */
export function pageLinks(
  request: ApiRequest,
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
  return links.length > LONGEST_LINKS ? '' : links;
}

/** A query string that is already as `addressOf` writes it: pairs that need no encoding, none an offset, with one `&` between them. */
const PLAIN_PAIRS = /^\?(?:(?!offset=)[\w.~,:[\]-]+=[\w.~,:[\]-]*(?:&(?!$)|$))+$/;

/** The address up to where `offset` follows. */
function addressOf({ path, search, query }: ApiRequest): string {
  if (PLAIN_PAIRS.test(search)) return `${path}${search}&`;
  let address = `${path}?`;
  for (const [name, value] of query) {
    if (name !== 'offset') address += `${encodeLightly(name)}=${encodeLightly(value)}&`;
  }
  return address;
}

/** What needs no encoding. */
const PLAIN = /^[\w.~,:[\]-]*$/;

/** Percent-encodes, but for what a query may hold and a person can read. */
function encodeLightly(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(/%(2C|3A|5B|5D)/g, decodeURIComponent);
}
