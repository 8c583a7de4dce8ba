import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientAddress, type Incoming, type ResponseObserver, toIncoming } from './incoming.ts';
import type { Log } from './log.ts';
import {
  IdentifiedResponse,
  KEEP_ALIVE_SECONDS,
  RequestIds,
  type Responder,
  type UnsentLimits,
  type Writer,
} from './identified-response.ts';

/** A response to bytes that are not a valid request, or to a request for a tunnel. */
export interface Refusal {
  /** The request for a tunnel; undefined if there is no valid request. */
  request: IncomingMessage | undefined;
  requestId: string;
  status: number;
  /** The size of the response on the wire. */
  bytes: number;
}

/** A server as a guard sees it. */
export interface GuardedServer {
  server: Server;
  ids: RequestIds;
  maxTargetBytes: number;
  stallMs: number;
  /** Handles a request. */
  receive(message: IncomingMessage, response: ServerResponse): void;
  /** Counts and logs a response that the guard has sent itself. */
  note(refusal: Refusal): void;
}

/** Protects a server from clients that send or read nothing, or something else than HTTP, and closes it without losing a response. */
export interface Guard {
  unsent: UnsentLimits;
  /** A response is under way on a connection. */
  begin(socket: Socket, response: ServerResponse): void;
  /** A response was sent before its request was read. */
  drop(request: IncomingMessage): void;
  /** A response is over. */
  end(socket: Socket, response: ServerResponse): void;
  /** Accepts no more connections, and resolves when all are closed. @param graceMs how long responses under way may take */
  close(graceMs: number): Promise<void>;
}

export type MakeGuard = (guarded: GuardedServer) => Guard;

/** Options of a server. */
export interface HttpServerOptions {
  respond: Responder;
  log: Log;
  /** Writes responses instead of node:http. */
  writer?: Writer | undefined;
  /** Longer request targets get a 414. */
  maxTargetBytes: number;
  /** After this time, in ms, a client that does not read its response loses its connection. */
  stallMs?: number;
  /** Protects it from its clients; without it, it has the limits of node:http alone. */
  guard?: MakeGuard | undefined;
  /** Whether responses require browsers to use https only. */
  isHttpsOnly?: boolean;
  /** Returns whether a request comes from a trusted proxy, whose X-Request-Id is used. */
  isFromProxy?: (request: IncomingMessage) => boolean;
  /** Returns the IP address that a request comes from; by default that of its connection. */
  clientAddress?: ClientAddress;
  /** Called for each response, for metrics. */
  observe?: ResponseObserver | undefined;
}

/** The maximum size of all header fields of a request together; larger ones get a 431. */
const MAX_HEAD_BYTES = 16 * 1024;
/** How long a client may read nothing of its response. */
const STALL_MS = 30_000;
/** How long a request may take to arrive, its body included. */
const ARRIVAL_MS = 30_000;
/** How often Node.js looks for requests that took longer; by itself it would look every 30 s, so that some could take a minute. */
const ARRIVAL_CHECK_MS = 5000;
/** How long responses under way may take while the server closes. */
const GRACE_MS = 10_000;

/** What is not a valid request, in metrics and in the log. */
const INVALID = { pattern: 'invalid' };
const UNKNOWN = '-';

/** A node:http server with the gateway's limits. It logs every response. */
export class HttpServer {
  /** The server; the caller makes it listen. */
  readonly server: Server;
  readonly #guard: Guard | undefined;
  readonly #options: HttpServerOptions;
  readonly #ids: RequestIds;
  readonly #accept: Responder;
  #isOpen = true;

  constructor(options: HttpServerOptions) {
    const { respond, writer, maxTargetBytes, isFromProxy = () => false } = options;
    this.#options = options;
    this.#ids = new RequestIds(isFromProxy);
    this.#accept = writer?.accept(respond) ?? respond;
    this.server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
      requestTimeout: ARRIVAL_MS,
      headersTimeout: ARRIVAL_MS,
      connectionsCheckingInterval: ARRIVAL_CHECK_MS,
      requireHostHeader: false,
      // So that a repeated Host can be refused.
      joinDuplicateHeaders: true,
      ServerResponse: IdentifiedResponse,
    });
    // The head is bounded in bytes. A bound on its lines would silently drop the rest.
    this.server.maxHeadersCount = 0;
    // A client that closes its side after its request still reads the response.
    Object.assign(this.server, { httpAllowHalfOpen: true });
    const receive = (message: IncomingMessage, response: ServerResponse) =>
      this.#receive(message, response as IdentifiedResponse);
    this.server.on('request', receive);
    // An unknown expectation is no reason to refuse a request (RFC 9110, 10.1.1).
    this.server.on('checkExpectation', receive);
    const { server } = this;
    const { guard, stallMs = STALL_MS } = options;
    const note = (refusal: Refusal) => this.#noteRefusal(refusal);
    this.#guard = guard?.({ server, ids: this.#ids, maxTargetBytes, stallMs, receive, note });
    if (guard === undefined) server.setTimeout(stallMs);
  }

  /** Accepts no more connections, finishes the responses under way, and resolves when all connections are closed. */
  async close(): Promise<void> {
    this.#isOpen = false;
    if (this.#guard) return await this.#guard.close(GRACE_MS);
    const closed = once(this.server, 'close');
    this.server.close();
    const deadline = setTimeout(() => this.server.closeAllConnections(), GRACE_MS);
    await closed;
    clearTimeout(deadline);
  }

  #receive(message: IncomingMessage, response: IdentifiedResponse): void {
    // The last response of this connection was sent; no further one can follow.
    if (message.socket.writableEnded) return;
    const request = toIncoming(message);
    const { clientAddress, isHttpsOnly = false, writer } = this.#options;
    if (clientAddress) request.clientAddress = clientAddress;
    response.requestId = this.#ids.idOf(request);
    response.isHttpsOnly = isHttpsOnly;
    response.writer = writer;
    response.unsent = this.#guard?.unsent;
    if (!this.#isOpen) response.shouldKeepAlive = false;
    this.#guard?.begin(request.socket, response);
    this.#logAtEnd(request, response);
    this.#accept(request, response);
  }

  /** Counts and logs a response to what was not a valid request, or to a request for a tunnel. */
  #noteRefusal({ request, requestId, status, bytes }: Refusal): void {
    const { method = UNKNOWN, path } = request === undefined ? { path: UNKNOWN } : toIncoming(request);
    this.#options.observe?.(request === undefined ? INVALID : {}, status, 0);
    this.#options.log.access({ method, path, status, bytes, ms: 0, key: undefined, requestId });
  }

  /** Logs a response when it is sent, or its connection is closed. */
  #logAtEnd(request: Incoming, response: IdentifiedResponse): void {
    const { socket } = request;
    const started = performance.now();
    // With pipelining, the next response begins before the 'close' of this one.
    let from: number | undefined;
    let to: number | undefined;
    whenAssigned(response, () => {
      from = socket.bytesWritten;
    });
    response.prependListener('finish', () => {
      to = socket.bytesWritten;
      if (!request.complete) this.#guard?.drop(request);
    });
    response.on('close', () => {
      if (this.#guard) this.#guard.end(socket, response);
      else if (!this.#isOpen) this.server.closeIdleConnections();
      const ms = performance.now() - started;
      this.#options.observe?.(request, response.statusCode, ms);
      this.#options.log.access({
        method: request.method as string,
        path: request.path,
        status: response.statusCode,
        bytes: from === undefined ? 0 : (to ?? socket.bytesWritten) - from,
        ms,
        key: request.keyPrefix,
        requestId: response.requestId,
      });
    });
  }
}

/** Runs `work` when the response may use its connection: immediately, unless it waits for the previous response. */
export function whenAssigned(response: ServerResponse, work: () => void): void {
  if (response.socket === null) response.once('socket', work);
  else work();
}
