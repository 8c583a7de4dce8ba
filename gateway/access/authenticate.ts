import type { IncomingMessage } from 'node:http';
import { type IssuedKey, isRevoked, type Tier, tierAt } from '../accounts/account.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import { StoreError } from '../store/store.ts';
import { readKey } from './api-key.ts';
import type { KeyFinder } from './key-cache.ts';

/** Who asks, and as what. */
export interface Caller extends IssuedKey {
  tier: Tier;
}

const CHALLENGE = { 'WWW-Authenticate': 'ApiKey realm="Game Data Read API"' };

/**
 * Finds out whose key a request carries in `X-API-Key`.
 *
 * @param now ms since 1970
 * @throws HttpProblem `missing-key`, `invalid-key`, or `unavailable` when the store does not answer
 */
export async function authenticate(request: IncomingMessage, keys: KeyFinder, now: number): Promise<Caller> {
  const text = request.headers['x-api-key'];
  if (text === undefined || text === '') {
    throw new HttpProblem(
      'missing-key',
      'the header X-API-Key is missing, expected your API key in it',
      {},
      CHALLENGE,
    );
  }
  // Node joins a header that is sent twice by a comma, which no key has.
  const key = typeof text === 'string' ? readKey(text) : undefined;
  if (key === undefined)
    throw invalidKey('X-API-Key holds no key of the right form, expected one key as it was issued');
  const issued = await findKey(keys, key.hash);
  if (issued === undefined) throw invalidKey('this key is not known');
  if (isRevoked(issued.key, now)) throw invalidKey(`the key ${issued.key.prefix}… was revoked`);
  return { ...issued, tier: tierAt(issued.account, now) };
}

async function findKey(keys: KeyFinder, hash: string): Promise<IssuedKey | undefined> {
  try {
    return await keys.find(hash);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw unavailable('this key cannot be checked right now');
  }
}

function invalidKey(detail: string): HttpProblem {
  return new HttpProblem('invalid-key', detail, {}, CHALLENGE);
}
