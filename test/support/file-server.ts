import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import sirv from 'sirv';

/** A web server for one test. It serves the current files of a folder. */
export interface FileServer {
  address: string;
  /** Starts it again at the same address after `stop`. */
  start(): Promise<void>;
  /** Breaks all connections, and accepts no more. */
  stop(): Promise<void>;
}

/** Starts a web server on a free port that serves a folder. */
export async function startFileServer(folder: string): Promise<FileServer> {
  const handle = sirv(folder, { dev: true });
  let port = 0;
  let server: Server | undefined;

  const start = async () => {
    const started = createServer((request, response) => handle(request, response));
    server = started.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  await start();
  return {
    address: `http://127.0.0.1:${port}`,
    start,
    async stop() {
      if (!server) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      server = undefined;
    },
  };
}
