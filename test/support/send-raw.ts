import { connect } from 'node:net';

/**
 * Sends bytes unchanged, whether or not they are HTTP.
 *
 * @param isAll whether the client closes its side after the bytes
 * @returns everything that is received until the gateway closes the connection
 * @throws if the connection fails before anything is received
 */
export function sendRaw(
  { address }: { address: string },
  bytes: string | Buffer,
  isAll = false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () =>
      isAll ? socket.end(bytes) : socket.write(bytes),
    );
    let response = '';
    socket.setEncoding('utf8').on('data', (part) => {
      response += part;
    });
    socket.on('error', (error) => response || reject(error)).on('close', () => resolve(response));
  });
}
