// The HTTP server: a node:http server with the gateway's limits, which checks, routes and logs every request.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import net, { type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import polka, { type Polka, type Request } from 'polka';
import { findFileLimit } from '../../scripts/system.ts';
import * as incoming from './incoming.ts';
import { batchPerTick, type Log } from './log.ts';
import { HttpProblem, invalidParameter, tooLarge } from './problem.ts';
import {
  COMMON_HEADERS,
  countBytes,
  describeFields,
  IdentifiedResponse,
  KEEP_ALIVE_SECONDS,
  REQUEST_ID,
} from './respond.ts';

export interface HttpServerOptions {
  /** The routes of the API, for GET; browsers of any origin may send requests to them. */
  routes: readonly incoming.Endpoint[];
  /** All other addresses. */
  endpoints: readonly incoming.Endpoint[];
  /** Responds with files, for paths without a route. */
  files: incoming.FileHandler;
  /** The layout of pages, which endpoints find in their requests. */
  frame: incoming.PageFrame;
  /** Rejects with the problem to send. If no `problem` is given, the path is unknown. */
  refuse(request: incoming.Incoming, problem?: HttpProblem): Promise<never>;
  /** Sends an error. */
  fail(error: unknown, request: incoming.Incoming, response: ServerResponse): void;
  log: Log;
  /** Whether responses tell browsers to use only https. */
  isHttpsOnly?: boolean;
  /** Returns whether a request comes from a trusted proxy, whose X-Request-Id is used. */
  isFromProxy?: ((request: IncomingMessage) => boolean) | undefined;
  /** Called for each response, for metrics. */
  observe?: incoming.ResponseObserver | undefined;
}

/** The maximum size of all header fields of a request; larger ones get a 431. */
const MAX_HEAD_BYTES = 16 * 1024;
/** How long a client may read nothing of its response. */
const STALL_MS = 30_000;
/** How long a request may take to arrive, its body included. */
const ARRIVAL_MS = 30_000;
/** How often Node.js checks for late requests. Its default is 30 s, so some could take a minute. */
const ARRIVAL_CHECK_MS = 5000;
/** How long an idle connection stays open while the server closes. */
const IDLE_MS = 500;
/** How long responses under way may take while the server closes. */
const GRACE_MS = 10_000;
const MAX_CONNECTIONS = 10_000;
/** File descriptors reserved for the store, mails and new states of dist/. */
const RESERVED_DESCRIPTORS = 64;
/** How many requests are handled together. A pipelining connection can send thousands in one tick. */
const MAX_BATCH = 64;
/** How many paths are remembered with their route. Most requests are for few paths. */
const MAX_PATHS = 1000;
/** The allowed form of a proxy's id; strict because it is copied into the response's head and the log. */
const REQUEST_ID_FORM = /^[\w.:+/=@-]{1,128}$/;
/** The methods of every address except endpoints, which have their own. */
const ALLOW = 'GET, HEAD, OPTIONS';

const PREFLIGHT_HEADERS = {
  ...COMMON_HEADERS,
  Allow: ALLOW,
  'Access-Control-Allow-Methods': ALLOW,
  'Access-Control-Allow-Headers':
    'X-API-Key, Authorization, Content-Type, If-None-Match, Cache-Control, Accept, Range, If-Range',
  'Access-Control-Max-Age': '86400',
};

/** The error of node:http for a request that it could not parse, or for a connection. */
interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** A connection: the response that node:http is sending, and the request that it is receiving. */
interface Connection extends Socket {
  _httpMessage?: ServerResponse | null;
  parser?: { incoming: IncomingMessage | null } | null;
}

/** The request that polka passes to a handler. */
type RoutedRequest = Request & incoming.Incoming;

/** polka would parse every query string into an object; routes parse their own. */
const NO_QUERY: Record<string, never> = Object.freeze({});

export class HttpServer {
  /** The caller makes it listen. */
  readonly server: Server;
  readonly #options: HttpServerOptions;
  readonly #polka: Polka<RoutedRequest>;
  /**
   * A repeated GET of a path skips polka's patterns and the promises it makes per handler, which cost a twentieth of the cheapest response
   * (docs/speed.md).
   */
  readonly #paths = new LRUCache<
    string,
    Pick<incoming.Incoming, 'path' | 'params'> & { handle: incoming.EndpointHandler }
  >({ max: MAX_PATHS });
  /** The methods of each endpoint's path, in the form of `Allow`. */
  readonly #methods = new Map<string, string>();
  readonly #accept: (received: [incoming.Incoming, ServerResponse]) => void;
  /** Different in each process. */
  readonly #idPrefix = `${randomBytes(6).toString('base64url')}-`;
  #idCount = 0;
  #isOpen = true;

  constructor(options: HttpServerOptions) {
    const { routes, endpoints, files, refuse, fail } = options;
    this.#options = options;
    this.#polka = polka<RoutedRequest>({ onNoMatch: (request) => refuse(request), onError: fail });
    this.#polka.parse = (message: IncomingMessage) => {
      const { url = '/', path, search } = message as incoming.Incoming;
      return { raw: url, pathname: path, search, query: NO_QUERY, hash: undefined };
    };
    for (const { path, get, post } of [...routes, ...endpoints]) {
      if (get) this.#route('GET', path, get);
      if (post) this.#route('POST', path, post);
    }
    for (const { path, get, post } of endpoints)
      this.#methods.set(path, `${get ? 'GET, HEAD, ' : ''}${post ? 'POST, ' : ''}OPTIONS`);
    this.#polka.use(files);
    // Handles the requests of an event-loop tick together.
    this.#accept = batchPerTick((batch) => {
      for (const [request, response] of batch) this.#respond(request, response);
    }, MAX_BATCH);
    this.server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
      requestTimeout: ARRIVAL_MS,
      headersTimeout: ARRIVAL_MS,
      connectionsCheckingInterval: ARRIVAL_CHECK_MS,
      requireHostHeader: false,
      // A repeated Host can then be refused.
      joinDuplicateHeaders: true,
      ServerResponse: IdentifiedResponse,
    });
    // The size of the head is limited in bytes. A limit on its lines would silently drop the rest.
    this.server.maxHeadersCount = 0;
    // A client that closes its side after its request still reads the response.
    Object.assign(this.server, { httpAllowHalfOpen: true });
    this.server.setTimeout(STALL_MS);
    this.server.maxConnections = Math.min(
      MAX_CONNECTIONS,
      (findFileLimit() ?? Infinity) - RESERVED_DESCRIPTORS,
    );
    const receive = (message: IncomingMessage, response: ServerResponse) =>
      this.#receive(message, response as IdentifiedResponse);
    this.server.on('request', receive);
    this.server.on('checkContinue', (message, response) => {
      // node:http would write the 100 after the head of a response that waits for the previous one.
      if (response.socket !== null) response.writeContinue();
      receive(message, response);
    });
    // An unknown expectation is no reason to refuse a request (RFC 9110, 10.1.1).
    this.server.on('checkExpectation', receive);
    this.server.on('clientError', (error, socket) => this.#refuse(error, socket as Connection));
    this.server.on('connect', (request, socket) => {
      // What follows is read for a moment: it would keep the connection open, and closed at once the client could lose the response.
      socket.on('error', () => {}).resume();
      socket.once('finish', () => setTimeout(() => socket.destroy(), IDLE_MS));
      this.#end(socket as Connection, findWrongMethod(request, ALLOW));
    });
  }

  /** Returns whether a GET route matches a path. */
  has(path: string): boolean {
    // The handler of files matches every path.
    return this.#polka.find('GET', path).handlers.length > 1;
  }

  /** Accepts no more connections, finishes the responses under way, and resolves when all connections are closed. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const closed = once(this.server, 'close');
    // Unlike `server.close()`, this closes no idle connection: its next request may be on its way.
    net.Server.prototype.close.call(this.server);
    const idle = setInterval(() => this.server.closeIdleConnections(), IDLE_MS);
    const deadline = setTimeout(() => this.server.closeAllConnections(), GRACE_MS);
    await closed;
    clearInterval(idle);
    clearTimeout(deadline);
  }

  /**
   * Adds a route. If several match a path, the first responds. Addresses are exact; polka's own patterns ignore case and a final slash.
   *
   * @param path with `:name` for parameters
   */
  #route(method: 'GET' | 'POST', path: string, handle: incoming.EndpointHandler): void {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    this.#polka.add(method, pattern, (request, response) => {
      // polka adds the parameters of all paths that match.
      const own = Object.entries(pattern.exec(request.path)?.groups ?? {});
      request.pattern = path;
      request.params = Object.fromEntries(own.map(([name, part]) => [name, decodeURIComponent(part)]));
      if (method === 'GET') this.#paths.set(request.path, { path, params: request.params, handle });
      return handle(request, response);
    });
  }

  #receive(message: IncomingMessage, response: IdentifiedResponse): void {
    const { socket } = message;
    // The last response of this connection was sent; no further one can follow.
    if (socket.writableEnded) return;
    const { frame, isHttpsOnly = false, isFromProxy } = this.#options;
    const request = toIncoming(message);
    request.frame = frame;
    const id = message.headers['x-request-id'];
    const isTrusted = typeof id === 'string' && REQUEST_ID_FORM.test(id) && isFromProxy?.(request) === true;
    response.requestId = isTrusted ? id : this.#nextId();
    response.isHttpsOnly = isHttpsOnly;
    if (!this.#isOpen) response.shouldKeepAlive = false;
    if (response.socket === null) endWithSocket(response, socket);
    this.#logAtEnd(request, response);
    this.#accept([request, response]);
  }

  /** Makes the checks for every address, then routes the request. */
  #respond(request: incoming.Incoming, response: ServerResponse): void {
    const { refuse, fail } = this.#options;
    const allow = this.#methods.get(request.path);
    const wrong = findWrongHost(request) ?? findWrongMethod(request, allow);
    const fault = wrong ? undefined : findFault(request);
    if (wrong) fail(wrong, request, response);
    else if (request.method === 'OPTIONS')
      response.writeHead(204, allow === undefined ? PREFLIGHT_HEADERS : { Allow: allow }).end();
    else if (fault === undefined) this.#handle(request, response);
    else {
      const refuseIt = () => refuse(request, fault).catch((error: unknown) => fail(error, request, response));
      // A proxy reads the response only after it has sent the body. After Upgrade, node:http does not report an invalid body.
      if (hasBody(request) && request.headers.upgrade === undefined)
        request.once('end', refuseIt).once('error', refuseIt).resume();
      else void refuseIt();
    }
  }

  #handle(request: incoming.Incoming, response: ServerResponse): void {
    const known = request.method === 'GET' ? this.#paths.get(request.path) : undefined;
    if (known === undefined) {
      // polka has its own `next`, although its type requires one.
      void (this.#polka.handler as unknown as incoming.EndpointHandler)(request, response);
      return;
    }
    const { path, params, handle } = known;
    const { fail } = this.#options;
    request.pattern = path;
    request.params = params;
    try {
      handle(request, response)?.catch((error: unknown) => fail(error, request, response));
    } catch (error) {
      fail(error, request, response);
    }
  }

  /** Responds to bytes that are not a valid request: not HTTP, or with a head that is too large. */
  #refuse(error: ClientError, socket: Connection): void {
    const { code = '', rawPacket } = error;
    // Its last response is being sent.
    if (socket.writableEnded && !socket.writableFinished) return;
    if (!socket.writable || !(code === TIMEOUT || code.startsWith('HPE_'))) {
      socket.destroy();
      return;
    }
    const problem = code === TIMEOUT ? undefined : describeFault(code, rawPacket);
    // The responses to the valid requests before these bytes are sent first.
    setImmediate(() => {
      const { _httpMessage: current, parser } = socket;
      if (current) current.shouldKeepAlive = false;
      // The rest of the body will not arrive. The route that reads it gets the error; if none does, the connection ends.
      const late = current?.req ?? parser?.incoming;
      if (late?.complete === false) {
        if (late.listenerCount('error') > 0) late.emit('error', error);
        else socket.destroy();
      } else if (!current) this.#end(socket, problem);
    });
  }

  /** Sends a problem without node:http, or a 408 without a body, and closes the connection. */
  #end(socket: Connection, problem: HttpProblem | undefined): void {
    const requestId = this.#nextId();
    const status = problem?.status ?? 408;
    const body = problem ? JSON.stringify(problem) : '';
    const fields = describeFields({
      ...(problem && { ...COMMON_HEADERS, ...problem.headers, 'Content-Type': 'application/problem+json' }),
      'Content-Length': Buffer.byteLength(body),
      [REQUEST_ID]: requestId,
      Connection: 'close',
    });
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}\r\n${body}`);
    this.#options.observe?.({ pattern: 'invalid' }, status, 0);
    const bytes = countBytes(socket);
    this.#options.log.access({ method: '-', path: '-', status, bytes, ms: 0, key: undefined, requestId });
  }

  /** Logs a response when it has been sent or its connection has closed. */
  #logAtEnd(request: incoming.Incoming, response: IdentifiedResponse): void {
    const started = performance.now();
    response.on('close', () => {
      const { statusCode: status, requestId, bytesSent = countBytes(request.socket) } = response;
      const ms = performance.now() - started;
      const { observe, log } = this.#options;
      observe?.(request, status, ms);
      const { method = '', path, keyPrefix: key } = request;
      log.access({ method, path, status, bytes: bytesSent, ms, key, requestId });
    });
  }

  #nextId(): string {
    this.#idCount += 1;
    return this.#idPrefix + this.#idCount.toString(36);
  }
}

/** Ends a response that waits for the previous one when its connection closes: node:http emits no 'close' for it. */
function endWithSocket(response: ServerResponse, socket: Socket): void {
  const end = () => {
    response.destroy();
    response.emit('close');
  };
  socket.setMaxListeners(0).once('close', end);
  response.once('socket', () => socket.off('close', end));
}

function describeFault(code: string, rawPacket: Buffer | undefined): HttpProblem {
  const unencoded =
    'the address has characters that must be percent-encoded, as curl -G --data-urlencode does';
  if (code === 'HPE_INVALID_URL') return invalidParameter('query', unencoded);
  if (code !== 'HPE_HEADER_OVERFLOW') return invalidParameter('request', 'this is not a valid HTTP request');
  // Only the last piece of the head is available. If it begins with a method, the target is too long.
  const text = rawPacket?.toString('latin1', 0, incoming.MAX_TARGET_BYTES) ?? '';
  return /^[A-Z]+ [^\r\n]*$/.test(text)
    ? tooLarge(414, `the address is too long, expected at most ${incoming.MAX_TARGET_BYTES} bytes`)
    : tooLarge(431, 'the headers are too large together');
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Splits a request's target. Proxies may send it in absolute form (RFC 9112, 3.2.2): then the origin is dropped. */
function toIncoming(message: IncomingMessage): incoming.Incoming {
  const request = message as incoming.Incoming;
  const { url = '/' } = message;
  const target = url.startsWith('/') ? url : `/${url.replace(ORIGIN, '').replace(/^\//, '')}`;
  const at = target.indexOf('?');
  request.url = target;
  request.path = at === -1 ? target : target.slice(0, at);
  request.search = at === -1 ? '' : target.slice(at);
  return request;
}

/** Checks a request's method. @param allow the address's methods, as `Allow` lists them @returns undefined when the address has it */
function findWrongMethod({ method = '' }: IncomingMessage, allow = ALLOW): HttpProblem | undefined {
  // node:http knows no method whose name is a part of another of these.
  if (allow.includes(method)) return undefined;
  const expected = allow === ALLOW ? 'expected GET; the API is read-only' : `this address allows ${allow}`;
  return new HttpProblem('method-not-allowed', `${method} is not allowed, ${expected}`, {}, { Allow: allow });
}

/** Checks the Host header field (RFC 9112, 3.2): a proxy and the gateway could read a request without one, or with two, differently. */
function findWrongHost({ headers: { host }, httpVersion }: IncomingMessage): HttpProblem | undefined {
  // Repeated header fields are joined by commas.
  if (host === undefined ? httpVersion === '1.0' : !/[\s,/@]/.test(host)) return undefined;
  const fault =
    host === undefined ? 'no Host header field' : 'a Host header field that is repeated or not valid';
  const detail = `the request has ${fault}, expected one with the name of the gateway`;
  return new HttpProblem('invalid-parameter', detail, { parameter: 'host' }, { Connection: 'close' });
}

/** Returns whether a request announces a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** Checks what holds for a request to any address. @returns undefined when nothing is wrong */
function findFault(request: incoming.Incoming): HttpProblem | undefined {
  const { length } = request.url ?? '';
  if (length > incoming.MAX_TARGET_BYTES)
    return tooLarge(414, `the address has ${length} bytes, expected at most ${incoming.MAX_TARGET_BYTES}`);
  // Another program on the way could read the body as further requests.
  if (request.method !== 'POST' && hasBody(request)) {
    const detail = 'the request has a body, expected none';
    return new HttpProblem('invalid-parameter', detail, { parameter: 'body' }, { Connection: 'close' });
  }
  if (request.path.includes('%') && incoming.parseRawQuery(request.path) === undefined)
    return invalidParameter('path', 'the path has malformed percent-encoding, expected UTF-8');
  return undefined;
}
