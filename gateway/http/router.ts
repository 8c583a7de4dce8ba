import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import polka, { type IOptions, type Polka, type Request } from 'polka';
import type { Incoming } from './incoming.ts';

/** The request that polka passes to a handler. */
export type RoutedRequest = Request & Incoming;

/** How many paths' handlers are remembered: most requests are for few paths. */
const MAX_PATHS = 1000;

/** Makes the gateway's router: polka, which uses the parsed target and remembers the handlers of the last paths. */
export function createRouter(options: IOptions<RoutedRequest>): Polka<RoutedRequest> {
  const router = polka<RoutedRequest>(options);
  router.parse = (request) => (request as Incoming).target;
  const match = router.find.bind(router);
  const known = new LRUCache<string, ReturnType<typeof match>>({ max: MAX_PATHS });
  router.find = (method, path) => {
    // polka decodes parameters in place, so the parameters of a path with escapes must not be shared.
    if (method !== 'GET' || path.includes('%')) return match(method, path);
    const kept = known.get(path);
    if (kept) return kept;
    const found = match(method, path);
    known.set(path, found);
    return found;
  };
  return router;
}

/** Passes a request to a router. */
export function routeRequest(
  router: Polka<RoutedRequest>,
  request: Incoming,
  response: ServerResponse,
): void {
  // polka makes its own `next`, although its type requires one.
  const handle = router.handler as unknown as (request: Incoming, response: ServerResponse) => void;
  handle(request, response);
}

/** Returns the pattern of a path with `:name` parameters. Addresses are exact; polka's own patterns ignore case and a final slash. */
export function exactPath(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}
