import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isPublicAddress } from '../../../../scripts/notices/public-address.ts';

/** Resolves a host name to IP addresses. */
export type Resolve = (host: string) => Promise<string[]>;

/** Which addresses webhooks may have. */
export interface AddressPolicy {
  /** True allows only https to the public Internet; false allows https to any address, and http to this machine. */
  isStrict: boolean;
  resolve?: Resolve;
}

/** An address that webhooks may not have; the message says why. */
export class AddressError extends Error {
  override name = 'AddressError';
}

const MAX_URL_CHARS = 2048;
const DNS_MS = 3000;
const DNS_TRIES = 2;

/**
 * Parses and checks the URL of a webhook. A host name in it is resolved and checked later, by `guardLookup`.
 *
 * @throws AddressError
 */
export function readWebhookUrl(text: string, policy: AddressPolicy): URL {
  const url = text.length <= MAX_URL_CHARS && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new AddressError('it is not a web address; expected one such as https://example.org/hooks/1');
  }
  if (url.username !== '' || url.password !== '') {
    throw new AddressError(
      'it contains a user name or a password; put a token into its path or query instead',
    );
  }
  if (url.hash !== '') throw new AddressError('it contains a fragment (#…), which is never sent; remove it');
  if (url.protocol === 'http:' && policy.isStrict) throw new AddressError('it does not begin with https://');
  const host = hostOf(url);
  if (isIP(host) !== 0) checkAddress(host, url, policy);
  else if (url.protocol === 'http:' && host !== 'localhost') throw refuse(host, url, policy);
  return url;
}

/**
 * Returns a `lookup` function for connections to a URL, which resolves the host and only returns addresses that the policy allows.
 * README.md says why this happens at connection time and without the system's resolver.
 */
export function guardLookup(url: URL, policy: AddressPolicy): LookupFunction {
  const { resolve = resolveHost } = policy;
  return (host, options, callback) => {
    const addressesOfHost = resolve(host).then((addresses) => {
      const allowed = addresses.filter((address) => isAllowed(address, url, policy));
      const [first] = allowed;
      if (first === undefined) throw refuse(addresses[0] ?? host, url, policy);
      return allowed.map((address) => ({ address, family: isIP(address) }));
    });
    addressesOfHost.then(
      (addresses) => {
        const [{ address, family }] = addresses as [{ address: string; family: number }];
        if (options.all) callback(null, addresses);
        else callback(null, address, family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

/** @throws AddressError when the policy does not allow an IP address */
function checkAddress(address: string, url: URL, policy: AddressPolicy): void {
  if (!isAllowed(address, url, policy)) throw refuse(address, url, policy);
}

function isAllowed(address: string, { protocol }: URL, { isStrict }: AddressPolicy): boolean {
  if (isStrict) return isPublicAddress(address);
  return protocol === 'https:' || ipaddr.process(address).range() === 'loopback';
}

function refuse(address: string, { protocol }: URL, { isStrict }: AddressPolicy): AddressError {
  return new AddressError(
    isStrict || protocol === 'https:'
      ? `${address} is not on the public Internet`
      : `${address} is not this machine, and other machines need https`,
  );
}

/** Returns the host of a URL; an IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function resolveHost(host: string): Promise<string[]> {
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: DNS_MS, tries: DNS_TRIES });
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length === 0) throw new AddressError(`the host name ${host} cannot be resolved`);
  return addresses;
}
