import type { IncomingMessage } from 'node:http';
import { type Charge, type ChargeKind, chargeRequest, type KeyPlaces } from '../access/charge.ts';
import type { Caller, Meter } from '../access/ports.ts';
import { HttpProblem } from '../http/problem.ts';
import { quote } from '../http/suggest.ts';
import { counterNameOf, counterNameOfKey, type Key, TIERS } from '../access/account.ts';
import { isInNetworks } from './shared/networks.ts';
import { isFromOrigin } from './shared/origins.ts';

/** Checks the networks and origins of a key, and charges browser keys with caps of their own. */
export const PLACES: KeyPlaces = {
  check(key, request, clientAddress) {
    if (key.networks !== undefined) refuseOtherNetworks(key, key.networks, clientAddress(request));
    if (key.browser !== undefined) refuseOtherOrigins(key, key.browser.origins, request);
  },
  charge: chargeKey,
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

async function chargeKey(meter: Meter, { tier, account, key }: Caller, kind: ChargeKind): Promise<Charge> {
  const keyLimits = key.browser?.limits;
  if (keyLimits === undefined) throw new Error(`the key ${key.prefix} has no caps`);
  const keyCharge = await chargeRequest(meter, counterNameOfKey(key), keyLimits, kind, 'key');
  const { usage: keyUsage, headers } = keyCharge;
  const { limits } = TIERS[tier];
  if (limits === null) return { keyUsage, headers, undo: keyCharge.undo };
  const shared = await chargeRequest(meter, counterNameOf(account), limits, kind).catch(async (error) => {
    await keyCharge.undo();
    throw error;
  });
  const joined = join(shared.headers, headers);
  return {
    usage: shared.usage,
    keyUsage,
    headers: joined,
    async undo() {
      await Promise.all([shared.undo(), keyCharge.undo()]);
      Object.assign(joined, join(shared.headers, headers));
    },
  };
}

/** Joins quota header fields, which are lists. */
function join(one: Record<string, string>, other: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, `${value}, ${other[name]}`]));
}
