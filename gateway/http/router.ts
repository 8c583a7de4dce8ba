import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import polka, { type Middleware, type Polka, type Request } from 'polka';
import type { Incoming } from './incoming.ts';

/** The request that polka passes to a handler. */
type RoutedRequest = Request & Incoming;

/** Responds to requests for one path; what it throws or rejects with goes to `onError`. */
export type PathHandler = (request: Incoming, response: ServerResponse) => void | Promise<void>;

/** Options of a router. */
export interface RouterOptions {
  /** Responds where no handler does. */
  onNoMatch: PathHandler;
  onError(error: unknown, request: Incoming, response: ServerResponse): void;
}

/** Where a path led before. */
interface KnownPath {
  pattern: string;
  params: Incoming['params'];
  handle: PathHandler;
}

/** How many paths are remembered: most requests are for few paths. */
const MAX_PATHS = 1000;
/** polka would parse every query string into an object; routes read their own. */
const NO_QUERY: Record<string, never> = Object.freeze({});

/**
 * The gateway's one router: polka, which remembers where a path led. A further GET of the same path skips polka's patterns and the
 * promises that it makes per handler, which cost a twentieth of the cheapest response (docs/speed.md).
 */
export class Router {
  readonly #onError: RouterOptions['onError'];
  readonly #polka: Polka<RoutedRequest>;
  readonly #paths = new LRUCache<string, KnownPath>({ max: MAX_PATHS });

  constructor({ onNoMatch, onError }: RouterOptions) {
    this.#onError = onError;
    this.#polka = polka<RoutedRequest>({ onNoMatch, onError });
    this.#polka.parse = parseIncoming;
  }

  /**
   * Adds a handler for GET and HEAD. If several paths match, the first handler responds, but it gets the parameters of all of them. So a
   * name must mean the same part in each path, except that a suffix may follow it in one: `:name.csv`.
   *
   * @param path exact, with `:name` for parameters
   */
  get(path: string, handle: PathHandler): void {
    const pattern = exactPath(path);
    const hasSuffix = /:\w+\./.test(path);
    this.#polka.get(pattern, (request, response) => {
      request.pattern = path;
      if (hasSuffix) request.params = { ...request.params, ...readParameters(pattern, request.path) };
      this.#paths.set(request.path, { pattern: path, params: request.params, handle });
      return handle(request, response);
    });
  }

  /** @param path exact, with `:name` for parameters */
  post(path: string, handle: PathHandler): void {
    this.#polka.post(exactPath(path), (request, response) => {
      request.pattern = path;
      return handle(request, response);
    });
  }

  /** Adds a handler for all that no path handles. */
  use(handle: Middleware<RoutedRequest>): void {
    this.#polka.use(handle);
  }

  /** Responds to a request. */
  handle(request: Incoming, response: ServerResponse): void {
    const match = request.method === 'GET' ? this.#paths.get(request.path) : undefined;
    if (match === undefined) {
      // polka makes its own `next`, although its type requires one.
      const handle = this.#polka.handler as unknown as PathHandler;
      void handle(request, response);
      return;
    }
    request.pattern = match.pattern;
    request.params = match.params;
    try {
      match.handle(request, response)?.catch((error: unknown) => this.#onError(error, request, response));
    } catch (error) {
      this.#onError(error, request, response);
    }
  }
}

/** Returns a request's target in the shape of polka's own parser. */
function parseIncoming(message: IncomingMessage) {
  const { url = '/', path, search } = message as Incoming;
  return { raw: url, pathname: path, search, query: NO_QUERY, hash: undefined };
}

/** Returns the parameters of one pattern, decoded. */
function readParameters(pattern: RegExp, path: string): Record<string, string> {
  const { groups = {} } = pattern.exec(path) ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, part]) => [name, decodeURIComponent(part)]));
}

/** Returns the pattern of a path with `:name` parameters. Addresses are exact; polka's own patterns ignore case and a final slash. */
function exactPath(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}
