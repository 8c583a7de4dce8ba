import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ClientAddress } from '../http/client-address.ts';
import { type Incoming, toIncoming } from '../http/incoming.ts';
import { RequestIds } from '../http/request-ids.ts';
import type { ResponseObserver } from '../http/response-observer.ts';
import type { Log } from '../log/log.ts';
import { type Refusal, Refusals } from '../../parts/guard/client-error.ts';
import { Connections } from '../../parts/guard/connections.ts';
import { ignoreUpgrades } from '../../parts/guard/ignore-upgrade.ts';
import {
  IdentifiedResponse,
  KEEP_ALIVE_SECONDS,
  type Responder,
  type Writer,
} from './identified-response.ts';
import { dropRest } from '../../parts/guard/linger.ts';

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
  /** Whether responses require browsers to use https only. */
  isHttpsOnly?: boolean;
  /** Returns whether a request comes from a trusted proxy, whose X-Request-Id is used. */
  isFromProxy?: (request: IncomingMessage) => boolean;
  /** Returns the IP address that a request comes from; by default that of its connection. */
  clientAddress?: ClientAddress;
  observe?: ResponseObserver | undefined;
}

/** The maximum size of all header fields of a request together; larger ones get a 431. */
const MAX_HEAD_BYTES = 16 * 1024;
/** How long a request may take to arrive, its body included. */
const ARRIVAL_MS = 30_000;
/** How long responses under way may take while the server closes. */
const GRACE_MS = 10_000;

/** What is not a valid request, in metrics and in the log. */
const INVALID = { pattern: 'invalid' };
const UNKNOWN = '-';

/** A node:http server with the gateway's limits. It logs every response and closes without cutting one off. */
export class HttpServer {
  /** The server; the caller makes it listen. */
  readonly server: Server;
  readonly #connections: Connections;
  readonly #log: Log;
  readonly #ids: RequestIds;
  readonly #isHttpsOnly: boolean;
  readonly #writer: Writer | undefined;
  readonly #accept: Responder;
  readonly #observe: ResponseObserver;
  readonly #clientAddress: ClientAddress | undefined;
  #isOpen = true;

  constructor(options: HttpServerOptions) {
    const {
      respond,
      log,
      writer,
      maxTargetBytes,
      isHttpsOnly = false,
      isFromProxy = () => false,
      observe = () => {},
    } = options;
    this.#ids = new RequestIds(isFromProxy);
    this.#isHttpsOnly = isHttpsOnly;
    this.#log = log;
    this.#observe = observe;
    this.#clientAddress = options.clientAddress;
    this.#writer = writer;
    this.#accept = writer?.accept(respond) ?? respond;
    this.server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
      requestTimeout: ARRIVAL_MS,
      headersTimeout: ARRIVAL_MS,
      requireHostHeader: false,
      // So that a repeated Host can be refused.
      joinDuplicateHeaders: true,
      ServerResponse: IdentifiedResponse,
    });
    // The head is bounded in bytes. A bound on its lines would silently drop the rest.
    this.server.maxHeadersCount = 0;
    // A client that closes its side after its request still reads the response.
    Object.assign(this.server, { httpAllowHalfOpen: true });
    this.#connections = new Connections(this.server, options.stallMs);
    ignoreUpgrades(this.server, this.#connections);
    const receive = (message: IncomingMessage, response: ServerResponse) =>
      this.#receive(message, response as IdentifiedResponse);
    this.server.on('request', receive);
    // An unknown expectation is no reason to refuse a request (RFC 9110, 10.1.1).
    this.server.on('checkExpectation', receive);
    this.server.on('checkContinue', (message, response) => {
      sendContinue(response);
      receive(message, response);
    });
    const note = (refusal: Refusal) => this.#noteRefusal(refusal);
    const refusals = new Refusals({ maxTargetBytes, connections: this.#connections, ids: this.#ids, note });
    this.server.on('clientError', (error, stream) => refusals.refuseBytes(error, stream));
    this.server.on('connect', (request, stream) => refusals.refuseTunnel(request, stream));
  }

  /** Accepts no more connections, finishes the responses under way, and resolves when all connections are closed. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#connections.drain(GRACE_MS);
  }

  #receive(message: IncomingMessage, response: IdentifiedResponse): void {
    // The last response of this connection was sent; no further one can follow.
    if (message.socket.writableEnded) return;
    const request = toIncoming(message);
    if (this.#clientAddress) request.clientAddress = this.#clientAddress;
    response.requestId = this.#ids.idOf(request);
    response.isHttpsOnly = this.#isHttpsOnly;
    response.writer = this.#writer;
    if (!this.#isOpen) response.shouldKeepAlive = false;
    this.#connections.begin(request.socket, response);
    this.#logAtEnd(request, response);
    this.#accept(request, response);
  }

  /** Counts and logs a response to what was not a valid request, or to a request for a tunnel. */
  #noteRefusal({ request, requestId, status, bytes }: Refusal): void {
    const { method = UNKNOWN, path } = request === undefined ? { path: UNKNOWN } : toIncoming(request);
    this.#observe(request === undefined ? INVALID : {}, status, 0);
    this.#log.access({ method, path, status, bytes, ms: 0, key: undefined, requestId });
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
      if (!request.complete) dropRest(request);
    });
    response.on('close', () => {
      this.#connections.end(socket, response);
      const ms = performance.now() - started;
      this.#observe(request, response.statusCode, ms);
      this.#log.access({
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

/** Sends 100 Continue after the previous response: node:http would write it between that response's head and body. */
function sendContinue(response: ServerResponse): void {
  whenAssigned(response, () => {
    if (!response.headersSent) response.writeContinue();
  });
}

/** Runs `work` when the response may use its connection: immediately, unless it waits for the previous response. */
function whenAssigned(response: ServerResponse, work: () => void): void {
  if (response.socket === null) response.once('socket', work);
  else work();
}
