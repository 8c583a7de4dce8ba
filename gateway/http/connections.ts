import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';

/**
 * Keeps count of what is under way on a server's connections, so that it can be stopped without cutting an answer off. (`close` of
 * node:http destroys connections whose answer is written but not yet taken by a slow reader.)
 *
 * @returns a function that takes no more connections, closes idle ones at once and others after their answer, and resolves when
 *   all are closed; what takes longer than `graceMs` is cut off
 */
export function trackConnections(server: Server): (graceMs: number) => Promise<void> {
  const underWay = new Map<Socket, number>();
  let draining = false;

  const change = (socket: Socket, by: number) => {
    const count = (underWay.get(socket) ?? 0) + by;
    if (underWay.has(socket)) underWay.set(socket, count);
    if (draining && count === 0) socket.destroySoon();
  };
  server.on('connection', (socket: Socket) => {
    underWay.set(socket, 0);
    socket.once('close', () => underWay.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    change(socket, 1);
    response.once('close', () => change(socket, -1));
  });

  return async (graceMs) => {
    draining = true;
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    for (const [socket, count] of underWay) if (count === 0) socket.destroySoon();
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(deadline);
  };
}
