import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';

/** How long a connection without a request stays open while draining. */
const LINGER_MS = 100;

/**
 * Keeps count of what is under way on a server's connections, so that it can be stopped without cutting a response off: `close` of
 * node:http destroys connections whose response is written but not yet read by a slow client.
 */
export class Connections {
  readonly #server: Server;
  readonly #underWay = new Map<Socket, Set<ServerResponse>>();
  #isDraining = false;

  /** @param server to which nobody is connected yet */
  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /**
   * A response is under way on a connection. When that is closed, the response gets its 'close' even while it waits for the one before it:
   * node:http sends none then.
   */
  begin(socket: Socket, response: ServerResponse): void {
    this.#underWay.get(socket)?.add(response);
  }

  /** A response is over. */
  end(socket: Socket, response: ServerResponse): void {
    const responses = this.#underWay.get(socket);
    responses?.delete(response);
    if (this.#isDraining && responses?.size === 0) this.#closeSoon(socket);
  }

  /** Whether a response is under way on a connection. */
  isBusy(socket: Socket): boolean {
    return (this.#underWay.get(socket)?.size ?? 0) > 0;
  }

  /**
   * Takes no more connections, closes each once nothing is under way on it, and resolves when all are closed;
   * what takes longer than `graceMs` is cut off.
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
    // The response that was being sent gets its 'close' from node:http, in the same event-loop tick.
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

  /** A request may be on its way already: it is answered, and that response closes the connection. */
  #closeSoon(socket: Socket): void {
    const close = () => {
      if (this.#underWay.get(socket)?.size === 0) socket.destroySoon();
    };
    // Not before what came meanwhile is read, however long the tick took that the timer waited for.
    setTimeout(() => setImmediate(close), LINGER_MS);
  }
}
