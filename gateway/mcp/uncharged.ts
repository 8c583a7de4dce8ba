import { LRUCache } from 'lru-cache';
import { HttpProblem } from '../http/problem.ts';

/** How many messages of a key in a minute may be charged to no account: connecting and listing, and those that are refused. */
export const MAX_UNCHARGED = 300;
const WINDOW_MS = 60_000;
/** How many keys are remembered; the one that was seen longest ago is forgotten first. */
const MAX_KEYS = 10_000;

/** Counts the messages of each key that are charged to no account, in memory, and refuses a key that sends too many. */
export class UnchargedMessages {
  readonly #clock: () => number;
  readonly #windows = new LRUCache<string, { endsAt: number; count: number }>({ max: MAX_KEYS });

  /** @param clock ms since any time */
  constructor(clock = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * Refuses a request if its key has sent too many messages.
   *
   * @param key the SHA-256 of the key
   * @throws HttpProblem `too-many-attempts`
   */
  check(key: string): void {
    const window = this.#windows.get(key);
    const wait = window ? window.endsAt - this.#clock() : 0;
    if (!window || wait <= 0 || window.count < MAX_UNCHARGED) return;
    const seconds = Math.ceil(wait / 1000);
    throw new HttpProblem(
      'too-many-attempts',
      `this key sent ${MAX_UNCHARGED} messages within a minute that are no calls or were refused; keep what was listed, correct the calls, and send nothing before ${seconds} s have passed`,
      {},
      { 'Retry-After': seconds },
    );
  }

  /** Counts messages; a negative number takes back those that were charged. */
  add(key: string, count: number): void {
    const now = this.#clock();
    let window = this.#windows.get(key);
    if (window === undefined || now >= window.endsAt) {
      window = { endsAt: now + WINDOW_MS, count: 0 };
      this.#windows.set(key, window);
    }
    window.count = Math.max(0, window.count + count);
  }
}
