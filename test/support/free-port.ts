import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of the loopback interface on which no process listens. Systems give none of this range to connections or to servers that ask for any
 * port, so that it stays free, also while its server is restarted.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 20_000);
    const probe = createServer();
    const isFree = await new Promise((resolve) =>
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
