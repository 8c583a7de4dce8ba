import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';

/** How long a connection without a request stays open while draining. */
const LINGER_MS = 100;

/** What is known of a server's connections. */
export interface Connections {
  /** An answer is under way on it. */
  begin(socket: Socket): void;
  /** One of its answers is over. */
  end(socket: Socket): void;
  /** Whether an answer is under way on it. */
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
  const underWay = new Map<Socket, { answers: number }>();
  let draining = false;

  const change = (socket: Socket, by: number) => {
    const connection = underWay.get(socket);
    if (connection === undefined) return;
    connection.answers += by;
    if (draining && connection.answers === 0) closeSoon(socket);
  };
  // A request may be on its way already: it is answered, and that answer closes the connection.
  const closeSoon = (socket: Socket) => {
    const close = () => {
      if (underWay.get(socket)?.answers === 0) socket.destroySoon();
    };
    // Not before what came meanwhile is read, however long the turn was that the timer waited for.
    setTimeout(() => setImmediate(close), LINGER_MS);
  };
  server.on('connection', (socket: Socket) => {
    underWay.set(socket, { answers: 0 });
    socket.once('close', () => underWay.delete(socket));
  });

  return {
    begin: (socket) => change(socket, 1),
    end: (socket) => change(socket, -1),
    isBusy: (socket) => (underWay.get(socket)?.answers ?? 0) > 0,
    async drain(graceMs) {
      draining = true;
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      for (const [socket, { answers }] of underWay) if (answers === 0) closeSoon(socket);
      const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}
