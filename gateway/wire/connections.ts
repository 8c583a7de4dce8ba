import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';

/** How long a connection without a request stays open while draining. */
const LINGER_MS = 100;

/**
 * Tracks the responses under way on a server's connections, so that the server can stop without cutting one off: `close` of node:http
 * destroys connections whose response is written but not yet read by a slow client.
 */
export class Connections {
  readonly #server: Server;
  readonly #underWay = new Map<Socket, Set<ServerResponse>>();
  #isDraining = false;

  /** @param server a server without connections */
  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /**
   * Records that a response is under way on a connection. When the connection closes, a response that still waits for the one before it
   * gets its 'close' here: node:http emits none.
   */
  begin(socket: Socket, response: ServerResponse): void {
    this.#underWay.get(socket)?.add(response);
  }

  /** Records that a response is over. */
  end(socket: Socket, response: ServerResponse): void {
    const responses = this.#underWay.get(socket);
    responses?.delete(response);
    if (this.#isDraining && responses?.size === 0) this.#closeSoon(socket);
  }

  /** Returns whether a response is under way on a connection. */
  isBusy(socket: Socket): boolean {
    return (this.#underWay.get(socket)?.size ?? 0) > 0;
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

  #add(socket: Socket): void {
    this.#underWay.set(socket, new Set());
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

  /** Closes an idle connection after a while: a request that is on its way already still gets its response, which closes it. */
  #closeSoon(socket: Socket): void {
    const close = () => {
      if (this.#underWay.get(socket)?.size === 0) socket.destroySoon();
    };
    // After a long tick, requests that arrived meanwhile are read first.
    setTimeout(() => setImmediate(close), LINGER_MS);
  }
}
