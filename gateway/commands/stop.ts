import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import { CommandError } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';

/** How long a gateway may take to stop, in ms: longer than responses under way may take. */
export const STOP_MS = 16_000;

/** How long closing may take after a failure, in ms. */
const FAILED_MS = 200;

/**
 * Runs work, then closes what it used. After a failure that has only a moment, so that a failed start is reported and ends soon.
 *
 * @throws what the work throws
 */
export async function closeAfter<T>(work: () => Promise<T>, close: () => Promise<unknown>): Promise<T> {
  const outcome = await work().catch(async (error: unknown) => {
    await Promise.race([close().catch(() => {}), sleep(FAILED_MS, undefined, { ref: false })]);
    throw error;
  });
  await close();
  return outcome;
}

/**
 * Resolves when this process receives SIGTERM or SIGINT. From then on it has a limited time to end. Before the first call, both signals end
 * the process immediately.
 *
 * @param limitMs after this time it is ended
 */
export async function untilStopped(log: Log, limitMs: number): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const end = () => {
    log.error('it did not stop in time, and is ended', { seconds: limitMs / 1000 });
    process.exit(1);
  };
  setTimeout(end, limitMs).unref();
}

/** Parses the number of a port. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw new InvalidArgumentError('expected a number from 0 to 65535.');
}

/**
 * Makes a server listen.
 *
 * @param option the option that sets the port, for the message
 * @returns the address, as `http://127.0.0.1:3000`
 * @throws CommandError when the port cannot be used
 */
export async function listenOn(server: Server, port: number, host: string, option: string): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE'
        ? `it is in use: stop the other program, or choose another port with ${option}`
        : message;
    throw new CommandError(`cannot listen on port ${port} of ${host}: ${reason}`);
  }
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
