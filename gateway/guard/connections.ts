import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';
import { HttpProblem } from '../http/problem.ts';
import { requestDescriptors } from '../http/descriptors.ts';
import { closeGently } from './linger.ts';
import { sendProblem } from '../http/respond.ts';

/** How often connections are checked for clients that read nothing. */
const CHECK_MS = 5000;
/** How long a connection without a request stays open while draining. */
const LINGER_MS = 100;

/**
 * Tracks the responses under way on a server's connections, so that the server can stop without cutting one off: `close` of node:http
 * destroys connections whose response is written but not yet read by a slow client.
 */
export class Connections {
  readonly #server: Server;
  readonly #stallMs: number;
  readonly #underWay = new Map<Socket, Set<ServerResponse>>();
  /** The connections that close when no response is under way. */
  readonly #closing = new WeakSet<Socket>();
  /** What waits until no response is under way on a connection. */
  readonly #waiting = new WeakMap<Socket, () => void>();
  #isDraining = false;

  /**
   * @param server a server without connections
   * @param stallMs after this time, a client that does not read its response loses its connection
   */
  constructor(server: Server, stallMs: number) {
    this.#server = server;
    this.#stallMs = stallMs;
    server.on('timeout', (socket: Socket) => this.#endUnlessWorking(socket));
    const timer = setInterval(() => this.#watchSlow(), Math.min(CHECK_MS, stallMs)).unref();
    server.once('close', () => clearInterval(timer));
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /**
   * Records that a response is under way on a connection. When the connection closes, a response that waits for the previous one gets its
   * 'close' here, because node:http emits none for it.
   */
  begin(socket: Socket, response: ServerResponse): void {
    this.#underWay.get(socket)?.add(response);
  }

  /** Records that a response is over. */
  end(socket: Socket, response: ServerResponse): void {
    const responses = this.#underWay.get(socket);
    responses?.delete(response);
    if (responses === undefined || responses.size > 0) return;
    const waiting = this.#waiting.get(socket);
    this.#waiting.delete(socket);
    if (this.#closing.has(socket)) closeGently(socket);
    else if (waiting && socket.writable) waiting();
    else if (this.#isDraining) this.#closeSoon(socket);
  }

  /** Returns whether a response is under way on a connection. */
  isBusy(socket: Socket): boolean {
    return (this.#underWay.get(socket)?.size ?? 0) > 0;
  }

  /** Returns the response under way on a connection that began first. */
  firstOn(socket: Socket): ServerResponse | undefined {
    return this.#underWay.get(socket)?.values().next().value;
  }

  /** Does work when no response is under way on a connection; not if the connection closes. */
  whenIdle(socket: Socket, work: () => void): void {
    if (this.isBusy(socket)) this.#waiting.set(socket, work);
    else work();
  }

  /** Closes a connection after the responses under way, because the bytes after their requests are not HTTP. */
  closeAfterResponses(socket: Socket): void {
    this.#closing.add(socket);
    const response = [...(this.#underWay.get(socket) ?? [])].at(-1);
    if (response === undefined) closeGently(socket);
    if (response === undefined || response.headersSent) return;
    response.shouldKeepAlive = false;
    // The bytes that are not HTTP are in the body that the response waits for.
    if (!response.req.complete) sendProblem(response.req, response, invalidBody());
  }

  /**
   * Accepts no more connections, closes each when no response is under way on it, and resolves when all are closed. Responses that take
   * longer than `graceMs` are cut off.
   */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    const closed = new Promise<void>((resolve) =>
      NetServer.prototype.close.call(this.#server, () => resolve()),
    );
    for (const [socket, responses] of this.#underWay) if (responses.size === 0) this.#closeSoon(socket);
    const deadline = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(deadline);
  }

  /** Starts the timers of connections whose client has not read everything. Node restarts a timer when the client reads. */
  #watchSlow(): void {
    for (const socket of this.#underWay.keys()) {
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(this.#stallMs);
    }
  }

  /** Ends a connection that is idle or whose client reads nothing. A connection that waits for its response stays open. */
  #endUnlessWorking(socket: Socket): void {
    if (this.isBusy(socket) && socket.writableLength === 0) socket.setTimeout(0);
    else socket.destroy();
  }

  #add(socket: Socket): void {
    // A connection is announced again when a request on it is parsed again.
    if (this.#underWay.has(socket)) return;
    if (!requestDescriptors.take()) {
      socket.destroy();
      return;
    }
    socket.once('close', () => requestDescriptors.give());
    this.#underWay.set(socket, new Set());
    // node:http calls it after the last response of a connection.
    socket.destroySoon = () => closeGently(socket);
    // The response that was being sent gets its 'close' from node:http in the same event-loop tick.
    socket.once('close', () => process.nextTick(() => this.#forget(socket)));
  }

  #forget(socket: Socket): void {
    const left = this.#underWay.get(socket) ?? [];
    this.#underWay.delete(socket);
    for (const response of left) {
      response.destroy();
      response.emit('close');
    }
  }

  /** Closes an idle connection after a short wait. A request that arrives meanwhile gets its response, which then closes it. */
  #closeSoon(socket: Socket): void {
    const close = () => {
      if (this.#underWay.get(socket)?.size === 0) closeGently(socket);
    };
    // After a long tick, requests that arrived meanwhile are read first.
    setTimeout(() => setImmediate(close), LINGER_MS);
  }
}

function invalidBody(): HttpProblem {
  const detail =
    'the body is not valid HTTP, or was not sent in full in time; expected what the headers announce';
  return new HttpProblem('invalid-parameter', detail, { parameter: 'body' });
}
