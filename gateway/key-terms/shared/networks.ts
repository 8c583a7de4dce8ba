import { InputError } from '../../input/input-error.ts';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** The maximum number of entries in the list of networks that a key may be used from. */
export const MAX_NETWORKS = 32;

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** A list that requests are checked against. */
interface KnownList {
  ranges: readonly Range[];
  /** Whether an address is in the list, for those that were checked last: most requests of a key come from few. */
  checked: LRUCache<string, boolean>;
}

/** A list lives as long as the record of its key is in memory. */
const lists = new WeakMap<readonly string[], KnownList>();
const MAX_CHECKED = 100;

/**
 * Reads a list of IP addresses and CIDR ranges, separated by commas or white space.
 *
 * @returns the ranges without repeats, an address as itself and a range with its first address, such as `10.0.0.0/8`
 * @throws InputError if an entry is neither, or there are more than 32
 */
export function readNetworks(text: string): string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.length > MAX_NETWORKS)
    throw new InputError(`the list has ${entries.length} entries, expected at most ${MAX_NETWORKS}`);
  return [...new Set(entries.map(readEntry))];
}

/**
 * Returns whether an address is in a list of networks.
 *
 * @param networks from `readNetworks`
 * @param address from `ClientAddress`
 */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const { ranges, checked } = lists.get(networks) ?? remember(networks);
  let isIn = checked.get(address);
  if (isIn === undefined) {
    const parsed = parseAddress(address);
    isIn = parsed !== undefined && ranges.some((range) => contains(range, parsed));
    checked.set(address, isIn);
  }
  return isIn;
}

function readEntry(entry: string): string {
  const [text = '', bits, ...rest] = entry.split('/');
  const address = parseAddress(text, bits !== undefined);
  const [length, max] = address?.kind() === 'ipv4' ? [bits ?? '32', 32] : [bits ?? '128', 128];
  const isRange = rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= max;
  if (address === undefined || !isRange) throw notANetwork(entry);
  if (Number(length) === max) return address.toString();
  const range = `${address}/${length}`;
  const first =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(range)
      : ipaddr.IPv6.networkAddressFromCIDR(range);
  return `${first}/${length}`;
}

function notANetwork(entry: string): InputError {
  const quoted = JSON.stringify(entry.slice(0, 60));
  return new InputError(
    `${quoted} is not an IP address or a CIDR range, expected one such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48`,
  );
}

function remember(networks: readonly string[]): KnownList {
  const list = {
    ranges: networks.map(toRange),
    checked: new LRUCache<string, boolean>({ max: MAX_CHECKED }),
  };
  lists.set(networks, list);
  return list;
}

function toRange(entry: string): Range {
  return ipaddr.parseCIDR(entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`);
}

function contains([first, length]: Range, address: Range[0]): boolean {
  return first.kind() === address.kind() && address.match(first, length);
}

/**
 * Parses an address. An IPv4 address that is written as IPv6 is an IPv4 address, except in a range, whose length would not fit.
 *
 * @returns undefined if it is not an IP address
 */
function parseAddress(text: string, isRange = false): Range[0] | undefined {
  // ipaddr.js alone also accepts addresses such as 0x7f.1.
  const plain = text.replace(/%.*/, '');
  if (isIP(plain) === 0 || (isRange && plain !== text)) return undefined;
  return isRange ? ipaddr.parse(plain) : ipaddr.process(plain);
}
