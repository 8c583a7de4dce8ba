import { randomInt } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import polka, { type Middleware, type Polka, type Request } from 'polka';
import type { BadAttemptsState } from './access/account.ts';
import { BadAttempts } from './access/attempts.ts';
import { Authenticator, Keys } from './access/authenticate.ts';
import { Quota } from './access/quota.ts';
import { Api, type ApiAccess, type ApiIncoming, type Asked, toProblem } from './api/api.ts';
import type { Links, People, Route } from './api/route.ts';
import { type Archive, createArchive } from './data/archive.ts';
import type { View } from './data/catalog.ts';
import type { DistFollower } from './data/follow-dist.ts';
import { HttpServer, type HttpServerOptions } from './http/http-server.ts';
import {
  ALLOW,
  allowedMethods,
  type ClientAddress,
  type Endpoint,
  type EndpointHandler,
  type FileHandler,
  findFault,
  findWrongHost,
  findWrongMethod,
  hasBody,
  type Incoming,
  isApi,
  MAX_TARGET_BYTES,
  type PageFrame,
  prefersType,
} from './http/incoming.ts';
import { HttpProblem, quote, unavailable } from './http/problem.ts';
import { COMMON_HEADERS, ReplyCache, sendProblem } from './http/respond.ts';
import type { Store } from './store/sql.ts';

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
  readonly #patterns: RegExp[] = [];
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
    this.#patterns.push(pattern);
    const hasSuffix = /:\w+\./.test(path);
    this.#polka.get(pattern, (request, response) => {
      request.pattern = path;
      if (hasSuffix) request.params = { ...request.params, ...readParameters(pattern, request.path) };
      this.#paths.set(request.path, { pattern: path, params: request.params, handle });
      return handle(request, response);
    });
  }

  /** Returns whether a path is one that GET has. */
  has(path: string): boolean {
    return this.#patterns.some((pattern) => pattern.test(path));
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

/** Makes the handler of files, for addresses that nothing else has; its errors are sent as problems. */
type MakeFiles = (
  onError: (error: unknown, request: ApiIncoming, response: ServerResponse) => void,
) => FileHandler;

const REPLY_CACHE_BYTES = 64 * 1024 * 1024;

/** What can be left out of a gateway. */
interface GatewayParts extends Pick<HttpServerOptions, 'isFast' | 'observe'> {
  /** Addresses besides the API: the pages, and what they need. */
  endpoints?: readonly Endpoint[] | undefined;
  /** Makes further addresses, which make requests to the API themselves. */
  apiEndpoints?: ((api: ApiAccess) => readonly Endpoint[]) | undefined;
  /** Makes signed addresses of downloads. */
  links?: Links | undefined;
  files?: MakeFiles | undefined;
  /** How pages look; without it, browsers get errors as JSON. */
  frame?: PageFrame | undefined;
  /** Keeps responses in memory. */
  replies?: ReplyCache;
}

/** What a gateway is made of. Time is passed in, so that tests can set it. */
export interface GatewayOptions
  extends GatewayParts,
    Pick<HttpServerOptions, 'log' | 'isFromProxy' | 'clientAddress' | 'isHttpsOnly'> {
  follower: DistFollower;
  store: Store;
  people: People;
  /** The route table. */
  routes: readonly Route[];
  /** ms since 1970. */
  now: () => number;
}

/** What has happened since the start that an operator has to know of. */
export interface Faults {
  /** How often the clock of the machine jumped. */
  clockJumps: number;
}

/** The state of a gateway, for metrics. */
export interface GatewayState {
  keys: Keys['state'];
  badKeys: Readonly<BadAttemptsState>;
}

/** Where all addresses are listed, if the gateway has this address. */
const LIST = '/openapi.json';

const PREFLIGHT_HEADERS = {
  ...COMMON_HEADERS,
  Allow: ALLOW,
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers':
    'X-API-Key, Authorization, Content-Type, If-None-Match, Cache-Control, Accept, Range, If-Range',
  'Access-Control-Max-Age': '86400',
};

/** A gateway put together from its parts: every request is checked, then routed to the API, an endpoint or a page. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #archive: Archive;
  readonly #keys: Keys;
  readonly #badAttempts = new BadAttempts();
  readonly #api: Api;
  readonly #router: Router;
  readonly #http: HttpServer;
  /** The methods of each endpoint's path, as `Allow` lists them. */
  readonly #methods: ReadonlyMap<string, string>;
  /** How the paths begin that have a token. */
  readonly #secretPaths: readonly string[];
  #isOpen = true;

  constructor(options: GatewayOptions) {
    const { follower, store, log, routes } = options;
    const { clientAddress = ({ socket }) => socket.remoteAddress ?? '' } = options;
    this.#options = options;
    this.#archive = createArchive(follower, log);
    this.#keys = new Keys(store, log);
    this.#api = this.#createApi(options, clientAddress);
    const endpoints = [...(options.endpoints ?? []), ...(options.apiEndpoints?.(this.#api) ?? [])];
    this.#methods = new Map(endpoints.map((endpoint) => [endpoint.path, allowedMethods(endpoint)]));
    this.#secretPaths = routes.flatMap(({ isAddress, path }) =>
      isAddress ? path.slice(0, path.indexOf(':')) : [],
    );
    this.#router = this.#createRouter(routes, endpoints);
    this.#http = new HttpServer({
      ...options,
      clientAddress,
      respond: (request, response) => this.#respond(request, response),
      maxTargetBytes: MAX_TARGET_BYTES,
    });
  }

  /** The server, not listening yet. */
  get server(): Server {
    return this.#http.server;
  }

  /** The past builds that it serves, and closes when it closes. */
  get archive(): Archive {
    return this.#archive;
  }

  /** Makes the JSON of a 200 for a page, which needs no key. */
  read(asked: Asked, view: View): Promise<Buffer> {
    return this.#api.read(asked, view);
  }

  /** Its current state. */
  get state(): GatewayState {
    return { keys: this.#keys.state, badKeys: this.#badAttempts.state };
  }

  /** Returns why the gateway is not ready; undefined when it is. */
  async findUnreadiness(): Promise<string | undefined> {
    try {
      await this.#checkReadiness();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #checkReadiness(): Promise<void> {
    if (!this.#isOpen) throw unavailable('the gateway is shutting down');
    if (!this.#keys.isReady) throw unavailable('the store does not respond');
  }

  /** Accepts no more connections, finishes the responses under way, and resolves when all is done. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#http.close();
    await this.#archive.close();
    await this.#api.close();
    await this.#keys.close();
  }

  #createApi(
    {
      follower,
      store,
      people,
      routes,
      now,
      log,
      links,
      replies = new ReplyCache(REPLY_CACHE_BYTES),
    }: GatewayOptions,
    clientAddress: ClientAddress,
  ): Api {
    const keys = this.#keys;
    const authenticator = new Authenticator({ keys, clientAddress, badAttempts: this.#badAttempts });
    const services = {
      store,
      people,
      archive: this.#archive,
      links,
      routes,
      checkReadiness: () => this.#checkReadiness(),
      random: (below: number) => randomInt(below),
    };
    const quota = new Quota(store, log);
    return new Api({ follower, authenticator, services, now, quota, replies, clientAddress });
  }

  /** Routes the API, the endpoints, and files. */
  #createRouter(routes: readonly Route[], endpoints: readonly Endpoint[]): Router {
    const onError = (error: unknown, request: ApiIncoming, response: ServerResponse) =>
      this.#fail(error, request, response);
    const router = new Router({ onNoMatch: (request) => this.#refuseUnknown(request), onError });
    for (const route of routes) {
      router.get(route.path, (request, response) => this.#api.respond(route, request, response));
    }
    for (const { path, get, post } of endpoints) {
      if (get) router.get(path, this.#asPage(get));
      if (post) router.post(path, this.#asPage(post));
    }
    const { files } = this.#options;
    if (files) router.use(files(onError));
    return router;
  }

  #asPage(handle: EndpointHandler): EndpointHandler {
    return (request, response) => {
      request.frame = this.#options.frame;
      return handle(request, response);
    };
  }

  async #refuseUnknown(request: ApiIncoming): Promise<never> {
    delete request.pattern;
    // A slash too many is a slip, and does not count.
    const near = request.path.replace(/\/+$/, '');
    if (near !== request.path && this.#router.has(near)) {
      if (isApi(near)) await this.#api.identify(request);
      throw noSuchAddress(
        request.path,
        this.#api.routes,
        `; did you mean ${quote(near)}, without a slash at its end?`,
      );
    }
    return this.#api.refuse(request, noSuchAddress(request.path, this.#api.routes));
  }

  /** Checks what holds for every address, then passes the request to the router. */
  #respond(request: ApiIncoming, response: ServerResponse): void {
    const wrongHost = findWrongHost(request);
    if (wrongHost) {
      this.#fail(wrongHost, request, response);
      return;
    }
    const allow = this.#methods.get(request.path);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, allow === undefined ? PREFLIGHT_HEADERS : { Allow: allow }).end();
      return;
    }
    const wrongMethod = findWrongMethod(request, allow);
    if (wrongMethod) {
      this.#fail(wrongMethod, request, response);
      return;
    }
    const fault = findFault(request);
    if (fault) {
      const refuse = () =>
        this.#api.refuse(request, fault).catch((error: unknown) => this.#fail(error, request, response));
      // A proxy reads the response when it has sent the body.
      if (hasBody(request)) request.once('end', refuse).once('error', refuse).resume();
      else void refuse();
      return;
    }
    this.#router.handle(request, response);
  }

  /** The path of a read-only address is a secret, even if the address does not work. */
  #secrecyOf({ path }: ApiIncoming): Record<string, string> {
    const isSecret = this.#secretPaths.some((start) => path.startsWith(start));
    return isSecret ? { 'Referrer-Policy': 'no-referrer' } : {};
  }

  #fail(error: unknown, request: ApiIncoming, response: ServerResponse): void {
    // `wire/` has already responded, because the bytes after the head were not HTTP.
    if (response.writableEnded) return;
    if (response.headersSent) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
        toProblem(error, this.#options.log);
      response.destroy();
      return;
    }
    const { frame, log } = this.#options;
    const problem = toProblem(error, log);
    const isPage = frame && !isApi(request.path) && prefersType(request.headers.accept, 'text/html');
    if (isPage) frame.sendProblem(request, response, problem);
    else sendProblem(request, response, problem, { ...request.charge?.headers, ...this.#secrecyOf(request) });
  }
}

function noSuchAddress(path: string, routes: readonly Route[], near = ''): HttpProblem {
  const hint = routes.some((route) => route.path === LIST) ? `; ${LIST} lists all addresses` : '';
  return new HttpProblem('not-found', `nothing is at ${quote(path)}${near}${hint}`);
}
