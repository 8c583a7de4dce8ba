import type { BadAttemptsState } from '../access/ports.ts';
import { HttpProblem } from '../http/problem.ts';
import { networkOf, siteOf } from '../networks/networks.ts';
import { MinuteCounts } from './minute-counts.ts';

/** How many attempts may fail in a minute: from one network, and from all networks of an IPv6 site. */
export const MAX_FAILED = 60;
const MAX_FAILED_OF_SITE = 600;
/** How many networks are remembered; the one that failed longest ago is forgotten first. */
const MAX_NETWORKS = 20_000;

/**
 * Counts attempts with secrets that are not valid, by network and in memory. Only further such attempts are refused: a valid secret from the
 * same network is never counted and never waits.
 */
export class BadAttempts {
  readonly #counts: MinuteCounts;
  readonly #state: BadAttemptsState = { refused: 0, throttled: 0 };

  /** @param clock ms since any time; `performance.now()` unless a test passes its own */
  constructor(clock?: () => number) {
    this.#counts = new MinuteCounts(MAX_NETWORKS, clock);
  }

  /** How many there were since the start. */
  get state(): Readonly<BadAttemptsState> {
    return this.#state;
  }

  /**
   * Counts a failed attempt.
   *
   * @param address from `ClientAddress`
   * @returns undefined while the network may go on; otherwise in how many seconds it may
   */
  note(address: string): number | undefined {
    const site = siteOf(address);
    const waits = [
      this.#count(networkOf(address), MAX_FAILED),
      site === undefined ? 0 : this.#count(site, MAX_FAILED_OF_SITE),
    ];
    const wait = Math.max(...waits);
    if (wait > 0) this.#state.throttled++;
    else this.#state.refused++;
    return wait > 0 ? Math.ceil(wait / 1000) : undefined;
  }

  /**
   * Counts a failed attempt, and refuses it if there were too many before.
   *
   * @param fault what was wrong with it
   * @throws HttpProblem `too-many-attempts`
   */
  refuse(address: string, fault: string): void {
    const seconds = this.note(address);
    if (seconds !== undefined) throw tooManyAttempts(fault, seconds);
  }

  /** @returns how long to wait, in ms; 0 if the limit is not reached */
  #count(name: string, limit: number): number {
    const { count, leftMs } = this.#counts.add(name);
    return count > limit ? leftMs : 0;
  }
}

function tooManyAttempts(fault: string, seconds: number): HttpProblem {
  const detail = `${fault}; this network sent too many keys, links or read-only addresses that are not valid, so send no other before ${seconds} s have passed`;
  return new HttpProblem('too-many-attempts', detail, {}, { 'Retry-After': seconds });
}
