import type { Incoming } from './incoming.ts';

/**
 * Called once for each response, when it is sent or its connection is closed. It is part of every request: it must neither throw nor
 * allocate.
 *
 * @param request what is known of the request: `pattern` and `tier` as in `Incoming`
 * @param status of the response, even if its connection was closed before it was sent whole
 * @param ms how long the response took
 */
export type ResponseObserver = (
  request: Pick<Incoming, 'pattern' | 'tier'>,
  status: number,
  ms: number,
) => void;
