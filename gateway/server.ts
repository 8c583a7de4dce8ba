import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import polka, { type Request } from 'polka';
import sirv from 'sirv';
import { redactKeys } from './access/api-key.ts';
import { authenticate, type Caller } from './access/authenticate.ts';
import { cacheKeys } from './access/key-cache.ts';
import { isRevoked, tierAt } from './accounts/account.ts';
import { findKey } from './accounts/accounts.ts';
import { createEventStreams } from './alerts/event-streams.ts';
import { createArchive } from './archive/archive.ts';
import type { Catalog, View } from './catalog/catalog.ts';
import type { DistFollower } from './catalog/follow-dist.ts';
import { withNewest } from './catalog/with-newest.ts';
import {
  ALLOW,
  checkMethod,
  findFault,
  hasBody,
  isApi,
  LONGEST_TARGET,
  parseTarget,
} from './http/check-request.ts';
import { refuseConnection } from './http/client-error.ts';
import { trackConnections } from './http/connections.ts';
import { allowedMethods, type Endpoint } from './http/endpoint.ts';
import { prefersType } from './http/media-type.ts';
import { problemPage, sendPage } from './http/page.ts';
import { HttpProblem, proOnly } from './http/problem.ts';
import {
  type Answer,
  COMMON_HEADERS,
  createReplyCache,
  isUnchanged,
  matchesEtag,
  replyName,
  type StreamAnswer,
  sendAnswer,
  sendProblem,
  sendReply,
} from './http/respond.ts';
import { sendFile } from './http/send-file.ts';
import { isFault, toProblem } from './http/to-problem.ts';
import { createLinks, type LinkScheme } from './links/links.ts';
import type { Log } from './log.ts';
import { describeApi } from './openapi.ts';
import { ParameterError } from './query/parameter-error.ts';
import { parseRawQuery, type RawQuery } from './query/raw-query.ts';
import { type Charge, type ChargeKind, chargeRequest } from './quota/charge.ts';
import { createMeter } from './quota/meter.ts';
import { type Route, type RouteAnswer, rejectParameters, type Services } from './routes/route.ts';
import { ROUTES } from './routes/routes.ts';
import type { Store } from './store/store.ts';
import { quote } from './suggest.ts';
import { TIERS } from './tiers.ts';
import { readVersion } from './version.ts';

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
const REPLY_CACHE_BYTES = 64 * 1024 * 1024;
/** Longer than a load balancer keeps an idle connection, so that it never meets one that is being closed. */
const KEEP_ALIVE_MS = 65_000;
/** How long answers under way may take while shutting down. */
const GRACE_MS = 10_000;
/** How long a request may take to arrive, its body included. */
const ARRIVAL_MS = 30_000;

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

/** A request while it is answered: `known` where its key is in memory, `caller` once it is asked for, `charge` once its account is charged. */
type Incoming = Request & { known?: Caller; caller?: Caller; charge?: Charge };

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
  const keys = cacheKeys({ findKey: (hash) => findKey(store, hash), revision: store.revision });
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
  const replies = createReplyCache(REPLY_CACHE_BYTES);
  const server = createServer({
    maxHeaderSize: LARGEST_HEAD,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: ARRIVAL_MS,
    headersTimeout: ARRIVAL_MS,
    requireHostHeader: false,
  });
  const connections = trackConnections(server);
  server.on('clientError', refuseConnection(LONGEST_TARGET, connections.isBusy));

  const meter = createMeter(store, now, log);

  const identify = async (request: Incoming): Promise<Caller> => {
    request.caller = request.known ?? (await authenticate(request, keys, now()));
    return request.caller;
  };
  const handle = async (request: Incoming, route: Route, view: View): Promise<RouteAnswer> => {
    const { path, params, caller, charge } = request;
    if (route.isPro && caller?.tier !== 'pro') throw proOnly();
    const query = readQuery(request, route);
    const { accept } = request.headers;
    const personal = route.isPersonal && {
      ...(caller && { caller }),
      ...(charge && { usage: charge.usage }),
      // Node joins a header that is sent twice by a comma.
      lastEventId: request.headers['last-event-id'] as string | undefined,
    };
    return await route.handle({ path, params, query, accept, view, ...personal }, services);
  };
  const viewOf = ({ caller }: Incoming, { isSigned }: Route, catalog: Catalog): View =>
    catalog.viewAt(now(), caller?.tier ?? (isSigned ? 'pro' : 'free'));
  const charge = async (request: Incoming, kind: ChargeKind): Promise<void> => {
    const { tier, account } = request.caller as Caller;
    const { limits } = TIERS[tier];
    if (limits) request.charge = await chargeRequest(meter, account.id, limits, kind);
  };
  /**
   * Charges the account of a request, which counts unless its answer is a 304; that is found out first.
   *
   * @returns the answer, where it is a 304
   */
  const admit = async (request: Incoming, route: Route): Promise<Answer | undefined> => {
    const isCapped = TIERS[(request.caller as Caller).tier].limits !== null && !route.isFree;
    const isConditional = isCapped && request.headers['if-none-match'] !== undefined;
    // What fails here fails again, and is answered, when the request is handled.
    const answer = isConditional
      ? await handle(request, route, viewOf(request, route, follower.catalog)).catch(() => undefined)
      : undefined;
    const unchanged = answer && 'body' in answer && isUnchanged(request, answer) ? answer : undefined;
    await charge(request, route.isFree ? 'free' : unchanged ? 'unchanged' : 'counted');
    return unchanged;
  };
  /** Refuses what no route takes; under /api only to who has a key, and it counts. */
  const refuse = async (request: Incoming, problem: Error): Promise<never> => {
    if (isApi(request.path)) {
      await identify(request);
      await charge(request, 'counted');
    }
    throw problem;
  };
  const begin = (request: Incoming, response: ServerResponse): void => {
    if (!open) response.shouldKeepAlive = false;
    logAnswer(request, response, log);
  };
  /**
   * Answers what was answered before to somebody who saw the same, without a look at what is asked for.
   *
   * @returns false, and nothing is done, where the request has to be looked at
   */
  const repeat = (request: Incoming, response: ServerResponse): boolean => {
    if (request.method !== 'GET' || hasBody(request)) return false;
    const caller = knownCaller(request);
    if (caller === undefined) return false;
    request.known = caller;
    const reply = replies.get(replyName(request, caller.tier));
    if (reply?.view !== follower.catalog.viewAt(now(), caller.tier)) return false;
    request.caller = caller;
    request.path = parseTarget(request).pathname;
    begin(request, response);
    const send = () => sendReply(request, response, reply, request.charge?.headers);
    if (TIERS[caller.tier].limits === null) send();
    else {
      const isUnchanged = matchesEtag(request.headers['if-none-match'], reply.etag);
      charge(request, isUnchanged ? 'unchanged' : 'counted')
        .then(send)
        .catch((error: unknown) => fail(error, request, response));
    }
    return true;
  };
  /** Who asks, where the key is in memory; what is wrong with another one is told when the request is looked at. */
  const knownCaller = (request: Incoming): Caller | undefined => {
    try {
      const caller = authenticate(request, keys, now());
      if (!(caller instanceof Promise)) return caller;
      caller.catch(() => {});
    } catch {}
    return undefined;
  };
  const serveRoute = (route: Route) => async (request: Incoming, response: ServerResponse) => {
    if (route.needsKey) await identify(request);
    const unchanged = route.needsKey ? await admit(request, route) : undefined;
    let stream: StreamAnswer | undefined;
    const answerFrom = async (catalog: Catalog) => {
      const view = viewOf(request, route, catalog);
      const answer = unchanged ?? (await handle(request, route, view));
      if ('files' in answer) await sendFile(request, response, answer);
      else if ('stream' in answer) stream = answer;
      else {
        const seen = route.isPersonal ? undefined : view;
        const to = { tier: request.caller?.tier, view: seen, further: request.charge?.headers };
        await sendAnswer(request, response, answer, replies, to);
      }
    };
    try {
      await withNewest(follower, answerFrom, () => !response.headersSent);
      // Whoever listens for days does not hold on to the catalogue of today.
      await stream?.stream(response);
    } catch (error) {
      if (isFault(error)) await request.charge?.undo();
      throw error;
    }
  };

  const fail = (error: unknown, request: Incoming, response: ServerResponse): void => {
    if (response.headersSent) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') toProblem(error, log);
      response.destroy();
    } else if (!isApi(request.path) && prefersType(request.headers.accept, 'text/html'))
      sendPage(request, response, problemPage(toProblem(error, log)));
    else sendProblem(request, response, toProblem(error, log), request.charge?.headers);
  };

  const app = polka<Incoming>({
    onNoMatch: (request) => {
      const path = quote(request.path);
      return refuse(
        request,
        new HttpProblem('not-found', `nothing is at ${path}; /openapi.json tells all addresses`),
      );
    },
    onError: fail,
  });
  const methods = new Map(endpoints.map((endpoint) => [endpoint.path, allowedMethods(endpoint)]));
  // polka's own parse makes an object of every query string; routes read theirs strictly instead.
  app.parse = parseTarget;
  app.use((request, response, next) => {
    begin(request, response);
    const allow = methods.get(request.path);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, allow === undefined ? PREFLIGHT_HEADERS : { Allow: allow }).end();
      return;
    }
    checkMethod(request, allow);
    const fault = findFault(request);
    return fault ? refuse(request, fault) : next();
  });
  for (const { path, get, post } of endpoints) {
    if (get) app.get(toPattern(path), get);
    if (post) app.post(toPattern(path), post);
  }
  for (const route of ROUTES) app.get(toPattern(route.path), serveRoute(route));
  app.use(sirv(PAGES, { etag: true, extensions: ['html'], setHeaders: setCommonHeaders }));
  const look = app.handler as unknown as RequestListener;
  const listener: RequestListener = (request, response) => {
    if (!repeat(request as Incoming, response)) look(request, response);
  };
  server.on('request', listener);
  // An expectation that nobody knows is no reason to refuse what is asked for (RFC 9110, 10.1.1).
  server.on('checkExpectation', listener);
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

/** @throws ParameterError where the query string is malformed or has a parameter that the route does not take */
function readQuery({ search }: Incoming, { parameters }: Route): RawQuery {
  const query = parseRawQuery(search.slice(1));
  if (query === undefined) {
    throw new ParameterError('query', 'the query string has malformed percent-encoding, expected UTF-8');
  }
  if (query.length === 0 || parameters.some(({ name }) => name === 'filters')) return query;
  rejectParameters(
    query,
    parameters.map(({ name }) => name),
  );
  return query;
}

function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
}

/** A route's path as a pattern; unlike polka's own it minds case. */
function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
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
