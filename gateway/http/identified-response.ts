import { randomBytes } from 'node:crypto';
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Incoming } from './incoming.ts';

/**
 * Sends a response whose bytes are ready: by the writer of its server, otherwise by node:http.
 *
 * @param fields lines of the head, each ended by CRLF. They go out unchecked: their values must be Latin-1 without control characters.
 *   X-Request-Id, Date, Connection and Keep-Alive are added
 */
export function sendWhole(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  const identified = response instanceof IdentifiedResponse ? response : undefined;
  if (identified?.writer) identified.writer.write(identified, status, fields, bytes);
  else writePlainly(response, status, fields, bytes);
}

/** Writes a response with node:http, which may keep the bytes for a while. */
export function writePlainly(response: ServerResponse, status: number, fields: string, bytes?: Buffer): void {
  response.writeHead(status, toList(fields)).end(bytes);
}

/** Returns names and values alternately, as `writeHead` accepts them. */
function toList(fields: string): string[] {
  const lines = fields.split('\r\n').slice(0, -1);
  return lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}

/** Responds to a request. It handles its own failures and never throws. */
export type Responder = (request: Incoming, response: ServerResponse) => void;

/** Handles requests and writes responses in another way than node:http. */
export interface Writer {
  /** Makes what handles each request when it arrives. */
  accept(respond: Responder): Responder;
  /** Writes a response whose bytes are ready, as `sendWhole` describes. */
  write(response: IdentifiedResponse, status: number, fields: string, bytes: Buffer | undefined): void;
}

/** Longer than load balancers keep an idle connection open, so that they never use one that is being closed. */
export const KEEP_ALIVE_SECONDS = 65;

/** The header field with the id of the request that a response belongs to. */
export const REQUEST_ID = 'X-Request-Id';

const PREFIX_BYTES = 6;
/** The form of an id from a proxy, strict because it is copied into the response's head and into the log. */
const FORM = /^[\w.:+/=@-]{1,128}$/;

/** Makes ids of requests, with which a response can be found in the log. */
export class RequestIds {
  /** Different in each process. */
  readonly #prefix = `${randomBytes(PREFIX_BYTES).toString('base64url')}-`;
  readonly #isFromProxy: (request: IncomingMessage) => boolean;
  /** Whether a connection is from a trusted proxy. */
  readonly #trusted = new WeakMap<Socket, boolean>();
  #count = 0;

  /** @param isFromProxy returns whether a request comes from a trusted proxy */
  constructor(isFromProxy: (request: IncomingMessage) => boolean) {
    this.#isFromProxy = isFromProxy;
  }

  /** Returns the id of a request: X-Request-Id from a trusted proxy, otherwise a new one. */
  idOf(request: IncomingMessage): string {
    const proxyId = request.headers['x-request-id'];
    return typeof proxyId === 'string' && FORM.test(proxyId) && this.#isTrusted(request)
      ? proxyId
      : this.next();
  }

  /** Makes an id. */
  next(): string {
    this.#count += 1;
    return this.#prefix + this.#count.toString(36);
  }

  #isTrusted(request: IncomingMessage): boolean {
    const { socket } = request;
    let isTrusted = this.#trusted.get(socket);
    if (isTrusted === undefined) {
      isTrusted = this.#isFromProxy(request);
      this.#trusted.set(socket, isTrusted);
    }
    return isTrusted;
  }
}

/** The header field that makes browsers use only https for a year (RFC 6797). */
export const HTTPS_ONLY = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/** As `writeHead` of node:http accepts them. */
type WriteHeadArguments = [
  status: number,
  ...rest: (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[],
];

/** A response that has the id of its request in its head. */
export class IdentifiedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** It goes into the head unchecked. */
  requestId = '';

  /** Writes the response instead of node:http. */
  writer: Writer | undefined;

  /** Whether the response says that browsers must use https only. */
  isHttpsOnly = false;

  override writeHead(...args: WriteHeadArguments): this {
    const headers = args.at(-1);
    const fields = [REQUEST_ID, this.requestId, ...(this.isHttpsOnly ? HTTPS_ONLY : [])];
    if (Array.isArray(headers)) headers.push(...fields);
    else for (let at = 0; at < fields.length; at += 2) this.setHeader(fields[at] ?? '', fields[at + 1] ?? '');
    return super.writeHead(...(args as Parameters<ServerResponse['writeHead']>));
  }
}
