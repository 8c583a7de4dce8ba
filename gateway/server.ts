import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { fileURLToPath } from 'node:url';
import polka, { type Request } from 'polka';
import sirv from 'sirv';
import { redactKeys } from './access/api-key.ts';
import { authenticate, type Caller } from './access/authenticate.ts';
import type { DistFollower } from './catalog/follow-dist.ts';
import { refuseConnection } from './http/client-error.ts';
import { trackConnections } from './http/connections.ts';
import { HttpProblem, unavailable } from './http/problem.ts';
import { COMMON_HEADERS, createAnswerCache, sendAnswer, sendProblem } from './http/respond.ts';
import type { Log } from './log.ts';
import { describeApi } from './openapi.ts';
import { ParameterError } from './query/parameter-error.ts';
import { parseRawQuery, type RawQuery } from './query/raw-query.ts';
import { type Route, rejectParameters, type Services } from './routes/route.ts';
import { ROUTES } from './routes/routes.ts';
import type { Store } from './store/store.ts';
import { quote } from './suggest.ts';
import { readVersion } from './version.ts';

/** What a gateway is made of; time comes from outside, so that a test of a rule about time takes none. */
export interface GatewayOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
}

/** A gateway's server, not listening yet. */
export interface Gateway {
  server: Server;
  /** Takes no more connections, finishes what is under way, and resolves when all is done. */
  close(): Promise<void>;
}

/** Longer request targets get a 414. */
const LONGEST_TARGET = 8 * 1024;
/** All of a request's head together; more gets a 431. */
const LARGEST_HEAD = 16 * 1024;
const ANSWER_CACHE_BYTES = 64 * 1024 * 1024;
/** Longer than a load balancer keeps an idle connection, so that it never meets one that is being closed. */
const KEEP_ALIVE_MS = 65_000;
/** How long answers under way may take while shutting down. */
const GRACE_MS = 10_000;

const ALLOW = 'GET, HEAD, OPTIONS';
const PREFLIGHT_HEADERS = {
  ...COMMON_HEADERS,
  Allow: ALLOW,
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers': 'X-API-Key, If-None-Match, Cache-Control, Accept',
  'Access-Control-Max-Age': '86400',
};
// Not `pathname`: a folder may have a space in its name.
const PAGES = fileURLToPath(new URL('./pages/', import.meta.url));

/** A request while it is answered; `caller` once its key is known. */
type Incoming = Request & { caller?: Caller };

/** Makes a gateway out of its parts. */
export function createGateway({ follower, store, log, now }: GatewayOptions): Gateway {
  let open = true;
  const services: Services = {
    store,
    isOpen: () => open,
    openApi: Buffer.from(JSON.stringify(describeApi(ROUTES, readVersion()))),
  };
  const cache = createAnswerCache(ANSWER_CACHE_BYTES);
  const server = createServer({
    maxHeaderSize: LARGEST_HEAD,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  });
  const connections = trackConnections(server);
  server.on('clientError', refuseConnection(LONGEST_TARGET, connections.isBusy));

  const identify = async (request: Incoming): Promise<Caller> => {
    request.caller = await authenticate(request, store, now());
    return request.caller;
  };
  const serveRoute = (route: Route) => async (request: Incoming, response: ServerResponse) => {
    if (route.needsKey) await identify(request);
    const query = readQuery(request, route);
    const view = follower.catalog.viewAt(now());
    const { path, params, caller } = request;
    const answer = await route.handle({ path, params, query, view, ...(caller && { caller }) }, services);
    await sendAnswer(request, response, answer, cache);
  };

  const app = polka<Incoming>({
    onNoMatch: async (request) => {
      if (isApi(request.path)) await identify(request);
      const path = quote(request.path);
      throw new HttpProblem('not-found', `nothing is at ${path}; /openapi.json tells all addresses`);
    },
    onError: (error, request, response) => {
      if (response.headersSent) response.destroy();
      else sendProblem(request, response, toProblem(error, log));
    },
  });
  // polka's own parse makes an object of every query string; routes read theirs strictly instead.
  app.parse = parseTarget;
  app.use((request, response, next) => {
    if (!open) response.shouldKeepAlive = false;
    logAnswer(request, response, log);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, PREFLIGHT_HEADERS).end();
      return;
    }
    checkRequest(request);
    return next();
  });
  for (const route of ROUTES) app.get(toPattern(route.path), serveRoute(route));
  app.use(sirv(PAGES, { etag: true, extensions: ['html'], setHeaders: setCommonHeaders }));
  const listener = app.handler as unknown as RequestListener;
  server.on('request', listener);
  // An expectation that nobody knows is no reason to refuse what is asked for (RFC 9110, 10.1.1).
  server.on('checkExpectation', listener);
  // The head is bounded in bytes; a bound on its lines would drop what comes after without a word.
  server.maxHeadersCount = 0;

  return {
    server,
    async close() {
      open = false;
      await connections.drain(GRACE_MS);
    },
  };
}

/** @throws ParameterError where the query string is malformed or has a parameter that the route does not take */
function readQuery({ search }: Incoming, { parameters }: Route): RawQuery {
  const query = parseRawQuery(search.slice(1));
  if (query === undefined) {
    throw new ParameterError('query', 'the query string has malformed percent-encoding, expected UTF-8');
  }
  const names = parameters.map(({ name }) => name);
  if (!names.includes('filters')) rejectParameters(query, names);
  return query;
}

function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
}

/** A route's path as a pattern; unlike polka's own it minds case. */
function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Splits a request's target; of one in absolute form, which proxies send, the origin is left out (RFC 9112, 3.2.2). */
function parseTarget(request: IncomingMessage) {
  const target = request.url ?? '/';
  const raw = target.startsWith('/') ? target : `/${target.replace(ORIGIN, '').replace(/^\//, '')}`;
  const at = raw.indexOf('?');
  const pathname = at === -1 ? raw : raw.slice(0, at);
  return { raw, pathname, search: at === -1 ? '' : raw.slice(at), query: {}, hash: undefined };
}

function isApi(path: string): boolean {
  return /^\/api(\/|$)/i.test(path);
}

/** @throws HttpProblem for what no address takes */
function checkRequest(request: IncomingMessage & { path: string }): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new HttpProblem(
      'method-not-allowed',
      `${request.method} is not allowed, expected GET; the API is read-only`,
      {},
      { Allow: ALLOW },
    );
  }
  const { length } = request.url ?? '';
  if (length > LONGEST_TARGET) {
    throw new HttpProblem(
      'uri-too-long',
      `the address has ${length} bytes, expected at most ${LONGEST_TARGET}`,
    );
  }
  if (
    Number(request.headers['content-length'] ?? 0) > 0 ||
    request.headers['transfer-encoding'] !== undefined
  ) {
    throw new HttpProblem(
      'invalid-parameter',
      'the request has a body, expected none',
      { parameter: 'body' },
      { Connection: 'close' },
    );
  }
  if (request.path.includes('%') && parseRawQuery(request.path) === undefined) {
    throw new ParameterError('path', 'the path has malformed percent-encoding, expected UTF-8');
  }
}

function toProblem(error: unknown, log: Log): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ParameterError) {
    return new HttpProblem('invalid-parameter', error.message, { parameter: error.parameter });
  }
  log.error('request failed', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return unavailable('the request could not be answered; the failure was recorded');
}

/** Logs an answer once it is sent; of a key at most its prefix, wherever it was put. */
function logAnswer(request: Incoming, response: ServerResponse, log: Log): void {
  const started = performance.now();
  const { bytesWritten } = request.socket;
  response.once('close', () => {
    log.access({
      method: request.method,
      path: redactKeys(request.path),
      status: response.statusCode,
      bytes: request.socket.bytesWritten - bytesWritten,
      ms: Math.round((performance.now() - started) * 10) / 10,
      key: request.caller?.key.prefix,
    });
  });
}
