import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Finds the addresses of a host by its name. */
export type Resolve = (host: string) => Promise<string[]>;

/** Where webhooks may go. */
export interface AddressPolicy {
  /** Whether nothing but the public Internet by https will do; else http to this machine will, and https to anywhere. */
  isProduction: boolean;
  resolve?: Resolve;
}

/** An address that nothing is sent to; the message says why. */
export class AddressError extends Error {
  override name = 'AddressError';
}

const LONGEST_URL = 2048;
/** All that is assigned of IPv6 (RFC 4291, 2.4); outside of it are `::10.0.0.1` and other forms that lead to IPv4 addresses. */
const ASSIGNED_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const DNS_MS = 3000;
const DNS_TRIES = 2;

/**
 * Reads the address of a webhook. A name in it is looked at again at each connection.
 *
 * @throws AddressError
 */
export function readWebhookUrl(text: string, policy: AddressPolicy): URL {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new AddressError('it is no address of the web; expected one such as https://example.org/hooks/1');
  }
  if (url.username !== '' || url.password !== '') {
    throw new AddressError('it has a user or a password in it; put a token into its path or query instead');
  }
  if (url.hash !== '') throw new AddressError('it has a fragment (#…), which is never sent; leave it out');
  if (url.protocol === 'http:' && policy.isProduction) throw new AddressError('it is not https');
  const host = hostOf(url);
  if (isIP(host) !== 0) checkAddress(host, url, policy);
  else if (url.protocol === 'http:' && host !== 'localhost') throw refuse(host, url, policy);
  return url;
}

/**
 * Makes what a connection to a URL asks for the addresses of its host. They are checked here, where they are used: what a name led to
 * before says nothing (DNS rebinding). Names are not resolved by the system's own resolver, which has four threads for the whole process: a
 * name server that is slow on purpose would keep all files from being read.
 */
export function guardLookup(url: URL, policy: AddressPolicy): LookupFunction {
  const { resolve = resolveHost } = policy;
  return (host, options, callback) => {
    const found = resolve(host).then((addresses) => {
      const allowed = addresses.filter((address) => isAllowed(address, url, policy));
      const [first] = allowed;
      if (first === undefined) throw refuse(addresses[0] ?? host, url, policy);
      return allowed.map((address) => ({ address, family: isIP(address) }));
    });
    found.then(
      (addresses) => {
        const [{ address, family }] = addresses as [{ address: string; family: number }];
        if (options.all) callback(null, addresses);
        else callback(null, address, family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

/** @throws AddressError where nothing may be sent to an IP address */
function checkAddress(address: string, url: URL, policy: AddressPolicy): void {
  if (!isAllowed(address, url, policy)) throw refuse(address, url, policy);
}

function isAllowed(address: string, { protocol }: URL, { isProduction }: AddressPolicy): boolean {
  // An IPv4 address that is mapped into IPv6 is what it is mapped from.
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (!isProduction) return protocol === 'https:' || range === 'loopback';
  return range === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(ASSIGNED_IPV6));
}

function refuse(address: string, { protocol }: URL, { isProduction }: AddressPolicy): AddressError {
  return new AddressError(
    isProduction || protocol === 'https:'
      ? `${address} is not on the public Internet`
      : `${address} is not this machine, and to others nothing is sent but by https`,
  );
}

/** The host of a URL, an IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function resolveHost(host: string): Promise<string[]> {
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: DNS_MS, tries: DNS_TRIES });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length === 0) throw new AddressError(`no address of ${host} can be found`);
  return addresses;
}
