import type { Caller } from '../access/ports.ts';
import { HttpProblem } from '../http/problem.ts';
import { counterNameOf, counterNameOfKey, isPublic } from '../access/account.ts';
import { MinuteCounts } from '../attempts/minute-counts.ts';

/** How many requests with `If-None-Match` an account with caps may send in a minute: ten a second, each of which may be a 304 that counts nowhere else. */
export const MAX_CONDITIONAL = 600;
const MINUTE_SECONDS = 60;
/** How many accounts are remembered. */
const MAX_NAMES = 10_000;

/** Limits requests with `If-None-Match`, whose 304s do not count against caps, in the memory of this process. */
export class ConditionalLimit {
  readonly #counts: MinuteCounts;

  /** @param clock ms since any time; `performance.now()` unless a test passes its own */
  constructor(clock?: () => number) {
    this.#counts = new MinuteCounts(MAX_NAMES, clock);
  }

  /**
   * Counts a request against its account, or against the key or read-only address if it may be published.
   *
   * @throws HttpProblem `quota-exceeded`
   */
  count({ account, key }: Pick<Caller, 'account' | 'key'>): void {
    const isPublished = isPublic(key) || key.address !== undefined;
    const name = isPublished ? counterNameOfKey(key) : counterNameOf(account);
    const { count, leftMs } = this.#counts.add(name);
    if (count <= MAX_CONDITIONAL) return;
    const seconds = Math.ceil(leftMs / 1000);
    throw new HttpProblem(
      'quota-exceeded',
      `${MAX_CONDITIONAL} requests with If-None-Match were sent within a minute; the next one is admitted in ${seconds} s. Ask for each address once, and again after some seconds`,
      { 'violated-policies': ['conditional'] },
      {
        'RateLimit-Policy': `"conditional";q=${MAX_CONDITIONAL};w=${MINUTE_SECONDS}`,
        RateLimit: `"conditional";r=0;t=${seconds}`,
        'Retry-After': seconds,
      },
    );
  }
}
