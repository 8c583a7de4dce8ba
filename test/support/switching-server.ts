import { createServer } from 'node:net';
import { listen } from './listen.ts';

/** Starts a server that responds to every request with 101 Switching Protocols, and then sends nothing. */
export async function startSwitching(): Promise<{ address: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
  });
  return { address: await listen(server) };
}
