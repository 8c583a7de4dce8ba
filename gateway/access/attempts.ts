import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { HttpProblem } from '../http/problem.ts';

/** The size of a network: that of one connection, of one customer, or of a site or provider's pool. */
export type NetworkWidth = 'connection' | 'customer' | 'site';

/**
 * Returns the networks that contain an address, narrowest first, for limits that must not add up over the networks of one customer: the /64, /56 and
 * /48 of an IPv6 address; an IPv4 address and its /24.
 *
 * @param address from `ClientAddress`
 */
export function networksOf(address: string): { network: string; width: NetworkWidth }[] {
  const ipv6 = isIP(address) === 6 ? ipaddr.IPv6.parse(address.replace(/%.*/, '')) : undefined;
  if (ipv6 === undefined || ipv6.isIPv4MappedAddress()) {
    const network = ipv6?.toIPv4Address().toString() ?? address;
    return [
      { network, width: 'connection' },
      { network: network.replace(/\.\d+$/, '.0/24'), width: 'site' },
    ];
  }
  const prefix = (bits: number) => `${ipaddr.IPv6.networkAddressFromCIDR(`${ipv6}/${bits}`)}/${bits}`;
  return [
    { network: prefix(64), width: 'connection' },
    { network: prefix(56), width: 'customer' },
    { network: prefix(48), width: 'site' },
  ];
}

/** Returns the network that a provider assigns to one customer: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  return networksOf(address)[0]?.network ?? address;
}

const WINDOW_MS = 60_000;

/** Counts events by name in the memory of this process. The minute of a name begins with its first event. */
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

  /** Adds an event. @returns the new count, and when the minute ends, in ms from now */
  add(name: string): { count: number; leftMs: number } {
    const now = this.#clock();
    let window = this.#windows.get(name);
    if (window === undefined || window.endsAt <= now) window = { endsAt: now + WINDOW_MS, count: 0 };
    window.count++;
    this.#windows.set(name, window);
    return { count: window.count, leftMs: window.endsAt - now };
  }
}

/** How many attempts may fail per minute: from one network, and from all networks of a customer or site. */
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
   * Counts a failed attempt, and refuses it if there were too many.
   *
   * @param address from `ClientAddress`
   * @param fault what was wrong with it
   * @throws HttpProblem `quota-exceeded`
   */
  refuse(address: string, fault: string): void {
    let wait = 0;
    for (const { network, width } of networksOf(address)) {
      const limit = width === 'connection' ? MAX_FAILED : MAX_FAILED_OF_SITE;
      const { count, leftMs } = this.#counts.add(network);
      if (count > limit) wait = Math.max(wait, leftMs);
    }
    this.state[wait > 0 ? 'throttled' : 'refused']++;
    if (wait === 0) return;
    const seconds = Math.ceil(wait / 1000);
    throw new HttpProblem(
      'quota-exceeded',
      `${fault}; this network sent too many keys, links, read-only addresses or webhooks that are not valid, so send no other before ${seconds} s have passed`,
      { 'violated-policies': ['attempts'] },
      { 'Retry-After': seconds },
    );
  }
}
