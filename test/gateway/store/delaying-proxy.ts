import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a Redis server that lets its replies wait, as a long way would. */
export interface DelayingProxy {
  /** The value for `--store`. */
  address: string;
  /** Sets how long each reply waits from now on, in ms. */
  delay(ms: number): void;
  /** Breaks the connection when Redis has done the next command with this text, before its reply arrives. */
  loseReply(text: string): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port of this machine. */
export async function startDelayingProxy(port: number): Promise<DelayingProxy> {
  let ms = 0;
  let lost: string | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let isLost = false;
    client.on('data', (bytes) => {
      upstream.write(bytes);
      if (lost === undefined || !bytes.includes(lost)) return;
      lost = undefined;
      isLost = true;
    });
    client.once('end', () => upstream.end());
    upstream.on('data', (bytes) => {
      if (!isLost) setTimeout(() => client.write(bytes), ms);
      // A script that changed something returns 1.
      else if (bytes.includes(':1\r\n')) client.destroy();
    });
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
    loseReply(text) {
      lost = text;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
