import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HttpProblem } from '../http/problem.ts';
import { COMMON_HEADERS } from './respond.ts';

/** The error of node:http for a request that it could not parse. */
interface ParseError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

/**
 * Makes the listener for bytes that are not a valid request: a head that is too large, or not HTTP. It responds with a problem and closes
 * the connection.
 *
 * @param longestTarget bytes; a head that is too large because of its first line is a 414
 * @param isBusy returns whether a response is under way on a connection
 */
export function refuseConnection(
  longestTarget: number,
  isBusy: (socket: Socket) => boolean,
): (error: ParseError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // While a response is under way, the client would take this one for it. Let the responses of this tick go out first.
    if (isBusy(socket)) {
      setImmediate(() => socket.destroy());
      return;
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      return;
    }
    const problem = describe(error, longestTarget);
    const body = JSON.stringify(problem);
    const headers = {
      ...COMMON_HEADERS,
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
    );
  };
}

function describe({ code, rawPacket }: ParseError, longestTarget: number): HttpProblem {
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
