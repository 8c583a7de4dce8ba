import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HttpProblem, unavailable } from '../http/problem.ts';
import { type KeyName, readKey } from '../keys/api-key.ts';
import { type IssuedKey, isRevoked, type Key, type Tier, tierAt } from '../plans/account.ts';
import { StoreError } from '../store/store.ts';
import type { KeyFinder } from './key-cache.ts';

/** The key and account that a request was sent with, and the account's tier at that time. */
export interface Caller extends IssuedKey {
  tier: Tier;
}

const CHALLENGE = { 'WWW-Authenticate': 'ApiKey realm="Game Data Read API"' };

/**
 * Finds the caller by the key in `X-API-Key`; synchronously when the key is in memory.
 *
 * @param now ms since 1970
 * @throws HttpProblem `missing-key`, `invalid-key`, or `unavailable` when the store does not respond
 */
export function authenticate(
  request: IncomingMessage,
  keys: KeyFinder,
  now: number,
): Caller | Promise<Caller> {
  const text = request.headers['x-api-key'];
  if (text === undefined || text === '') {
    throw new HttpProblem(
      'missing-key',
      'the header X-API-Key is missing, expected your API key in it',
      {},
      CHALLENGE,
    );
  }
  // If a header is sent twice, Node joins the values with a comma, which no key contains.
  const key = typeof text === 'string' ? readKeyOf(request.socket, text) : undefined;
  if (key === undefined)
    throw invalidKey('the value of X-API-Key is not a well-formed key, expected one key as it was issued');
  const issued = findKey(keys, key.hash);
  return issued instanceof Promise ? issued.then((found) => admit(found, now)) : admit(issued, now);
}

/** The last key of each connection. */
const lastKeys = new WeakMap<Socket, { text: string; key: KeyName | undefined }>();

/** Parses a key once for all requests of a connection that carry it. */
function readKeyOf(socket: Socket, text: string): KeyName | undefined {
  let last = lastKeys.get(socket);
  if (last?.text !== text) {
    last = { text, key: readKey(text) };
    lastKeys.set(socket, last);
  }
  return last.key;
}

function admit(issued: IssuedKey | undefined, now: number): Caller {
  if (issued === undefined) throw invalidKey('this key is not known');
  if (isRevoked(issued.key, now)) throw invalidKey(`the key ${issued.key.prefix}… was revoked`);
  const { key, account } = issued;
  return { key, account, tier: tierAt(account, now) };
}

function findKey(keys: KeyFinder, hash: string): IssuedKey | Promise<IssuedKey | undefined> {
  const found = keys.find(hash);
  if (!(found instanceof Promise)) return found;
  return found.catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    throw unavailable('this key cannot be checked right now');
  });
}

function invalidKey(detail: string): HttpProblem {
  return new HttpProblem('invalid-key', detail, {}, CHALLENGE);
}

/**
 * Returns whether a key still belongs to a Pro account and is not revoked.
 *
 * @param now ms since 1970
 * @throws StoreError when the store does not respond
 */
export async function isStillPro(keys: KeyFinder, { hash }: Key, now: number): Promise<boolean> {
  const issued = await keys.find(hash);
  return issued !== undefined && !isRevoked(issued.key, now) && tierAt(issued.account, now) === 'pro';
}
