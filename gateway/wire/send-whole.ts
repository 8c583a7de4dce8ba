import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { detach, releaseAll, reserve } from '../bytes/draft.ts';

/** Longer than a load balancer keeps an idle connection, so that it never meets one that is being closed. */
export const KEEP_ALIVE_SECONDS = 65;
/** The last lines of a head. */
const CONNECTION = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n\r\n`;

/** How many answers are held at most. */
const MOST_HELD = 64;
/** An answer that takes more is written in two pieces; none in the memory that drafts share does. */
const LARGEST = 80 * 1024;
const SECOND_MS = 1000;

/** A response of a server without the fast path: node:http writes it, at once and by itself. */
export class PlainResponse extends ServerResponse {}

/** An answer that is there and not sent yet. */
interface Held {
  response: ServerResponse;
  status: number;
  fields: string;
  bytes: Buffer | undefined;
}

/** Answers that are held back, in the order that they came. */
let held: Held[] = [];
/** Where answers are put together; nobody has it once a socket has taken its bytes. */
let memory = Buffer.allocUnsafeSlow(LARGEST);
let second = { at: Number.NaN, text: '' };

/**
 * Sends an answer whose bytes are all there: once all that is under way at the moment is done, together with the answers that come of it.
 * Who waits for them is woken once and not by each, and the system's code stays hot.
 *
 * @param fields lines of the head, each ended by CRLF. They go out as they are: their values have to be of Latin-1, without control
 * characters. Those that tell of the moment and the connection are added
 */
export function sendWhole(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  if (response instanceof PlainResponse) {
    writePlainly(response, status, fields, bytes);
    return;
  }
  if (held.length === 0) process.nextTick(sendHeld);
  if (bytes) reserve(bytes);
  held.push({ response, status, fields, bytes });
  if (held.length === MOST_HELD) sendHeld();
}

function sendHeld(): void {
  const answers = held;
  held = [];
  for (const answer of answers) {
    const { response, bytes } = answer;
    const { req, socket, shouldKeepAlive } = response;
    if (socket?.writableLength === 0 && shouldKeepAlive && req.httpVersion === '1.1') write(answer, socket);
    else writePlainly(response, answer.status, answer.fields, bytes);
  }
  releaseAll();
}

/**
 * Writes an answer, head and body in one piece. What node:http does for that, apart from the write itself, takes longer than to find most
 * answers; it does it still where an answer has to wait for others, or is the last of its connection, as those in HTTP/1.0 may be.
 */
function write({ response, status, fields, bytes }: Held, socket: Socket): void {
  response.statusCode = status;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields}Date: ${describeNow()}\r\n${CONNECTION}`;
  // Makes node:http go on to the connection's next request, as it does after an `end` of its own.
  const finish = (error?: Error | null) => {
    if (!error) response.emit('finish');
  };
  if (bytes !== undefined && head.length + bytes.length > LARGEST) {
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
  if (socket.writableLength > 0) memory = Buffer.allocUnsafeSlow(LARGEST);
}

/** Writes an answer by node:http's own means, which may hold on to the bytes for a while. */
function writePlainly(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  response.writeHead(status, toList(fields)).end(bytes && detach(bytes));
}

/** Names and values in turn, as node:http takes them. */
function toList(fields: string): string[] {
  const lines = fields.split('\r\n').slice(0, -1);
  return lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}

/** The date as HTTP has it, made once a second. */
function describeNow(): string {
  const now = Date.now();
  const at = now - (now % SECOND_MS);
  if (at !== second.at) second = { at, text: new Date(at).toUTCString() };
  return second.text;
}
