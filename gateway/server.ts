import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import polka from 'polka';
import sirv from 'sirv';
import { authenticate } from './access/authenticate.ts';
import type { DistFollower } from './catalog/follow-dist.ts';
import { refuseConnection } from './http/client-error.ts';
import { trackConnections } from './http/connections.ts';
import { HttpProblem, invalidParameter } from './http/problem.ts';
import { COMMON_HEADERS, createAnswerCache, sendAnswer, sendProblem } from './http/respond.ts';
import type { Log } from './log.ts';
import { describeApi } from './openapi.ts';
import { parseRawQuery } from './query/raw-query.ts';
import type { Services } from './routes/route.ts';
import { ROUTES } from './routes/routes.ts';
import type { Store } from './store/store.ts';
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
const PAGES = new URL('./pages/', import.meta.url).pathname;

/** Makes a gateway out of its parts. */
export function createGateway({ follower, store, log, now }: GatewayOptions): Gateway {
  let open = true;
  const cache = createAnswerCache(ANSWER_CACHE_BYTES);
  const keyOf = new WeakMap<IncomingMessage, string>();
  const services: Services = {
    follower,
    store,
    isOpen: () => open,
    openApi: Buffer.from(JSON.stringify(describeApi(ROUTES, readVersion()))),
  };

  const server = createServer({ maxHeaderSize: LARGEST_HEAD, keepAliveTimeout: KEEP_ALIVE_MS });
  const drain = trackConnections(server);
  server.on('clientError', refuseConnection(LONGEST_TARGET));
  const app = polka({
    server,
    onNoMatch: async (request) => {
      if (isApi(request.path)) await authenticate(request, store, now());
      throw new HttpProblem(
        'not-found',
        `nothing is at ${request.path.slice(0, 200)}; /openapi.json tells all addresses`,
      );
    },
    onError: (error, request, response) => {
      const problem = error instanceof HttpProblem ? error : describeBug(error, log);
      if (response.headersSent) response.destroy();
      else sendProblem(request, response, problem);
    },
  });
  // polka's own parse makes an object of every query string; routes read theirs strictly instead.
  app.parse = parseTarget;

  app.use((request, response, next) => {
    if (!open) response.shouldKeepAlive = false;
    logAnswer(request, response, keyOf, log);
    if (request.method === 'OPTIONS') response.writeHead(204, PREFLIGHT_HEADERS).end();
    else {
      checkRequest(request);
      return next();
    }
  });
  for (const route of ROUTES) {
    app.get(route.path, async (request, response) => {
      const access = route.access === 'key' ? await authenticate(request, store, now()) : undefined;
      if (access) keyOf.set(request, access.key.prefix);
      const query = parseRawQuery(request.search.slice(1));
      if (query === undefined)
        throw invalidParameter('query', 'the query string has malformed percent-encoding, expected UTF-8');
      const view = follower.catalog.viewAt(now());
      const { path, params } = request;
      const answer = await route.handle({ path, params, query, view, ...(access && { access }) }, services);
      await sendAnswer(request, response, answer, cache);
    });
  }
  app.use(sirv(PAGES, { etag: true, extensions: ['html'] }));
  server.on('request', app.handler as (request: IncomingMessage, response: ServerResponse) => void);

  return {
    server,
    async close() {
      open = false;
      await drain(GRACE_MS);
    },
  };
}

function parseTarget(request: IncomingMessage) {
  const raw = request.url ?? '/';
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
    throw invalidParameter('path', 'the path has malformed percent-encoding, expected UTF-8');
  }
}

function describeBug(error: unknown, log: Log): HttpProblem {
  log.error('request failed', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return new HttpProblem(
    'unavailable',
    'the request could not be answered; the failure was recorded',
    {},
    { 'Retry-After': 5 },
  );
}

/** Logs an answer once it is sent; of the key at most its prefix. */
function logAnswer(
  request: IncomingMessage & { path: string },
  response: ServerResponse,
  keyOf: WeakMap<IncomingMessage, string>,
  log: Log,
): void {
  const started = performance.now();
  const { bytesWritten } = request.socket;
  response.once('close', () => {
    log.access({
      method: request.method,
      path: request.path,
      status: response.statusCode,
      bytes: request.socket.bytesWritten - bytesWritten,
      ms: Math.round((performance.now() - started) * 10) / 10,
      key: keyOf.get(request),
    });
  });
}
