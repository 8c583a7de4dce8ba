import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { findWrongMethod } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';
import { REQUEST_ID, type RequestIds } from '../http/identified-response.ts';
import type { Connections } from './connections.ts';
import { closeGently, isDropping } from './linger.ts';
import type { Refusal } from '../http/http-server.ts';
import { COMMON_HEADERS } from '../http/respond.ts';

/** The error of node:http for a request that it could not parse, or of a connection. */
interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Options of the responses to what is not a valid request. */
export interface RefusalOptions {
  /** In bytes; a head whose first line is too long gets a 414. */
  maxTargetBytes: number;
  connections: Connections;
  ids: RequestIds;
  /** Called after each response. */
  note: (refusal: Refusal) => void;
}

/** Responds to what node:http does not pass on as a request. */
export class Refusals {
  readonly #options: RefusalOptions;

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  /**
   * Responds to bytes that are not a valid request: a head that is too large, or not HTTP. It sends a problem, once the responses before
   * it are sent, and closes the connection.
   */
  refuseBytes(error: ClientError, stream: Duplex): void {
    const { connections, maxTargetBytes, ids } = this.#options;
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
    const requestId = ids.next();
    const message =
      error.code === TIMEOUT
        ? { status: 408, lines: [`${REQUEST_ID}: ${requestId}`, 'Connection: close'], body: '' }
        : describeProblem(describe(error, maxTargetBytes), requestId);
    this.#send(socket, { ...message, request: undefined, requestId });
  }

  /** Refuses to open a tunnel. node:http would close the connection without a response. */
  refuseTunnel(request: IncomingMessage, stream: Duplex): void {
    // node:http has removed its own listener.
    stream.on('error', () => {});
    const problem = findWrongMethod(request);
    if (problem === undefined) return;
    const requestId = this.#options.ids.idOf(request);
    this.#send(stream as Socket, { ...describeProblem(problem, requestId), request, requestId });
  }

  /** Sends a response without node:http, and closes the connection. */
  #send(socket: Socket, { status, lines, body, request, requestId }: Message & Omit<Refusal, 'bytes'>): void {
    const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
    socket.write(text);
    closeGently(socket);
    this.#options.note({ request, requestId, status, bytes: Buffer.byteLength(text) });
  }
}

/** A response: the lines of its head after the first, and its body. */
interface Message {
  status: number;
  lines: string[];
  body: string;
}

function describeProblem(problem: HttpProblem, requestId: string): Message {
  const body = JSON.stringify(problem);
  const headers = {
    ...COMMON_HEADERS,
    ...problem.headers,
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    [REQUEST_ID]: requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return { status: problem.status, lines, body };
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
