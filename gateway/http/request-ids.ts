import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const PREFIX_BYTES = 6;
/** What an id of a proxy may look like: it goes into the head of the response and into the log unchecked. */
const FORM = /^[\w.:+/=@-]{1,128}$/;

/** The ids of requests, by which a response is found in the log. */
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
    if (typeof given === 'string' && FORM.test(given) && this.#isTrusted(request)) return given;
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
