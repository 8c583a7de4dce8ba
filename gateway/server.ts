import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import polka, { type Polka, type Request } from 'polka';
import { BadAttempts } from './access/attempts.ts';
import { Authenticator, Keys } from './access/authenticate.ts';
import { Quota } from './access/quota.ts';
import { Api, type ApiIncoming, type Asked, toProblem } from './api/api.ts';
import type { Services } from './api/route.ts';
import { Archive } from './data/archive.ts';
import type { View } from './data/catalog.ts';
import type { DistFollower } from './data/follow-dist.ts';
import { HttpServer, type HttpServerOptions } from './http/http-server.ts';
import {
  ALLOW,
  allowedMethods,
  type Endpoint,
  type EndpointHandler,
  type FileHandler,
  findFault,
  findWrongHost,
  findWrongMethod,
  hasBody,
  type Incoming,
  isApi,
  type PageFrame,
  prefersType,
} from './http/incoming.ts';
import { HttpProblem, quote, unavailable } from './http/problem.ts';
import { COMMON_HEADERS, ReplyCache, sendProblem } from './http/respond.ts';
import type { Store } from './store/sql.ts';

/** The request that polka passes to a handler. */
type RoutedRequest = Request & Incoming;

type OnError = (error: unknown, request: ApiIncoming, response: ServerResponse) => void;

/** The route that a path led to before. */
interface KnownPath {
  pattern: string;
  params: Incoming['params'];
  handle: EndpointHandler;
}

/** How many paths are remembered. Most requests are for few paths. */
const MAX_PATHS = 1000;
/** polka would parse every query string into an object; routes parse their own. */
const NO_QUERY: Record<string, never> = Object.freeze({});

/**
 * The gateway's only router: polka, with a cache of routes by path. A repeated GET of a path skips polka's patterns and the promises it makes per
 * handler, which cost a twentieth of the cheapest response (docs/speed.md).
 */
class Router {
  readonly #onError: OnError;
  readonly #polka: Polka<RoutedRequest>;
  readonly #patterns: RegExp[] = [];
  readonly #paths = new LRUCache<string, KnownPath>({ max: MAX_PATHS });

  constructor(onNoMatch: EndpointHandler, onError: OnError) {
    this.#onError = onError;
    this.#polka = polka<RoutedRequest>({ onNoMatch, onError });
    this.#polka.parse = (message: IncomingMessage) => {
      const { url = '/', path, search } = message as Incoming;
      return { raw: url, pathname: path, search, query: NO_QUERY, hash: undefined };
    };
  }

  /** Adds a handler for GET and HEAD. If several paths match, the first responds. @param path exact, with `:name` for parameters */
  get(path: string, handle: EndpointHandler): void {
    const pattern = exactPath(path);
    this.#patterns.push(pattern);
    this.#polka.get(pattern, (request, response) => {
      request.pattern = path;
      // polka adds the parameters of all paths that match.
      const own = Object.entries(pattern.exec(request.path)?.groups ?? {});
      request.params = Object.fromEntries(own.map(([name, part]) => [name, decodeURIComponent(part)]));
      this.#paths.set(request.path, { pattern: path, params: request.params, handle });
      return handle(request, response);
    });
  }

  /** Returns whether a path is one that GET has. */
  has(path: string): boolean {
    return this.#patterns.some((pattern) => pattern.test(path));
  }

  /** @param path exact, with `:name` for parameters */
  post(path: string, handle: EndpointHandler): void {
    this.#polka.post(exactPath(path), (request, response) => {
      request.pattern = path;
      return handle(request, response);
    });
  }

  /** Adds a handler for all paths without one. */
  use(handle: FileHandler): void {
    this.#polka.use(handle);
  }

  handle(request: Incoming, response: ServerResponse): void {
    const match = request.method === 'GET' ? this.#paths.get(request.path) : undefined;
    if (match === undefined) {
      // polka has its own `next`, although its type requires one.
      void (this.#polka.handler as unknown as EndpointHandler)(request, response);
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

/** Returns a pattern for a path with `:name` parameters. Addresses are exact; polka's patterns ignore case and a final slash. */
function exactPath(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

const REPLY_CACHE_BYTES = 64 * 1024 * 1024;

/** The parts of a gateway. Time is passed in, so that tests can set it. */
export interface GatewayOptions
  extends Omit<HttpServerOptions, 'respond'>,
    Pick<Services, 'links' | 'routes' | 'readAlerts'> {
  follower: DistFollower;
  store: Store;
  /** ms since 1970. */
  now: () => number;
  /** Addresses besides the API: the pages, and the files they load. */
  endpoints?: readonly Endpoint[];
  /** Makes further addresses, which send requests to the API themselves. */
  apiEndpoints?: (api: Api) => readonly Endpoint[];
  /** Makes the handler of files, for paths without a route; its errors are sent as problems. */
  files?: (onError: OnError) => FileHandler;
  /** The layout of pages; without it, browsers get errors as JSON. */
  frame?: PageFrame;
}

/** The list of all addresses, if the gateway has it. */
const LIST = '/openapi.json';

const PREFLIGHT_HEADERS = {
  ...COMMON_HEADERS,
  Allow: ALLOW,
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers':
    'X-API-Key, Authorization, Content-Type, If-None-Match, Cache-Control, Accept, Range, If-Range',
  'Access-Control-Max-Age': '86400',
};

/** A gateway: every request is checked, then routed to the API, an endpoint or a page. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #archive: Archive;
  readonly #keys: Keys;
  readonly #badAttempts = new BadAttempts();
  readonly #api: Api;
  readonly #router: Router;
  readonly #http: HttpServer;
  /** The methods of each endpoint's path, in the form of `Allow`. */
  readonly #methods = new Map<string, string>();
  /** The beginnings of paths that contain a token. */
  readonly #secretPaths: readonly string[];
  #isOpen = true;

  constructor(options: GatewayOptions) {
    const { follower, store, log, now, routes, links, readAlerts, clientAddress } = options;
    this.#options = options;
    this.#archive = new Archive(follower, log);
    this.#keys = new Keys(store, log);
    const checkReadiness = async () => {
      const fault = await this.findUnreadiness();
      if (fault !== undefined) throw unavailable(fault);
    };
    this.#api = new Api({
      ...{ follower, now, clientAddress },
      authenticator: new Authenticator({ keys: this.#keys, clientAddress, badAttempts: this.#badAttempts }),
      services: { store, readAlerts, archive: this.#archive, links, routes, checkReadiness },
      quota: new Quota(store, log),
      replies: new ReplyCache(REPLY_CACHE_BYTES),
    });
    this.#secretPaths = routes.flatMap(({ isAddress, path }) =>
      isAddress ? path.slice(0, path.indexOf(':')) : [],
    );
    this.#router = this.#createRouter();
    this.#http = new HttpServer({
      ...options,
      respond: (request, response) => this.#respond(request, response),
    });
  }

  /** The server, which is not listening yet. */
  get server(): Server {
    return this.#http.server;
  }

  /** Makes the JSON of a 200 for a page, without a key. */
  read(asked: Asked, view: View): Promise<Buffer> {
    return this.#api.read(asked, view);
  }

  get badKeys(): Readonly<BadAttempts['state']> {
    return this.#badAttempts.state;
  }

  /** @returns why the gateway is not ready; undefined if it is */
  async findUnreadiness(): Promise<string | undefined> {
    if (!this.#isOpen) return 'the gateway is shutting down';
    return this.#keys.isReady ? undefined : 'the store does not respond';
  }

  /** Accepts no more connections, finishes the responses under way, and resolves when everything has ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#http.close();
    await this.#archive.close();
    await this.#api.close();
    await this.#keys.close();
  }

  #createRouter(): Router {
    const { routes, endpoints = [], apiEndpoints, files, frame } = this.#options;
    const onError: OnError = (error, request, response) => this.#fail(error, request, response);
    const router = new Router((request) => this.#refuseUnknown(request), onError);
    for (const route of routes)
      router.get(route.path, (request, response) => this.#api.respond(route, request, response));
    const asPage =
      (handle: EndpointHandler): EndpointHandler =>
      (request, response) => {
        request.frame = frame;
        return handle(request, response);
      };
    for (const endpoint of [...endpoints, ...(apiEndpoints?.(this.#api) ?? [])]) {
      const { path, get, post } = endpoint;
      this.#methods.set(path, allowedMethods(endpoint));
      if (get) router.get(path, asPage(get));
      if (post) router.post(path, asPage(post));
    }
    if (files) router.use(files(onError));
    return router;
  }

  async #refuseUnknown(request: ApiIncoming): Promise<never> {
    delete request.pattern;
    const { path } = request;
    const hint = this.#router.has(LIST) ? `; ${LIST} lists all addresses` : '';
    // An extra slash is a slip, and does not count as a request.
    const near = path.replace(/\/+$/, '');
    if (near === path || !this.#router.has(near))
      return await this.#api.refuse(
        request,
        new HttpProblem('not-found', `nothing is at ${quote(path)}${hint}`),
      );
    if (isApi(near)) await this.#api.identify(request);
    throw new HttpProblem(
      'not-found',
      `nothing is at ${quote(path)}; did you mean ${quote(near)}, without a slash at its end?${hint}`,
    );
  }

  /** Makes the checks for every address, then passes the request to the router. */
  #respond(request: ApiIncoming, response: ServerResponse): void {
    const allow = this.#methods.get(request.path);
    const wrongHost = findWrongHost(request);
    if (wrongHost === undefined && request.method === 'OPTIONS') {
      response.writeHead(204, allow === undefined ? PREFLIGHT_HEADERS : { Allow: allow }).end();
      return;
    }
    const wrong = wrongHost ?? findWrongMethod(request, allow);
    if (wrong) {
      this.#fail(wrong, request, response);
      return;
    }
    const fault = findFault(request);
    if (fault === undefined) {
      this.#router.handle(request, response);
      return;
    }
    const refuse = () =>
      this.#api.refuse(request, fault).catch((error: unknown) => this.#fail(error, request, response));
    // A proxy reads the response only after it has sent the body. After Upgrade, node:http does not report an invalid body.
    if (hasBody(request) && request.headers.upgrade === undefined)
      request.once('end', refuse).once('error', refuse).resume();
    else void refuse();
  }

  #fail(error: unknown, request: ApiIncoming, response: ServerResponse): void {
    if (response.writableEnded) return;
    const { frame, log } = this.#options;
    if (response.headersSent) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
        toProblem(error, log);
      response.destroy();
      return;
    }
    const problem = toProblem(error, log);
    const { path, headers, charge } = request;
    if (frame && !isApi(path) && prefersType(headers.accept, 'text/html')) {
      frame.sendProblem(request, response, problem);
      return;
    }
    // The path of a read-only address is a secret, even if the address does not work.
    const isSecret = this.#secretPaths.some((start) => path.startsWith(start));
    const secrecy = isSecret ? { 'Referrer-Policy': 'no-referrer' } : {};
    sendProblem(request, response, problem, { ...charge?.headers, ...secrecy });
  }
}
