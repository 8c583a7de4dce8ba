import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { CommandError } from '../../system.ts';
import { isPublicAddress } from '../../notices/public-address.ts';

/** How git may connect to a repository. */
export interface Connection {
  /** The address in the one spelling in which it was checked. */
  address: string;
  /** The protocols that git may use, separated by colons. */
  protocols: string;
  /** Settings of git, as `name=value`. */
  settings: string[];
  /** The IP addresses that were checked; undefined if any is allowed. */
  addresses: string[] | undefined;
  /** How long a fetch may take, in ms (default: an hour). */
  maxMs?: number;
}

/** A fetch that takes longer is given up: other games wait for it. */
export const MAX_FETCH_MS = 900_000;

/** The members that name addresses, with their files. */
const NAMED_IN = { source: 'game.json', from: 'build.json' } as const;

/** Options of `connectTo`. */
export interface ConnectOptions {
  /** The member that names the address, for error messages: `source` in game.json (the default), or `from` in build.json. */
  member?: keyof typeof NAMED_IN;
  /** Resolves host names; by default the resolver of the system. */
  resolve?: ResolveHost;
}

/** Resolves a host name to IP addresses. */
type ResolveHost = (host: string) => Promise<string[]>;

/**
 * Decides how git may connect to an address from game.json or build.json.
 *
 * @param allowLocal whether it may be in a private network or on this machine
 * @throws CommandError if the address is not allowed
 */
export async function connectTo(
  address: string,
  allowLocal: boolean,
  { member = 'source', resolve = resolveHost }: ConnectOptions = {},
): Promise<Connection> {
  const url = new URL(address);
  // The same host, but git would look for the pinned addresses of the name without the dot.
  url.hostname = url.hostname.replace(/\.$/, '');
  if (allowLocal)
    return { address: url.href, protocols: url.protocol.slice(0, -1), settings: [], addresses: undefined };
  if (url.protocol !== 'https:') throw refuse(address, member, 'does not begin with https://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) {
    throw new CommandError(
      `the host name ${host} in "${member}" of ${NAMED_IN[member]} cannot be resolved: check it, and the network`,
    );
  }
  const inside = addresses.find((each) => !isPublicAddress(each));
  if (inside !== undefined)
    throw refuse(address, member, `leads to ${inside}, which is not on the public Internet`);
  // git would resolve the name again, and could get another address.
  const pin = `http.curloptResolve=${host}:${url.port || '443'}:${addresses.map(bracket).join(',')}`;
  return { address: url.href, protocols: 'https', settings: isIP(host) === 0 ? [pin] : [], addresses };
}

function bracket(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}

function refuse(address: string, member: keyof typeof NAMED_IN, reason: string): CommandError {
  return new CommandError(
    `the address ${address} in "${member}" ${reason}: if you trust this ${NAMED_IN[member]}, pass --allow-local`,
  );
}

async function resolveHost(host: string): Promise<string[]> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.map(({ address }) => address);
}
