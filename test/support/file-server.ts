import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import path from 'node:path';
import { findFreePort } from './free-port.ts';
import { endServer, listen } from './listen.ts';

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
  // Files are read as a whole: tests replace them meanwhile.
  const handle: RequestListener = (request, response) =>
    void readFile(path.join(folder, request.url ?? '')).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  const port = await findFreePort();
  let server: Server | undefined;

  const start = async () => {
    server = createServer(handle);
    await listen(server, port);
  };
  await start();
  return {
    address: `http://127.0.0.1:${port}`,
    start,
    async stop() {
      if (server) await endServer(server);
      server = undefined;
    },
  };
}
