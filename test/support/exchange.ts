import { connect } from 'node:net';

/** A response as it came over a connection. */
export interface RawResponse {
  status: number;
  /** Its header fields in lower case; repeated ones joined by commas. */
  headers: Record<string, string>;
  body: Buffer;
}

/** What an exchange sends, and how. */
export interface Exchange {
  bytes: Buffer;
  /** Whether the response has no body because the request is a HEAD. */
  isHead?: boolean;
  /** Whether the client closes its side right after the request, instead of after the response. */
  endsEarly?: boolean;
}

/** Far more than a response takes. */
const LONGEST_WAIT_MS = 120_000;

/**
 * Sends bytes as they are on a connection of their own, and reads what comes back until the connection is closed.
 *
 * @returns the responses, without those that are only interim
 * @throws Error when no response comes, when one is not complete, or when the connection is reset
 */
export function exchange(address: string, { bytes, isHead = false, endsEarly = false }: Exchange) {
  return new Promise<RawResponse[]>((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const parts: Buffer[] = [];
    const fail = (why: string) => {
      socket.destroy();
      reject(new Error(`${why}; received: ${Buffer.concat(parts).toString('latin1').slice(0, 500)}`));
    };
    const timer = setTimeout(() => fail('no complete response came'), LONGEST_WAIT_MS);
    const finish = () => {
      clearTimeout(timer);
      try {
        const responses = readResponses(Buffer.concat(parts), isHead, true);
        if (responses.length > 0) resolve(responses);
        else fail('the connection was closed without a response');
      } catch (error) {
        fail((error as Error).message);
      }
    };
    socket.on('error', (error) => {
      clearTimeout(timer);
      fail(`the connection failed: ${error.message}`);
    });
    socket.on('data', (part) => {
      parts.push(part);
      const responses = tryRead(Buffer.concat(parts), isHead);
      if (responses === undefined || responses.length === 0) return;
      if (!socket.writableEnded) socket.end();
    });
    socket.on('end', () => {
      socket.end();
      finish();
    });
    if (endsEarly) socket.end(bytes);
    else socket.write(bytes);
  });
}

function tryRead(bytes: Buffer, isHead: boolean): RawResponse[] | undefined {
  try {
    return readResponses(bytes, isHead, false);
  } catch {
    return undefined;
  }
}

/**
 * Reads the responses in what a connection received.
 *
 * @param isAll whether the connection is closed
 * @throws Error when a response is not complete, or not HTTP
 */
function readResponses(bytes: Buffer, isHead: boolean, isAll: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const { response, length } = readResponse(rest, isHead, isAll);
    if (response.status >= 200) responses.push(response);
    rest = rest.subarray(length);
  }
  return responses;
}

function readResponse(bytes: Buffer, isHead: boolean, isAll: boolean) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) throw new Error('a head is not complete');
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const [, digits] = /^HTTP\/1\.1 (\d{3}) [\w ()'-]+$/.exec(line) ?? [];
  if (digits === undefined) throw new Error(`this is not a status line: ${line}`);
  const status = Number(digits);
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = /^([\w-]+):[ \t]*([^\0\r\n]*?)[ \t]*$/.exec(field) ?? [];
    if (name === '') throw new Error(`this is not a header field: ${field}`);
    const known = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`;
  }
  const { body, length } = readBody(bytes.subarray(end + 4), { status, headers, isHead, isAll });
  return { response: { status, headers, body }, length: end + 4 + length };
}

interface Head {
  status: number;
  headers: Record<string, string>;
  isHead: boolean;
  isAll: boolean;
}

function readBody(bytes: Buffer, { status, headers, isHead, isAll }: Head): { body: Buffer; length: number } {
  const none = Buffer.alloc(0);
  // What is not HTTP gets its response before its method is known.
  if (isHead && status >= 400 && headers.connection === 'close') return { body: none, length: bytes.length };
  if (isHead || status < 200 || status === 204 || status === 304) return { body: none, length: 0 };
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes);
  const announced = headers['content-length'];
  if (announced === undefined) {
    if (!isAll || headers.connection !== 'close') throw new Error('a body without a length is not complete');
    return { body: bytes, length: bytes.length };
  }
  const length = Number(announced);
  if (bytes.length < length) throw new Error(`a body has ${bytes.length} bytes instead of ${length}`);
  return { body: bytes.subarray(0, length), length };
}

function readChunks(bytes: Buffer): { body: Buffer; length: number } {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = end === -1 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, end), 16);
    const next = end + 2 + size + 2;
    if (Number.isNaN(size) || next > bytes.length) throw new Error('a chunked body is not complete');
    if (size === 0) return { body: Buffer.concat(parts), length: next };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = next;
  }
}
