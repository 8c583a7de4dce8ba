import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { findWrongMethod } from '../http/check-request.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Connections } from './connections.ts';
import { closeGently, isDropping } from './linger.ts';
import { COMMON_HEADERS } from './respond.ts';

/** The error of node:http for a request that it could not parse, or of a connection. */
interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Makes the listener for bytes that are not a valid request: a head that is too large, or not HTTP. It responds with a problem, once the
 * responses before it are sent, and closes the connection.
 *
 * @param longestTarget in bytes; a head whose first line is too long gets a 414
 */
export function refuseBytes(
  longestTarget: number,
  connections: Connections,
): (error: ClientError, stream: Duplex) => void {
  return (error, stream) => {
    const socket = stream as Socket;
    if (error.code !== TIMEOUT && !error.code?.startsWith('HPE_')) {
      socket.destroy();
      return;
    }
    if (!socket.writable || isDropping(socket)) return;
    if (connections.isBusy(socket)) {
      // The requests of this event-loop tick are handled first.
      setImmediate(() => connections.closeAfterResponses(socket));
      return;
    }
    if (error.code === TIMEOUT) {
      socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      closeGently(socket);
      return;
    }
    refuse(socket, describe(error, longestTarget));
  };
}

/** Refuses to open a tunnel. node:http would close the connection without a response. */
export function refuseTunnel(request: IncomingMessage, stream: Duplex): void {
  // node:http has removed its own listener.
  stream.on('error', () => {});
  const problem = findWrongMethod(request);
  if (problem) refuse(stream as Socket, problem);
}

/** Sends a problem without node:http, and closes the connection. */
function refuse(socket: Socket, problem: HttpProblem): void {
  const body = JSON.stringify(problem);
  const headers = {
    ...COMMON_HEADERS,
    ...problem.headers,
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
  closeGently(socket);
}

function describe({ code, rawPacket }: ClientError, longestTarget: number): HttpProblem {
  if (code === 'HPE_INVALID_URL') {
    const detail =
      'the address has characters that must be percent-encoded, as curl -G --data-urlencode does';
    return new HttpProblem('invalid-parameter', detail, { parameter: 'query' });
  }
  if (code !== 'HPE_HEADER_OVERFLOW') {
    return new HttpProblem('invalid-parameter', 'this is not a valid HTTP request', {
      parameter: 'request',
    });
  }
  // Only the last piece of a head is available. The target is too long if the piece begins with a method.
  const text = rawPacket?.toString('latin1', 0, longestTarget) ?? '';
  const overlong = /^[A-Z]+ [^\r\n]*$/.test(text);
  return overlong
    ? new HttpProblem('uri-too-long', `the address is too long, expected at most ${longestTarget} bytes`)
    : new HttpProblem('headers-too-large', 'the headers are too large together');
}
