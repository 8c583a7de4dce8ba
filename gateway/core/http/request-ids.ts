import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

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
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && FORM.test(given) && this.#isTrusted(request) ? given : this.next();
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
