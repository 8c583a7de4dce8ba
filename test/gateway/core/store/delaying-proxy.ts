import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a Redis server that lets its replies wait, as a long way would. */
export interface DelayingProxy {
  /** The value for `--store`. */
  address: string;
  /** Sets how long each reply waits from now on, in ms. */
  delay(ms: number): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port of this machine. */
export async function startDelayingProxy(port: number): Promise<DelayingProxy> {
  let ms = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream);
    upstream.on('data', (bytes) => setTimeout(() => client.write(bytes), ms));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        client.destroy();
        upstream.destroy();
        sockets.delete(socket);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delay(value) {
      ms = value;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
