import type { IncomingMessage } from 'node:http';
import type { KeyPlaces } from '../../core/access/authenticate.ts';
import { HttpProblem } from '../../core/http/problem.ts';
import { quote } from '../../core/lib/suggest.ts';
import type { Key } from '../../core/plans/account.ts';
import { isInNetworks } from '../../shared/key-terms/networks.ts';
import { isFromOrigin } from '../../shared/key-terms/origins.ts';

/** Checks the networks and origins of a key. */
export const PLACES: KeyPlaces = {
  check(key, request, clientAddress) {
    if (key.networks !== undefined) refuseOtherNetworks(key, key.networks, clientAddress(request));
    if (key.browser !== undefined) refuseOtherOrigins(key, key.browser.origins, request);
  },
};

/** @throws HttpProblem `network-not-allowed` */
function refuseOtherNetworks({ prefix }: Key, networks: readonly string[], address: string): void {
  if (isInNetworks(networks, address)) return;
  const seen = address === '' ? 'an unknown address' : address;
  throw new HttpProblem(
    'network-not-allowed',
    `the request came from ${seen}, which is not in the list of networks of the key ${prefix}…; add the address to the list on /account, or ask the operator of this gateway to`,
    { address },
  );
}

/** @throws HttpProblem `origin-not-allowed` */
function refuseOtherOrigins({ prefix }: Key, origins: readonly string[], { headers }: IncomingMessage): void {
  if (isFromOrigin(origins, headers)) return;
  const { origin } = headers;
  const found =
    origin === undefined
      ? 'the request has no Origin header field'
      : `the request has the Origin ${quote(origin)}`;
  throw new HttpProblem(
    'origin-not-allowed',
    `${prefix}… is a browser key, and ${found}, expected one of its origins; send it from a page there, add the origin to the key on /account, or use an ordinary key in programs`,
    { origin: origin ?? null },
  );
}
