import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { ClientAddress, Incoming } from '../http/incoming.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, type ProblemCode, quote, unavailable } from '../http/problem.ts';
import { andThen } from '../http/respond.ts';
import { findKey } from '../store/keys.ts';
import { ownChanges, readRevision, type Store, StoreError } from '../store/sql.ts';
import { type Caller, type IssuedKey, isEnding, isRevoked, type Key, tierAt } from './account.ts';
import { ADDRESS_MARK, type KeyName, readKey, readToken } from './api-key.ts';
import type { BadAttempts } from './attempts.ts';
import { isFromOrigin } from './key-options.ts';

/** How often the revision of the store is read, in ms. A revoked key works at most this long, plus the response time of the store. */
const POLL_MS = 500;
/** How many keys are remembered, of about 1 KB each. */
const MAX_KEYS = 50_000;
/** How long the gateway counts as ready after the store last responded, in ms. */
const GRACE_MS = 30_000;

interface AuthenticatorOptions {
  store: Store;
  log: Log;
  clientAddress: ClientAddress;
  /** Counts invalid keys. */
  badAttempts: BadAttempts;
}

const NO_ADDRESS = 'this read-only address does not exist, or was revoked; make another one on /account';
const CHALLENGE = { 'WWW-Authenticate': 'ApiKey realm="Game Data Read API"' };

/**
 * Finds the caller of a request. Keys are cached while the revision of the store stays the same. While the store does not respond, cached keys work
 * as before; others cannot be checked.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  /** Keys by their SHA-256, each with the revision of the store before it was read. */
  readonly #known = new LRUCache<string, { issued: IssuedKey; revision: string }>({ max: MAX_KEYS });
  /** The last key of each connection. */
  readonly #lastKeys = new WeakMap<Socket, { text: string; key: KeyName | undefined }>();
  readonly #timer = setInterval(() => this.#pollOnce(), POLL_MS).unref();
  #revision = '';
  /** The changes of this process that the revision includes; none before it is first read. */
  #ownChanges = -1;
  #heardAt = performance.now();
  #isAway = false;
  #polling: Promise<void> | undefined;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** Whether the store has responded recently. */
  get isReady(): boolean {
    return !this.#isAway || performance.now() - this.#heardAt < GRACE_MS;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
  }

  /**
   * Finds the caller by the key in `X-API-Key`; synchronously if the key is cached.
   *
   * @param now ms since 1970
   * @throws HttpProblem `missing-key`, `invalid-key`, `quota-exceeded`, `origin-not-allowed`, or `unavailable` when the store does not respond
   */
  authenticate(request: IncomingMessage, now: number): Caller | Promise<Caller> {
    const text = request.headers['x-api-key'];
    if (text === undefined || text === '') {
      const detail = `the header X-API-Key is missing, expected your API key in it${findMisplaced(request)}`;
      throw new HttpProblem('missing-key', detail, {}, CHALLENGE);
    }
    // If the header field is sent twice, Node joins the values with a comma, which no key contains.
    const key = typeof text === 'string' ? this.#readKeyOf(request.socket, text) : undefined;
    if (key === undefined) {
      const detail = 'the value of X-API-Key is not a well-formed key, expected one key as it was issued';
      throw this.#refuse(request, detail);
    }
    return andThen(this.#find(key.hash), (found) => this.#admit(request, found, now));
  }

  /** Parses a key once for all requests of a connection that send it. */
  #readKeyOf(socket: Socket, text: string): KeyName | undefined {
    let last = this.#lastKeys.get(socket);
    if (last?.text !== text) {
      last = { text, key: readKey(text) };
      this.#lastKeys.set(socket, last);
    }
    return last.key;
  }

  #admit(request: IncomingMessage, issued: IssuedKey | undefined, now: number): Caller {
    if (issued === undefined) throw this.#refuse(request, 'this key is not known');
    const { key, account } = issued;
    if (isRevoked(key, this.#options.store.now())) {
      const end = isEnding(key) ? 'was revoked' : `expired at ${key.expires_at}`;
      throw this.#refuse(request, `the key ${key.prefix}… ${end}`);
    }
    if (key.browser !== undefined) refuseOtherOrigins(key, key.browser.origins, request);
    return { key, account, tier: tierAt(account, now) };
  }

  /**
   * Finds the caller by the token of a read-only address in the path.
   *
   * @param now ms since 1970
   * @throws HttpProblem `invalid-link`, `quota-exceeded`, or `unavailable` when the store does not respond
   */
  authenticateAddress(request: Incoming, now: number): Caller | Promise<Caller> {
    const hash = readToken(ADDRESS_MARK, request.params.token ?? '');
    const finding = hash === undefined ? undefined : this.#find(hash);
    return andThen<IssuedKey | undefined, Caller>(finding, (issued) => {
      if (issued?.key.address && !isRevoked(issued.key, this.#options.store.now()))
        return { ...issued, tier: tierAt(issued.account, now) };
      throw this.#refuse(request, NO_ADDRESS, 'invalid-link');
    });
  }

  /** @throws HttpProblem `quota-exceeded` if the client's network has sent too many invalid keys */
  #refuse(request: IncomingMessage, detail: string, code: ProblemCode = 'invalid-key'): HttpProblem {
    this.#options.badAttempts.refuse(this.#options.clientAddress(request), detail);
    return new HttpProblem(code, detail, {}, code === 'invalid-key' ? CHALLENGE : {});
  }

  /** Finds a key by its SHA-256, even if it has ended; synchronously if it is cached. */
  #find(hash: string): IssuedKey | Promise<IssuedKey | undefined> {
    if (this.#ownChanges !== ownChanges) return this.#pollOnce().then(() => this.#find(hash));
    const known = this.#known.get(hash);
    return known && (this.#isAway || known.revision === this.#revision) ? known.issued : this.#read(hash);
  }

  async #read(hash: string): Promise<IssuedKey | undefined> {
    try {
      const revision = this.#revision;
      const issued = await findKey(this.#options.store.fast, hash);
      if (issued) this.#known.set(hash, { issued, revision });
      else this.#known.delete(hash);
      return issued;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const known = this.#known.get(hash);
      if (known === undefined) throw unavailable('this key cannot be checked right now');
      return known.issued;
    }
  }

  #pollOnce(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    const { store, log } = this.#options;
    this.#ownChanges = ownChanges;
    try {
      this.#revision = await readRevision(store.fast);
      this.#heardAt = performance.now();
      if (this.#isAway) log.info('the store responds again');
      this.#isAway = false;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (!this.#isAway) log.error('the store does not respond', { error: error.message });
      this.#isAway = true;
    }
  }
}

/** Advises a client that sent a key in the wrong place. */
function findMisplaced({ headers: { authorization }, url = '' }: IncomingMessage): string {
  if (authorization !== undefined) return ': send what Authorization has as X-API-Key, without "Bearer"';
  if (!/[?&](x-)?(api|access)?[-_]?(key|token)=/i.test(url)) return '';
  return ': a key in the address ends up in logs and histories, so replace it on /account and send the new one in the header';
}

/** @throws HttpProblem `origin-not-allowed` */
function refuseOtherOrigins({ prefix }: Key, origins: readonly string[], { headers }: IncomingMessage): void {
  if (isFromOrigin(origins, headers)) return;
  const { origin } = headers;
  const found = origin === undefined ? 'no Origin header field' : `the Origin ${quote(origin)}`;
  throw new HttpProblem(
    'origin-not-allowed',
    `${prefix}… is a browser key, and the request has ${found}, expected one of its origins; send it from a page there, add the origin to the key on /account, or use an ordinary key in programs`,
    { origin: origin ?? null },
  );
}
