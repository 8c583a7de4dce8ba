import { hasAccountCaps, type Remaining, readRateLimit } from '../../model/quota.ts';
import { readKey } from './key.ts';
import { noteBuild } from './shown-build.ts';

/** Requests whose responses are of a build that they name, and not of the current one. */
const OF_ANY_BUILD = /^\/api\/[^/]+\/(diff\?|snapshot\/)/;

/** A response of the API. */
export interface ApiResponse {
  status: number;
  /** Whether it is a success. */
  ok: boolean;
  /** Its body: JSON, also of an error. */
  body: unknown;
  /** After how many seconds to try again; undefined if it does not say. */
  retryAfter: number | undefined;
  /** What is left of the caps of the account and of the key; empty without caps. */
  remaining: Remaining[];
  /** The build that it is of; undefined if it is of none. */
  build: string | undefined;
}

/**
 * Sends a request to the API with the key of this tab. An unchanged response is not counted: the browser sends its ETag.
 *
 * @param path with its query: `/api/games`
 * @param signal cancels it
 * @throws TypeError when the gateway cannot be reached
 */
export async function requestApi(path: string, signal?: AbortSignal): Promise<ApiResponse> {
  const key = readKey();
  const response = await fetch(path, {
    headers: key === undefined ? {} : { 'X-API-Key': key },
    cache: 'no-cache',
    ...(signal && { signal }),
  });
  const { status, ok, headers } = response;
  const wait = headers.get('Retry-After');
  const remaining = readRateLimit(headers.get('RateLimit'), headers.get('RateLimit-Policy'));
  const build = headers.get('Game-Build');
  if (ok && build !== null && !OF_ANY_BUILD.test(path))
    noteBuild({ build, isCapped: hasAccountCaps(remaining) });
  return {
    status,
    ok,
    body: await response.json(),
    retryAfter: wait === null ? undefined : Number(wait),
    remaining,
    build: build ?? undefined,
  };
}
