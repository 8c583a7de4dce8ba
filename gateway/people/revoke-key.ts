// A key that leaked can be revoked by anyone who has it.
import { isRevoked } from '../access/account.ts';
import { readKey } from '../access/api-key.ts';
import { networkOf } from '../access/attempts.ts';
import type { Endpoint } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';
import { findKey, revokeKey } from '../store/keys.ts';
import type { Needs } from './people.ts';
import { readForm } from './web.ts';

export const REVOKE_KEY = '/keys/revoke';

const PUBLIC =
  'is that of a browser key, which is public by design; only its account holder can revoke it, on /account, or the operator of this gateway';

/** Revokes the key in a form. The response does not reveal whether it worked. */
export function revocationEndpoint(
  services: Needs<'store' | 'log' | 'clientAddress' | 'badAttempts'>,
): Endpoint {
  const { store, log, clientAddress, badAttempts } = services;
  return {
    path: REVOKE_KEY,
    async post(request, response) {
      const address = clientAddress(request);
      const name = readKey(((await readForm(request)).get('key') ?? '').trim());
      if (name === undefined) {
        badAttempts.refuse(address, 'this is not a well-formed key');
        throw invalidKey('is not a well-formed key, expected one whole key as it was issued: key=gdr_…');
      }
      const actor = { by: 'key-holder', network: networkOf(address) } as const;
      const isDone = await store.transaction(async (sql) => {
        const key = (await findKey(sql, name.hash))?.key;
        if (key === undefined || isRevoked(key, sql.now())) return false;
        if (key.browser !== undefined) throw invalidKey(PUBLIC);
        return (await revokeKey(sql, key.prefix, actor)) !== undefined;
      });
      if (isDone) log.info('a key was revoked by a client that sent it', { key: name.prefix });
      else badAttempts.refuse(address, 'this key does not work');
      response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    },
  };
}

function invalidKey(what: string): HttpProblem {
  return new HttpProblem('invalid-parameter', `the field "key" of the form ${what}`, { parameter: 'key' });
}
