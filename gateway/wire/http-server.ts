import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type Incoming, toIncoming } from '../http/incoming.ts';
import { batchPerTick } from '../lib/batch-per-tick.ts';
import type { Log } from '../log/log.ts';
import { refuseConnection } from './client-error.ts';
import { Connections } from './connections.ts';
import { KEEP_ALIVE_SECONDS, PlainResponse } from './send-whole.ts';

/** Responds to a request. What fails in it is its own to handle: nothing is thrown. */
export type Responder = (request: Incoming, response: ServerResponse) => void;

/** What a server is made of. */
export interface HttpServerOptions {
  respond: Responder;
  log: Log;
  /** Whether node:http writes every response, one by one, in place of the fast path. */
  plainHttp: boolean;
  /** Longer request targets get a 414, in bytes. */
  maxTargetBytes: number;
}

/** All header fields of a request together; more get a 431. */
const MAX_HEAD_BYTES = 16 * 1024;
/** How long a request may take to arrive, its body included. */
const ARRIVAL_MS = 30_000;
/** How long responses under way may take while the server closes. */
const GRACE_MS = 10_000;
/** How many requests are responded to in one go. One connection can bring thousands in a tick, and is read until responses wait on it. */
const MAX_BATCH = 64;

interface Exchange {
  request: Incoming;
  response: ServerResponse;
}

/** A node:http server with the gateway's limits. It logs every response, and closes without cutting one off. */
export class HttpServer {
  /** Not listening yet. */
  readonly server: Server;
  readonly #connections: Connections;
  readonly #log: Log;
  readonly #accept: (exchange: Exchange) => void;
  #isOpen = true;

  constructor({ respond, log, plainHttp, maxTargetBytes }: HttpServerOptions) {
    this.#log = log;
    this.#accept = plainHttp ? ({ request, response }) => respond(request, response) : inBatches(respond);
    this.server = createServer({
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
      requestTimeout: ARRIVAL_MS,
      headersTimeout: ARRIVAL_MS,
      requireHostHeader: false,
      ServerResponse: plainHttp ? PlainResponse : ServerResponse,
    });
    // The head is bounded in bytes; a bound on its lines would drop the rest without a word.
    this.server.maxHeadersCount = 0;
    this.#connections = new Connections(this.server);
    const receive = (message: IncomingMessage, response: ServerResponse) => this.#receive(message, response);
    this.server.on('request', receive);
    // An unknown expectation is no reason to refuse a request (RFC 9110, 10.1.1).
    this.server.on('checkExpectation', receive);
    this.server.on('checkContinue', (message, response) => {
      sendContinue(response);
      receive(message, response);
    });
    this.server.on(
      'clientError',
      refuseConnection(maxTargetBytes, (socket) => this.#connections.isBusy(socket)),
    );
  }

  /** Takes no more connections, finishes what is under way, and resolves when all connections are closed. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#connections.drain(GRACE_MS);
  }

  #receive(message: IncomingMessage, response: ServerResponse): void {
    const request = toIncoming(message);
    if (!this.#isOpen) response.shouldKeepAlive = false;
    this.#connections.begin(request.socket, response);
    this.#logAtEnd(request, response);
    this.#accept({ request, response });
  }

  /** Logs a response when it is sent, or its connection is closed. */
  #logAtEnd(request: Incoming, response: ServerResponse): void {
    const { socket } = request;
    const started = performance.now();
    // With pipelining, a response waits for the one before it, and the next begins before its 'close'.
    let from: number | undefined;
    let to: number | undefined;
    whenAssigned(response, () => {
      from = socket.bytesWritten;
    });
    response.prependListener('finish', () => {
      to = socket.bytesWritten;
    });
    response.on('close', () => {
      this.#connections.end(socket, response);
      this.#log.access({
        method: request.method as string,
        path: request.path,
        status: response.statusCode,
        bytes: from === undefined ? 0 : (to ?? socket.bytesWritten) - from,
        ms: performance.now() - started,
        key: request.keyPrefix,
      });
    });
  }
}

/** Gathers a tick's requests, so that the code that responds to them stays in the processor's caches. */
function inBatches(respond: Responder): (exchange: Exchange) => void {
  return batchPerTick<Exchange>((batch) => {
    for (const { request, response } of batch) respond(request, response);
  }, MAX_BATCH);
}

/** Sends 100 Continue. While a response waits for the one before it, node:http would write this between that one's head and body. */
function sendContinue(response: ServerResponse): void {
  whenAssigned(response, () => {
    if (!response.headersSent) response.writeContinue();
  });
}

/** Runs work when it is a response's turn on its connection: now, unless it waits for the one before it. */
function whenAssigned(response: ServerResponse, work: () => void): void {
  if (response.socket === null) response.once('socket', work);
  else work();
}
