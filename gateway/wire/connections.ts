import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';

/** How long a connection without a request stays open while draining. */
const LINGER_MS = 100;

/** What is known of a server's connections. */
export interface Connections {
  /**
   * An answer is under way on a connection. When that is closed, it gets its 'close' even while it waits for the answer before it: node:http
   * sends none then.
   */
  begin(socket: Socket, response: ServerResponse): void;
  /** An answer of a connection is over. */
  end(socket: Socket, response: ServerResponse): void;
  /** Whether an answer is under way on a connection. */
  isBusy(socket: Socket): boolean;
  /**
   * Takes no more connections, closes each once nothing is under way on it, and resolves when all are closed;
   * what takes longer than `graceMs` is cut off.
   */
  drain(graceMs: number): Promise<void>;
}

/**
 * Keeps count of what is under way on a server's connections, so that it can be stopped without cutting an answer off: `close` of
 * node:http destroys connections whose answer is written but not yet taken by a slow reader.
 */
export function trackConnections(server: Server): Connections {
  const underWay = new Map<Socket, Set<ServerResponse>>();
  let draining = false;

  // A request may be on its way already: it is answered, and that answer closes the connection.
  const closeSoon = (socket: Socket) => {
    const close = () => {
      if (underWay.get(socket)?.size === 0) socket.destroySoon();
    };
    // Not before what came meanwhile is read, however long the turn was that the timer waited for.
    setTimeout(() => setImmediate(close), LINGER_MS);
  };
  const forget = (socket: Socket) => {
    const left = underWay.get(socket) ?? [];
    underWay.delete(socket);
    for (const response of left) {
      response.destroy();
      response.emit('close');
    }
  };
  server.on('connection', (socket: Socket) => {
    underWay.set(socket, new Set());
    // The answer that was being sent gets its 'close' from node:http, in the same turn.
    socket.once('close', () => process.nextTick(forget, socket));
  });

  return {
    begin: (socket, response) => underWay.get(socket)?.add(response),
    end(socket, response) {
      const answers = underWay.get(socket);
      answers?.delete(response);
      if (draining && answers?.size === 0) closeSoon(socket);
    },
    isBusy: (socket) => (underWay.get(socket)?.size ?? 0) > 0,
    async drain(graceMs) {
      draining = true;
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      for (const [socket, answers] of underWay) if (answers.size === 0) closeSoon(socket);
      const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}
