import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Incoming } from '../http/incoming.ts';
import { batchPerTick } from '../http/work.ts';
import {
  HTTPS_ONLY,
  type IdentifiedResponse,
  KEEP_ALIVE_SECONDS,
  REQUEST_ID,
  type Writer,
  writePlainly,
} from '../http/identified-response.ts';

/** The last lines of a head. */
const CONNECTION = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n\r\n`;

/** How many requests are handled together. A pipelining connection can bring thousands in one tick. */
const MAX_BATCH = 64;
/** How many responses are held before they are written. */
const MAX_HELD = 64;
/** A longer response is written in two pieces. */
const MAX_PIECE_BYTES = 80 * 1024;
const SECOND_MS = 1000;
const HTTPS_ONLY_LINE = `${HTTPS_ONLY.join(': ')}\r\n`;

/** A response that is ready but not sent. */
interface Held {
  response: IdentifiedResponse;
  status: number;
  fields: string;
  bytes: Buffer | undefined;
}

/** The responses that are ready but not sent, in order. */
let held: Held[] = [];
/** The memory in which head and body are joined; free again once the socket has accepted the bytes. */
let memory = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
let second = { at: Number.NaN, text: '' };

/**
 * Writes the responses of a tick together, after the current microtasks. A client with several responses is woken once, and the code of the
 * gateway and of the kernel stays in the processor's caches.
 */
export const FAST_WRITER: Writer = {
  accept(respond) {
    const add = batchPerTick<{ request: Incoming; response: ServerResponse }>((batch) => {
      for (const { request, response } of batch) respond(request, response);
    }, MAX_BATCH);
    return (request, response) => add({ request, response });
  },
  write(response, status, fields, bytes) {
    if (held.length === 0) process.nextTick(sendHeld);
    held.push({ response, status, fields, bytes });
    if (held.length === MAX_HELD) sendHeld();
  },
};

function sendHeld(): void {
  const responses = held;
  held = [];
  for (const ready of responses) {
    const { response } = ready;
    const { req, socket, shouldKeepAlive } = response;
    if (socket?.writableLength === 0 && shouldKeepAlive && req.httpVersion === '1.1') write(ready, socket);
    else writePlainly(response, ready.status, ready.fields, ready.bytes);
  }
}

/**
 * Writes a response, head and body in one piece. node:http takes longer for this than the gateway takes to find most responses. It still
 * writes a response that waits for another, or that is the last of its connection, as in HTTP/1.0.
 */
function write({ response, status, fields, bytes }: Held, socket: Socket): void {
  response.statusCode = status;
  const { requestId, isHttpsOnly } = response;
  const ownLines = `${REQUEST_ID}: ${requestId}\r\n${isHttpsOnly ? HTTPS_ONLY_LINE : ''}`;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  const head = `${line}${fields}${ownLines}Date: ${describeNow()}\r\n${CONNECTION}`;
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
  if (socket.writableLength > 0) memory = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
}

/** Returns the value of Date, made once a second. */
function describeNow(): string {
  const now = Date.now();
  const at = now - (now % SECOND_MS);
  if (at !== second.at) second = { at, text: new Date(at).toUTCString() };
  return second.text;
}
