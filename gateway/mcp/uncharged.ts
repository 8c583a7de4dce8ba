import { MinuteCounts } from '../attempts/minute-counts.ts';
import { HttpProblem } from '../http/problem.ts';
import type { CounterName } from '../access/account.ts';

/** How many messages of a key in a minute may be charged to no account: connecting and listing, and those that are refused. */
export const MAX_UNCHARGED = 300;
/** How many keys are remembered; the one that was seen longest ago is forgotten first. */
const MAX_KEYS = 10_000;

/** Counts the messages of each key that are charged to no account, in memory, and refuses a key that sends too many. */
export class UnchargedMessages {
  readonly #counts = new MinuteCounts(MAX_KEYS);

  /**
   * Refuses a request if its key has sent too many messages.
   *
   * @throws HttpProblem `too-many-attempts`
   */
  check(key: CounterName): void {
    const { count, leftMs } = this.#counts.read(key);
    if (count < MAX_UNCHARGED) return;
    const seconds = Math.ceil(leftMs / 1000);
    throw new HttpProblem(
      'too-many-attempts',
      `this key sent ${MAX_UNCHARGED} messages within a minute that are no calls or were refused; keep what was listed, correct the calls, and send nothing before ${seconds} s have passed`,
      {},
      { 'Retry-After': seconds },
    );
  }

  /** Counts messages; a negative number takes back those that were charged. */
  add(key: CounterName, count: number): void {
    this.#counts.add(key, count);
  }
}
