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
import { findFileLimit } from '../../scripts/system.ts';
import {
  type ClientAddress,
  findWrongMethod,
  type Incoming,
  MAX_TARGET_BYTES,
  type ResponseObserver,
  toIncoming,
} from './incoming.ts';
import { batchPerTick, type Log } from './log.ts';
import { HttpProblem, tooLarge } from './problem.ts';
import { COMMON_HEADERS, IdentifiedResponse, KEEP_ALIVE_SECONDS, REQUEST_ID } from './respond.ts';

export interface HttpServerOptions {
  /** Responds to a request. It handles its own errors and never throws. */
  respond(request: Incoming, response: ServerResponse): void;
  log: Log;
  /** Whether responses bypass node:http and those of an event-loop tick are written together; true by default. */
  isFast?: boolean | undefined;
  /** Whether responses tell browsers to use only https. */
  isHttpsOnly?: boolean;
  /** Returns whether a request comes from a trusted proxy, whose X-Request-Id is used. */
  isFromProxy?: ((request: IncomingMessage) => boolean) | undefined;
  /** Returns the IP address that a request comes from. */
  clientAddress: ClientAddress;
  /** Called for each response, for metrics. */
  observe?: ResponseObserver | undefined;
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

/** The error of node:http for a request that it could not parse, or for a connection. */
interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const MAX_CONNECTIONS = 10_000;
const KEPT_DESCRIPTORS = 64;

/** Stands for invalid requests in metrics and in the log. */
const INVALID = { pattern: 'invalid' };
const UNKNOWN = '-';

/** How many requests are handled together. A pipelining connection can send thousands in one tick. */
const MAX_BATCH = 64;
const PREFIX_BYTES = 6;
/** The allowed form of a proxy's id; strict because it is copied into the response's head and the log. */
const ID = /^[\w.:+/=@-]{1,128}$/;

/** A node:http server with the gateway's limits; it logs every response. */
export class HttpServer {
  /** The caller makes it listen. */
  readonly server: Server;
  readonly #options: HttpServerOptions;
  readonly #accept: HttpServerOptions['respond'];
  /** Different in each process. */
  readonly #idPrefix = `${randomBytes(PREFIX_BYTES).toString('base64url')}-`;
  #idCount = 0;
  /** Whether a connection is from a trusted proxy. */
  readonly #trusted = new WeakMap<Socket, boolean>();
  #isOpen = true;

  constructor(options: HttpServerOptions) {
    const { respond, isFast = true } = options;
    this.#options = options;
    // Handles the requests of an event-loop tick together.
    const add = batchPerTick<[Incoming, ServerResponse]>((batch) => {
      for (const [request, response] of batch) respond(request, response);
    }, MAX_BATCH);
    this.#accept = isFast ? (request, response) => add([request, response]) : respond;
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
    this.server.setTimeout(STALL_MS);
    // Some descriptors are needed for the store, mails and new states of dist/.
    const limit = findFileLimit();
    this.server.maxConnections = Math.min(MAX_CONNECTIONS, (limit ?? Infinity) - KEPT_DESCRIPTORS);
    this.server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket));
    this.server.on('connect', (request, socket) => {
      socket.on('error', () => {});
      this.#end(socket as Socket, findWrongMethod(request), {}, 'CONNECT');
    });
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

  #receive(message: IncomingMessage, response: IdentifiedResponse): void {
    // The last response of this connection was sent; no further one can follow.
    if (message.socket.writableEnded) return;
    const request = toIncoming(message);
    const { clientAddress, isHttpsOnly = false, isFast = true } = this.#options;
    request.clientAddress = clientAddress;
    response.requestId = this.#idOf(request);
    response.isHttpsOnly = isHttpsOnly;
    response.isFast = isFast;
    if (!this.#isOpen) response.shouldKeepAlive = false;
    if (response.socket === null) endWithSocket(response, message.socket);
    this.#logAtEnd(request, response);
    this.#accept(request, response);
  }

  /** Responds to bytes that are not a valid request: not HTTP, or with a head that is too large. */
  #refuse(error: ClientError, socket: Socket): void {
    const { code, rawPacket } = error;
    // Its last response is being sent.
    if (socket.writableEnded && !socket.writableFinished) return;
    if (!socket.writable || !(code === TIMEOUT || code?.startsWith('HPE_'))) {
      socket.destroy();
      return;
    }
    const problem = code === TIMEOUT ? undefined : describeFault(code, rawPacket);
    // The responses to the valid requests before these bytes are sent first.
    setImmediate(() => {
      const { _httpMessage: current, parser } = socket as Socket & {
        _httpMessage?: ServerResponse | null;
        parser?: { incoming: IncomingMessage | null } | null;
      };
      if (current) current.shouldKeepAlive = false;
      // The rest of the body will not arrive. The route that reads it gets the error; if none does, the connection ends.
      const late = current?.req ?? parser?.incoming;
      if (late?.complete === false) {
        if (late.listenerCount('error') > 0) late.emit('error', error);
        else socket.destroy();
      } else if (!current) this.#end(socket, problem, INVALID, UNKNOWN);
    });
  }

  /** Sends a problem without node:http, or a 408 without a body, and closes the connection. */
  #end(
    socket: Socket,
    problem: HttpProblem | undefined,
    route: Pick<Incoming, 'pattern'>,
    method: string,
  ): void {
    const requestId = this.#nextId();
    const status = problem?.status ?? 408;
    const body = problem === undefined ? '' : JSON.stringify(problem);
    const headers = {
      ...(problem && { ...COMMON_HEADERS, ...problem.headers, 'Content-Type': 'application/problem+json' }),
      'Content-Length': Buffer.byteLength(body),
      [REQUEST_ID]: requestId,
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
    socket.end(text);
    const { observe, log } = this.#options;
    observe?.(route, status, 0);
    const bytes = Buffer.byteLength(text);
    log.access({ method, path: UNKNOWN, status, bytes, ms: 0, key: undefined, requestId });
  }

  /** Logs a response when it has been sent or its connection has closed. */
  #logAtEnd(request: Incoming, response: IdentifiedResponse): void {
    const { socket } = request;
    const started = performance.now();
    // With pipelining, a response gets its connection later, and the next one begins before this one's 'close'.
    let from: number | undefined;
    let to: number | undefined;
    const begin = () => {
      from = socket.bytesWritten;
    };
    if (response.socket === null) response.once('socket', begin);
    else begin();
    response.prependListener('finish', () => {
      to = socket.bytesWritten;
    });
    response.on('close', () => {
      const ms = performance.now() - started;
      const { observe, log } = this.#options;
      const { statusCode: status, requestId } = response;
      observe?.(request, status, ms);
      const bytes = from === undefined ? 0 : (to ?? socket.bytesWritten) - from;
      const { method = '', path, keyPrefix: key } = request;
      log.access({ method, path, status, bytes, ms, key, requestId });
    });
  }

  /** Returns the id of a request, by which its response can be found in the log: X-Request-Id from a trusted proxy, otherwise a new one. */
  #idOf(request: IncomingMessage): string {
    const { headers, socket } = request;
    const proxyId = headers['x-request-id'];
    if (typeof proxyId !== 'string' || !ID.test(proxyId)) return this.#nextId();
    let isTrusted = this.#trusted.get(socket);
    if (isTrusted === undefined) {
      isTrusted = this.#options.isFromProxy?.(request) ?? false;
      this.#trusted.set(socket, isTrusted);
    }
    return isTrusted ? proxyId : this.#nextId();
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

function describeFault(code: string | undefined, rawPacket: Buffer | undefined): HttpProblem {
  if (code === 'HPE_INVALID_URL')
    return new HttpProblem(
      'invalid-parameter',
      'the address has characters that must be percent-encoded, as curl -G --data-urlencode does',
      { parameter: 'query' },
    );
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new HttpProblem('invalid-parameter', 'this is not a valid HTTP request', { parameter: 'request' });
  // Only the last piece of the head is available. If it begins with a method, the target is too long.
  const text = rawPacket?.toString('latin1', 0, MAX_TARGET_BYTES) ?? '';
  return /^[A-Z]+ [^\r\n]*$/.test(text)
    ? tooLarge(414, `the address is too long, expected at most ${MAX_TARGET_BYTES} bytes`)
    : tooLarge(431, 'the headers are too large together');
}
