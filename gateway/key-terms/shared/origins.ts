/** The maximum number of origins in the list of a browser key. */
export const MAX_ORIGINS = 10;
/** An origin has a host of at most 253 characters. */
const MAX_CHARS = 300;

/**
 * Reads a list of origins, separated by commas or white space.
 *
 * @returns the origins without repeats, as browsers send them: in lower case, without the default port and a final slash
 * @throws InputError if an entry is not an origin, or there are none or more than 10
 */
export function readOrigins(text: string): string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.length === 0)
    throw new InputError('the list of origins is empty, expected at least one such as https://example.org');
  if (entries.length > MAX_ORIGINS)
    throw new InputError(
      `the list has ${entries.length} origins, expected at most ${MAX_ORIGINS}; a second browser key can have others`,
    );
  return [...new Set(entries.map(readEntry))];
}

/**
 * Returns whether a request comes from a page of one of the origins, as its browser says.
 *
 * @param origins from `readOrigins`
 * @param headers of the request
 */
export function isFromOrigin(
  origins: readonly string[],
  headers: {
    origin?: string | undefined;
    host?: string | undefined;
    'sec-fetch-site'?: string | string[] | undefined;
  },
): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return origins.includes(origin);
  // Browsers send no Origin with a GET to the page's own host, so that Host has the name of the page's origin.
  if (headers['sec-fetch-site'] !== 'same-origin' || host === undefined) return false;
  return origins.some((each) => hostnameOf(each) === hostnameOf(`https://${host}`));
}

function readEntry(entry: string): string {
  const url = entry.length <= MAX_CHARS && URL.canParse(entry) ? new URL(entry) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin && !entry.includes('*') && !/[?#]/.test(entry)) return url.origin;
  const quoted = JSON.stringify(entry.slice(0, 60));
  throw new InputError(
    `${quoted} is not an origin, expected one such as https://example.org or http://localhost:8080, without a path or *`,
  );
}

/** Proxies may pass Host on without its port. */
function hostnameOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).hostname : undefined;
}
import { InputError } from '../../input/input-error.ts';
