import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { detach, releaseAll, reserve } from '../bytes/draft.ts';
import { HTTPS_ONLY, IdentifiedResponse, REQUEST_ID } from './identified-response.ts';
import { UnsentBytes } from './unsent-bytes.ts';

/** Longer than load balancers keep an idle connection open, so that they never use one that is being closed. */
export const KEEP_ALIVE_SECONDS = 65;
/** The last lines of a head. */
const CONNECTION = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n\r\n`;

/** How many responses are held before they are written. */
const MAX_HELD = 64;
/** A longer response is written in two pieces. Responses in the shared memory of drafts are shorter. */
const MAX_PIECE_BYTES = 80 * 1024;
const SECOND_MS = 1000;
const HTTPS_ONLY_LINE = `${HTTPS_ONLY.join(': ')}\r\n`;

/** A response of a server without the fast path: node:http writes it at once. */
export class PlainResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends IdentifiedResponse<Request> {}

/** A response that is ready but not sent. */
interface Held {
  response: ServerResponse;
  status: number;
  fields: string;
  bytes: Buffer | undefined;
}

/** Shorter bodies, such as those of health checks, are sent even if too many bytes wait. */
const SHORT_BYTES = 4 * 1024;
/** Longer bodies count as unsent immediately, so that the limits also apply to the responses of one tick. */
const LONG_BYTES = 64 * 1024;

/** What the clients of this process have not read yet. */
const unsent = new UnsentBytes();
/** The responses that are ready but not sent, in order. */
let held: Held[] = [];
/** The memory in which head and body are joined; free again once the socket has accepted the bytes. */
let memory = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
let second = { at: Number.NaN, text: '' };

/**
 * Sends a response whose bytes are ready: after the current microtasks, together with the other responses of this tick. A client with
 * several responses is woken once, and the kernel's code stays in the processor's caches.
 *
 * @param fields lines of the head, each ended by CRLF. They go out unchecked: their values must be Latin-1 without control characters.
 *   X-Request-Id, Date, Connection and Keep-Alive are added
 * @throws HttpProblem when too many bytes wait for clients to read them
 */
export function sendWhole(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  if (bytes !== undefined) {
    if (bytes.length > SHORT_BYTES) unsent.check(response);
    if (bytes.length > LONG_BYTES) unsent.hold(response, bytes.length);
  }
  if (response instanceof PlainResponse) {
    writePlainly(response, status, fields, bytes);
    return;
  }
  if (held.length === 0) process.nextTick(sendHeld);
  if (bytes) reserve(bytes);
  held.push({ response, status, fields, bytes });
  if (held.length === MAX_HELD) sendHeld();
}

function sendHeld(): void {
  const responses = held;
  held = [];
  for (const ready of responses) {
    const { response, bytes } = ready;
    const { req, socket, shouldKeepAlive } = response;
    if (socket?.writableLength === 0 && shouldKeepAlive && req.httpVersion === '1.1') write(ready, socket);
    else {
      if (bytes !== undefined && bytes.length <= LONG_BYTES) unsent.hold(response, bytes.length);
      writePlainly(response, ready.status, ready.fields, bytes);
    }
  }
  releaseAll();
}

/**
 * Writes a response, head and body in one piece. node:http takes longer for this than the gateway takes to find most responses. It still
 * writes a response that waits for another, or that is the last of its connection, as in HTTP/1.0.
 */
function write({ response, status, fields, bytes }: Held, socket: Socket): void {
  response.statusCode = status;
  const { requestId, isHttpsOnly } = response as IdentifiedResponse;
  const own = `${REQUEST_ID}: ${requestId}\r\n${isHttpsOnly ? HTTPS_ONLY_LINE : ''}`;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  const head = `${line}${fields}${own}Date: ${describeNow()}\r\n${CONNECTION}`;
  // Makes node:http continue with the connection's next request, as after its own `end`.
  const finish = (error?: Error | null) => {
    if (!error) response.emit('finish');
  };
  if (bytes !== undefined && head.length + bytes.length > MAX_PIECE_BYTES) {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(bytes, finish);
    socket.uncork();
    return;
  }
  let length = memory.write(head, 'latin1');
  if (bytes !== undefined) {
    memory.set(bytes, length);
    length += bytes.length;
  }
  socket.write(memory.subarray(0, length), finish);
  if (socket.writableLength === 0) return;
  memory = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
  if (length <= LONG_BYTES) unsent.hold(response, MAX_PIECE_BYTES);
}

/** Writes a response with node:http, which may keep the bytes for a while. */
function writePlainly(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  response.writeHead(status, toList(fields)).end(bytes && detach(bytes));
}

/** Returns names and values alternately, as `writeHead` accepts them. */
function toList(fields: string): string[] {
  const lines = fields.split('\r\n').slice(0, -1);
  return lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}

/** Returns the value of Date, made once a second. */
function describeNow(): string {
  const now = Date.now();
  const at = now - (now % SECOND_MS);
  if (at !== second.at) second = { at, text: new Date(at).toUTCString() };
  return second.text;
}
