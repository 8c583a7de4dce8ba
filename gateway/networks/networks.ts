import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
  const connection = { network: networkOf(address), width: 'connection' } as const;
  const site = siteOf(address) ?? connection.network.replace(/\.\d+$/, '.0/24');
  const customer = prefixOf(address, 56);
  return [
    connection,
    ...(customer === undefined ? [] : [{ network: customer, width: 'customer' } as const]),
    { network: site, width: 'site' },
  ];
}

/** Returns the first bits of an IPv6 address, a multiple of 8; undefined for an IPv4 address. */
function prefixOf(address: string, bits: number): string | undefined {
  const ipv6 = parseIpv6(address);
  if (ipv6 === undefined || ipv6.isIPv4MappedAddress()) return undefined;
  const parts = ipv6.parts.slice(0, Math.ceil(bits / 16));
  if (bits % 16 > 0) parts.push((parts.pop() ?? 0) & 0xff00);
  return `${parts.map((group) => group.toString(16)).join(':')}::/${bits}`;
}

function toIpv4(address: string): string {
  return parseIpv6(address)?.toIPv4Address().toString() ?? address;
}

function parseIpv6(address: string): ipaddr.IPv6 | undefined {
  return isIP(address) === 6 ? ipaddr.IPv6.parse(address.replace(/%.*/, '')) : undefined;
}
