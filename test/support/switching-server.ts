import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Starts a server that responds to every request with 101 Switching Protocols, and then sends nothing. */
export async function startSwitching(): Promise<{ address: string; close(): void }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
