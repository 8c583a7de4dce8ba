import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** Returns the IP address that a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string;

/** The proxies in front of the gateway, whose header fields are trusted. */
export interface TrustedProxies {
  /** Whether there are any. */
  exist: boolean;
  clientAddress: ClientAddress;
  /** Whether a request comes from one of them. */
  isFromProxy(request: IncomingMessage): boolean;
}

const MAX_HOPS = 16;

/**
 * Reads the list of proxies whose X-Forwarded-For and X-Request-Id are trusted.
 *
 * @param text the number of proxies in front of the gateway, or their addresses separated by commas: IP addresses, CIDR ranges,
 *   `loopback`, `linklocal` and `uniquelocal`; empty for none
 * @throws TypeError if it is neither
 */
export function readTrustedProxies(text: string): TrustedProxies {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  const [hops = ''] = names;
  const trust = names.length === 1 && /^\d+$/.test(hops) ? trustHops(Number(hops)) : trustNames(names);
  return {
    exist: names.length > 0 && !/^0*$/.test(names.join()),
    clientAddress(request) {
      const address = proxyAddr(request, trust);
      return isIP(address) ? address : (request.socket.remoteAddress ?? '');
    },
    isFromProxy({ socket }) {
      return socket.remoteAddress !== undefined && trust(socket.remoteAddress, 0);
    },
  };
}

type Trust = (address: string, hop: number) => boolean;

function trustNames(names: string[]): Trust {
  return names.length === 0 ? () => false : proxyAddr.compile(names);
}

function trustHops(count: number): Trust {
  if (count > MAX_HOPS) throw new TypeError(`expected at most ${MAX_HOPS} proxies`);
  return (_, hop) => hop < count;
}

/**
 * Returns the network that a provider gives to one customer, to count requests by: an IPv4 address itself, or the /64 of an IPv6 address.
 *
 * @param address from `ClientAddress`
 */
export function networkOf(address: string): string {
  return prefixOf(address, 64) ?? toIpv4(address);
}

/**
 * Returns the network that a provider gives to one site of many networks, for looser limits: the /48 of an IPv6 address.
 *
 * @param address from `ClientAddress`
 * @returns undefined for an IPv4 address
 */
export function siteOf(address: string): string | undefined {
  return prefixOf(address, 48);
}

/** How wide a network is: that of one connection, that of one customer, or that of one site or provider's pool. */
export type NetworkWidth = 'connection' | 'customer' | 'site';

/**
 * Returns the networks that an address belongs to, the narrowest first, for limits that must not add up over the networks of one customer: the
 * /64, /56 and /48 of an IPv6 address; an IPv4 address and its /24.
 *
 * @param address from `ClientAddress`
 */
export function networksOf(address: string): { network: string; width: NetworkWidth }[] {
  const own = { network: networkOf(address), width: 'connection' } as const;
  const site = siteOf(address) ?? own.network.replace(/\.\d+$/, '.0/24');
  const customer = prefixOf(address, 56);
  return [
    own,
    ...(customer === undefined ? [] : [{ network: customer, width: 'customer' } as const]),
    { network: site, width: 'site' },
  ];
}

/** Returns the first bits of an IPv6 address, a multiple of 8; undefined for an IPv4 address. */
function prefixOf(address: string, bits: number): string | undefined {
  const known = parseIpv6(address);
  if (known === undefined || known.isIPv4MappedAddress()) return undefined;
  const parts = known.parts.slice(0, Math.ceil(bits / 16));
  if (bits % 16 > 0) parts.push((parts.pop() ?? 0) & 0xff00);
  return `${parts.map((group) => group.toString(16)).join(':')}::/${bits}`;
}

function toIpv4(address: string): string {
  return parseIpv6(address)?.toIPv4Address().toString() ?? address;
}

function parseIpv6(address: string): ipaddr.IPv6 | undefined {
  return isIP(address) === 6 ? ipaddr.IPv6.parse(address.replace(/%.*/, '')) : undefined;
}
