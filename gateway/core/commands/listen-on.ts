import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { CommandError } from '../../../scripts/core/lib/command-error.ts';

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
