import { readKey } from './key.ts';

/** A response of the API. */
export interface ApiResponse {
  status: number;
  /** Its body: JSON, also of an error. */
  body: unknown;
  /** What is left of the caps, as the header field `RateLimit` has it; undefined without caps. */
  limits: string | undefined;
}

/**
 * Sends a request to the API with the key of this tab. An unchanged response is not counted: the browser sends its ETag.
 *
 * @param path with its query: `/api/games`
 * @throws TypeError when the gateway cannot be reached
 */
export async function requestApi(path: string, signal?: AbortSignal): Promise<ApiResponse> {
  const key = readKey();
  const response = await fetch(path, {
    headers: key === undefined ? {} : { 'X-API-Key': key },
    cache: 'no-cache',
    ...(signal && { signal }),
  });
  return {
    status: response.status,
    body: await response.json(),
    limits: response.headers.get('RateLimit') ?? undefined,
  };
}
