import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { atEnd } from './at-end.ts';

/**
 * Lets a server listen on a port of the loopback interface, any free one by default, at most until the last test of the file has ended.
 *
 * @returns its address, such as `http://127.0.0.1:40123`
 */
export async function listen(server: Server, port = 0): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  atEnd(() => endServer(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Breaks all connections of a server, and accepts no more. */
export async function endServer(server: Server | HttpServer): Promise<void> {
  if (!server.listening) return;
  const closed = once(server.close(), 'close');
  if ('closeAllConnections' in server) {
    server.closeAllConnections();
    await closed;
  }
}
