import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import polka, { type Request } from 'polka';
import sirv from 'sirv';
import { cacheKeys } from './access/key-cache.ts';
import { createApi, type Incoming } from './api/api.ts';
import { describeApi } from './api/openapi.ts';
import { createRouteFinder, toPattern } from './api/routes/find-route.ts';
import type { Services } from './api/routes/route.ts';
import { ROUTES } from './api/routes/routes.ts';
import { toProblem } from './api/to-problem.ts';
import type { DistFollower } from './catalog/follow-dist.ts';
import { ALLOW, checkMethod, findFault, isApi, LONGEST_TARGET, parseTarget } from './http/check-request.ts';
import { allowedMethods, type Endpoint } from './http/endpoint.ts';
import { prefersType } from './http/media-type.ts';
import { HttpProblem } from './http/problem.ts';
import { atEndOfTurn } from './lib/at-end-of-turn.ts';
import { quote } from './lib/suggest.ts';
import { readVersion } from './lib/version.ts';
import type { Log } from './log/log.ts';
import { createArchive } from './past-builds/archive.ts';
import { findKey } from './people/accounts/accounts.ts';
import { createEventStreams } from './people/alerts/event-streams.ts';
import { problemPage, sendPage } from './people/web/page.ts';
import { isRevoked, tierAt } from './plans/account.ts';
import { createLinks, type LinkScheme } from './snapshot-links/links.ts';
import type { Store } from './store/store.ts';
import { refuseConnection } from './wire/client-error.ts';
import { trackConnections } from './wire/connections.ts';
import { onClose } from './wire/on-close.ts';
import { COMMON_HEADERS, sendProblem } from './wire/respond.ts';
import { KEEP_ALIVE_SECONDS } from './wire/send-whole.ts';

/** What a gateway is made of; time comes from outside, so that a test of a rule about time takes none. */
export interface GatewayOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
  /** How addresses of downloads are signed; without it, with a secret of this gateway alone. */
  linkScheme?: LinkScheme;
  /** Addresses besides the API and the pages. */
  endpoints?: readonly Endpoint[];
}

/** A gateway's server, not listening yet. */
export interface Gateway {
  server: Server;
  /** Takes no more connections, finishes what is under way, and resolves when all is done. */
  close(): Promise<void>;
}

/** All of a request's head together; more gets a 431. */
const LARGEST_HEAD = 16 * 1024;
/** How long answers under way may take while shutting down. */
const GRACE_MS = 10_000;
/** How long a request may take to arrive, its body included. */
const ARRIVAL_MS = 30_000;

/** How many requests are answered together at most: one connection can bring thousands in a turn, and is read on until answers wait on it. */
const MOST_TOGETHER = 64;

const PREFLIGHT_HEADERS = {
  ...COMMON_HEADERS,
  Allow: ALLOW,
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers':
    'X-API-Key, If-None-Match, Cache-Control, Accept, Range, If-Range, Last-Event-ID',
  'Access-Control-Max-Age': '86400',
};
// Not `pathname`: a folder may have a space in its name.
const PAGES = fileURLToPath(new URL('./pages/', import.meta.url));

type PageRequest = Request & Incoming;

/** Makes a gateway out of its parts. */
export function createGateway({
  follower,
  store,
  log,
  now,
  linkScheme,
  endpoints = [],
}: GatewayOptions): Gateway {
  let open = true;
  const archive = createArchive(follower.folder, log);
  const keys = cacheKeys({ findKey: (hash) => findKey(store, hash), revision: () => store.revision() });
  const services: Services = {
    store,
    archive,
    streams: createEventStreams(store),
    async isStillPro({ hash }) {
      const issued = await keys.find(hash);
      return issued !== undefined && !isRevoked(issued.key, now()) && tierAt(issued.account, now()) === 'pro';
    },
    links: createLinks(now, linkScheme),
    isOpen: () => open,
    openApi: Buffer.from(JSON.stringify(describeApi(ROUTES, readVersion()))),
  };
  const api = createApi({ follower, keys, services, log, now });
  const server = createServer({
    maxHeaderSize: LARGEST_HEAD,
    keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
    requestTimeout: ARRIVAL_MS,
    headersTimeout: ARRIVAL_MS,
    requireHostHeader: false,
  });
  const connections = trackConnections(server);
  server.on('clientError', refuseConnection(LONGEST_TARGET, connections.isBusy));

  /** Counts and logs an answer; it is over when it is sent, or its connection is closed. */
  const begin = (request: Incoming, response: ServerResponse): void => {
    const { socket } = request;
    const started = performance.now();
    // Where requests are pipelined, an answer waits for the one before it, and the next goes out before its 'close'.
    let from: number | undefined;
    let to: number | undefined;
    const start = () => {
      from = socket.bytesWritten;
    };
    if (response.socket === null) response.once('socket', start);
    else start();
    response.prependListener('finish', () => {
      to = socket.bytesWritten;
    });
    if (!open) response.shouldKeepAlive = false;
    connections.begin(socket, response);
    response.on('close', () => {
      connections.end(socket, response);
      log.access({
        method: request.method as string,
        path: request.path,
        status: response.statusCode,
        bytes: from === undefined ? 0 : (to ?? socket.bytesWritten) - from,
        ms: performance.now() - started,
        key: request.caller?.key.prefix,
      });
    });
  };
  const fail = (error: unknown, request: Incoming, response: ServerResponse): void => {
    if (response.headersSent) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') toProblem(error, log);
      response.destroy();
    } else if (!isApi(request.path) && prefersType(request.headers.accept, 'text/html'))
      sendPage(request, response, problemPage(toProblem(error, log)));
    else sendProblem(request, response, toProblem(error, log), request.charge?.headers);
  };

  const pages = polka<PageRequest>({
    onNoMatch(request) {
      const path = quote(request.path);
      return api.refuse(
        request,
        new HttpProblem('not-found', `nothing is at ${path}; /openapi.json tells all addresses`),
      );
    },
    onError: fail,
  });
  // polka's own parse makes an object of every query string.
  pages.parse = parseTarget;
  for (const { path, get, post } of endpoints) {
    if (get) pages.get(toPattern(path), get);
    if (post) pages.post(toPattern(path), post);
  }
  pages.use(sirv(PAGES, { etag: true, extensions: ['html'], setHeaders: setCommonHeaders }));
  const handlePage = pages.handler as unknown as (request: Incoming, response: ServerResponse) => void;
  const answerPage = (request: Incoming, response: ServerResponse): void => {
    response.once('pipe', (file) => {
      // Nobody else listens for the failure of a page's file, which would end the process, or closes a file that is not read to its end.
      file.on('error', (error) => fail(error, request, response));
      onClose(response, () => file.destroy());
    });
    handlePage(request, response);
  };

  const methods = new Map(endpoints.map((endpoint) => [endpoint.path, allowedMethods(endpoint)]));
  const findRoute = createRouteFinder(ROUTES);
  const answer = (request: Incoming, response: ServerResponse): void | Promise<void> => {
    const allow = methods.get(request.path);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, allow === undefined ? PREFLIGHT_HEADERS : { Allow: allow }).end();
      return undefined;
    }
    checkMethod(request, allow);
    const fault = findFault(request);
    if (fault) return api.refuse(request, fault);
    const found = findRoute(request.path);
    if (found) return api.answer(found, request, response);
    return answerPage(request, response);
  };
  const answerSoon = atEndOfTurn<{ request: Incoming; response: ServerResponse }>((begun) => {
    for (const { request, response } of begun) {
      try {
        answer(request, response)?.catch((error: unknown) => fail(error, request, response));
      } catch (error) {
        fail(error, request, response);
      }
    }
  }, MOST_TOGETHER);
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const request = toIncoming(message);
    begin(request, response);
    answerSoon({ request, response });
  };
  server.on('request', listener);
  // An expectation that nobody knows is no reason to refuse what is asked for (RFC 9110, 10.1.1).
  server.on('checkExpectation', listener);
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    // To an answer that waits for the one before it, node:http would write this between the head and the body.
    const goOn = () => {
      if (!response.headersSent) response.writeContinue();
    };
    if (response.socket === null) response.once('socket', goOn);
    else goOn();
    listener(message, response);
  });
  // The head is bounded in bytes; a bound on its lines would drop what comes after without a word.
  server.maxHeadersCount = 0;

  return {
    server,
    async close() {
      open = false;
      services.streams.close();
      await connections.drain(GRACE_MS);
      await archive.close();
    },
  };
}

function toIncoming(message: IncomingMessage): Incoming {
  const request = message as Incoming;
  const { raw, pathname, search } = parseTarget(message);
  request.url = raw;
  request.path = pathname;
  request.search = search;
  return request;
}

function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
}
