import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { CommandError } from '../../../scripts/core/lib/command-error.ts';

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
