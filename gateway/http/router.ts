import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import polka, { type IOptions, type Polka, type Request } from 'polka';
import type { Incoming } from './incoming.ts';

/** What polka hands to a handler. */
export type RoutedRequest = Request & Incoming;

/** How many paths' handlers are remembered: most requests are for a few paths. */
const MAX_PATHS = 1000;

/** Makes the gateway's router: polka, with targets that are parsed already, which tries its patterns once for a path. */
export function createRouter(options: IOptions<RoutedRequest>): Polka<RoutedRequest> {
  const router = polka<RoutedRequest>(options);
  router.parse = (request) => (request as Incoming).target;
  const match = router.find.bind(router);
  const known = new LRUCache<string, ReturnType<typeof match>>({ max: MAX_PATHS });
  router.find = (method, path) => {
    // polka decodes a path's parameters in place, so those of a path with escapes are not shared.
    if (method !== 'GET' || path.includes('%')) return match(method, path);
    const kept = known.get(path);
    if (kept) return kept;
    const found = match(method, path);
    known.set(path, found);
    return found;
  };
  return router;
}

/** Has a router respond to a request. */
export function routeRequest(
  router: Polka<RoutedRequest>,
  request: Incoming,
  response: ServerResponse,
): void {
  // polka makes its own `next`, which its type asks for.
  const handle = router.handler as unknown as (request: Incoming, response: ServerResponse) => void;
  handle(request, response);
}

/** The pattern of a path with `:name` for parameters. polka's own patterns ignore case and a slash at the end; addresses here are exact. */
export function exactPath(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}
