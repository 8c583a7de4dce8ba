import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { tooManyAttempts } from '../http/problem.ts';

/**
 * Returns the network that a provider assigns to one customer: an IPv4 address, or the /64 of an IPv6 address.
 *
 * @param address from `ClientAddress`
 */
export function networkOf(address: string): string {
  return prefixOf(address, 64) ?? toIpv4(address);
}

/**
 * Returns the site of an IPv6 address, its /48, for looser limits over many networks.
 *
 * @param address from `ClientAddress`
 * @returns undefined for an IPv4 address
 */
function siteOf(address: string): string | undefined {
  return prefixOf(address, 48);
}

/** The size of a network: that of one connection, of one customer, or of a site or provider's pool. */
export type NetworkWidth = 'connection' | 'customer' | 'site';

/**
 * Returns the networks that contain an address, narrowest first, for limits that must not add up over the networks of one customer: the /64, /56 and
 * /48 of an IPv6 address; an IPv4 address and its /24.
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

/** Returns the first bits of an IPv6 address; undefined for an IPv4 address. @param bits a multiple of 8 */
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

/** The events of a name in its minute, which begins with the first event. */
export interface MinuteCount {
  count: number;
  /** When the minute ends, in ms from now. */
  leftMs: number;
}

const WINDOW_MS = 60_000;

/** Counts events by name in the memory of this process. */
export class MinuteCounts {
  readonly #clock: () => number;
  readonly #windows: LRUCache<string, { endsAt: number; count: number }>;

  /**
   * @param max how many names are remembered; the least recently used is forgotten first
   * @param clock a monotonic clock in ms; replaced by tests
   */
  constructor(max: number, clock = () => performance.now()) {
    this.#clock = clock;
    this.#windows = new LRUCache({ max });
  }

  read(name: string): MinuteCount {
    const window = this.#windows.get(name);
    const leftMs = window === undefined ? 0 : window.endsAt - this.#clock();
    return window && leftMs > 0 ? { count: window.count, leftMs } : { count: 0, leftMs: WINDOW_MS };
  }

  /** Adds events; a negative number takes some back. @returns the new count */
  add(name: string, events = 1): MinuteCount {
    const { count, leftMs } = this.read(name);
    const total = Math.max(0, count + events);
    this.#windows.set(name, { endsAt: this.#clock() + leftMs, count: total });
    return { count: total, leftMs };
  }
}

/** How many attempts may fail per minute: from one network, and from all networks of an IPv6 site. */
export const MAX_FAILED = 60;
const MAX_FAILED_OF_SITE = 600;
/** How many networks are remembered; the one whose last failure is oldest is forgotten first. */
const MAX_NETWORKS = 20_000;

/**
 * Counts attempts with invalid secrets, by network, in memory. Only further such attempts are refused: a valid secret from the same network is never
 * counted and never waits.
 */
export class BadAttempts {
  /** The numbers since the start: attempts refused as invalid, and those refused because there had been too many. */
  readonly state = { refused: 0, throttled: 0 };
  readonly #counts: MinuteCounts;

  /** @param clock a monotonic clock in ms; replaced by tests */
  constructor(clock?: () => number) {
    this.#counts = new MinuteCounts(MAX_NETWORKS, clock);
  }

  /**
   * Counts a failed attempt.
   *
   * @param address from `ClientAddress`
   * @returns undefined while the network may try again; otherwise in how many seconds it may
   */
  note(address: string): number | undefined {
    const count = (name: string | undefined, limit: number) => {
      const counted = name === undefined ? undefined : this.#counts.add(name);
      return counted && counted.count > limit ? counted.leftMs : 0;
    };
    const wait = Math.max(count(networkOf(address), MAX_FAILED), count(siteOf(address), MAX_FAILED_OF_SITE));
    this.state[wait > 0 ? 'throttled' : 'refused']++;
    return wait > 0 ? Math.ceil(wait / 1000) : undefined;
  }

  /**
   * Counts a failed attempt, and refuses it if there were too many.
   *
   * @param fault what was wrong with it
   * @throws HttpProblem `quota-exceeded`
   */
  refuse(address: string, fault: string): void {
    const seconds = this.note(address);
    if (seconds !== undefined)
      throw tooManyAttempts(
        `${fault}; this network sent too many keys, links or read-only addresses that are not valid, so send no other before ${seconds} s have passed`,
        seconds,
      );
  }
}
