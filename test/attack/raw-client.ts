import { connect } from 'node:net';

/** When a client that ends its side does so, if nothing was received. */
const END_MS = 300;
/** Longer than any time limit of a gateway or of nginx for what these tests send. */
const LONGEST_WAIT_MS = 90_000;

/** What a raw client sends, and how. */
export interface RawRequest {
  /** Sent one after the other. */
  parts: readonly (string | Buffer)[];
  /** Whether the client closes its side when it has received something, or has waited. Otherwise the server has to close the connection. */
  ends?: boolean;
}

/**
 * Sends bytes on a connection of their own.
 *
 * @returns all that is received until the connection is closed, whoever closes it
 * @throws Error if it stays open
 */
export function sendParts(address: string, { parts, ends = false }: RawRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', allowHalfOpen: true });
    const received: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`the connection stays open, with ${Buffer.concat(received).toString('latin1', 0, 300)}`),
      );
    }, LONGEST_WAIT_MS);
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(received));
    };
    const endSoon = () => {
      if (ends) setTimeout(() => socket.end(), received.length > 0 ? 0 : END_MS);
    };
    socket.setNoDelay().on('data', (part) => {
      received.push(part);
      endSoon();
    });
    // Without an error, 'end' comes first.
    socket.on('error', finish).on('end', finish);
    const sendNext = (index: number) => {
      const part = parts[index];
      if (part !== undefined) socket.write(part, () => setImmediate(sendNext, index + 1));
      else endSoon();
    };
    sendNext(0);
  });
}
