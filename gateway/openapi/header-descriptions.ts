const header = (description: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
});

/** The header fields of responses. */
export const HEADERS = {
  ETag: header('Strong: at one address, the same tag means the same bytes.'),
  'Cache-Control': header(
    'A client may cache the response for itself, and must revalidate it before each use.',
  ),
  Vary: header('The request header fields that the response depends on.'),
  Link: header('The terms of use.'),
  PageLink: header('The terms of use; the first, previous, next and last page where they exist.'),
  Deprecation: header('Since when the address is deprecated (RFC 9745).', false),
  Sunset: header('When the address ends at the earliest (RFC 8594).', false),
  'X-Total-Count': header('How many rows match, on all pages; only of CSV and NDJSON.'),
  'Game-Build': header('The build that the response belongs to.'),
  'Retry-After': header('The seconds to wait before the next try.'),
  'RateLimit-Policy': header(
    'The caps of the account, on every response to a key that has any: `"minute";q=10;w=60` means 10 requests in any 60 seconds, `"day"` is the ' +
      'UTC day. Every request counts, except those for /api/me and those whose response is 304, 401, 429 or 5xx.',
    false,
  ),
  RateLimit: header(
    'For each cap, how many requests are left (`r`) and in how many seconds that number next grows (`t`).',
    false,
  ),
  'Content-Location': header(
    'Only when the record was renumbered and the address has an earlier id: its address with the current id.',
    false,
  ),
  'Content-Language': header('The language of `lang`, as a language tag; only with that parameter.', false),
  'Accept-Ranges': header('`bytes`: `Range` requests are possible.'),
  'Content-Disposition': header('The name to save the file under.'),
  'Content-Range': header('The position of these bytes, and the size of the whole file.'),
  'Repr-Digest': header('The SHA-256 of the whole file as sent, coding included (RFC 9530).'),
};
