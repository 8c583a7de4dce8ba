import type { KeyAccess } from '../access/authenticate.ts';
import type { RouteAccess } from '../api/route.ts';
import type { Incoming } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';
import { ADDRESS_MARK, readToken } from '../access/api-key.ts';
import { andThen } from '../http/work.ts';
import { type IssuedKey, isRevoked } from '../access/account.ts';
import { describeTerms, seriesQuery, servesQuery } from '../addresses/address-terms.ts';

const NO_ADDRESS = 'this read-only address does not exist, or was revoked; make another one on /account';

/** Finds the account of a read-only address by the token in its path, and checks that it serves the request. */
export const ADDRESS_ACCESS: RouteAccess = {
  find(request, access) {
    const hash = readToken(ADDRESS_MARK, request.params.token ?? '');
    if (hash === undefined) throw refuse(access);
    return andThen(access.find(hash), (issued): IssuedKey => {
      if (issued?.key.address === undefined || isRevoked(issued.key, access.now)) throw refuse(access);
      return issued;
    });
  },
  check({ address }, { params: { game = '', id, rows = '' }, search }: Incoming) {
    if (address === undefined) return;
    if (servesQuery(address, game, (id === undefined ? rows : seriesQuery(id, rows)) + search)) return;
    throw new HttpProblem(
      'invalid-link',
      `this read-only address serves ${describeTerms(address)} only; make another one on /account`,
    );
  },
};

function refuse({ countBadAttempt }: KeyAccess): HttpProblem {
  countBadAttempt(NO_ADDRESS);
  return new HttpProblem('invalid-link', NO_ADDRESS);
}
