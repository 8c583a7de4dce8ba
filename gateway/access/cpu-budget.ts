import { LRUCache } from 'lru-cache';
import { HttpProblem } from '../http/problem.ts';

/** What an account without caps may use of the event loop of one process. */
export interface CpuTerms {
  /** How much it may use at once, in ms. */
  burstMs: number;
  /** The share of the time that it may use for as long as it likes. */
  share: number;
}

/** Options of a budget. */
export interface CpuBudgetOptions {
  terms?: CpuTerms;
  /** ms, monotonic: `performance.now()` unless a test passes its own. */
  clock?: () => number;
}

/** Hundreds of ordinary requests a second use less; a client that sorts 100,000 records all the time uses more. */
export const CPU_TERMS: CpuTerms = { burstMs: 10_000, share: 0.25 };
/** A request that takes less is not counted: this keeps ordinary requests free of any bookkeeping. */
const MIN_MS = 1;
const MAX_ACCOUNTS = 10_000;

/**
 * Limits how long the requests of one account keep this process busy, so that a few costly ones do not slow everyone's. Time is what the event loop spent on a request,
 * and refills at a constant rate. The budget is in memory, and each process has its own.
 */
export class CpuBudget {
  readonly #terms: CpuTerms;
  readonly #clock: () => number;
  /** Account id → how much of the burst is used, in ms, at a time. */
  readonly #used = new LRUCache<string, { ms: number; at: number }>({
    max: MAX_ACCOUNTS,
    dispose: (_, account, reason) => reason === 'evict' && this.#spent.delete(account),
  });
  /** The accounts that used more than the burst: few, and mostly none. */
  readonly #spent = new Set<string>();

  constructor({ terms = CPU_TERMS, clock = () => performance.now() }: CpuBudgetOptions = {}) {
    this.#terms = terms;
    this.#clock = clock;
  }

  /**
   * Does the synchronous work of a request and counts how long it took.
   *
   * @throws HttpProblem `quota-exceeded` when the account has used its budget; and what the work throws
   */
  run<T>(account: string, work: () => T): T {
    const begin = this.#clock();
    if (this.#spent.size > 0) this.#check(account, begin);
    try {
      return work();
    } finally {
      const ms = this.#clock() - begin;
      if (ms >= MIN_MS) this.#add(account, ms, begin + ms);
    }
  }

  #usedAt(account: string, now: number): number {
    const { ms, at } = this.#used.get(account) ?? { ms: 0, at: now };
    return Math.max(0, ms - (now - at) * this.#terms.share);
  }

  #add(account: string, ms: number, now: number): void {
    const used = this.#usedAt(account, now) + ms;
    this.#used.set(account, { ms: used, at: now });
    if (used > this.#terms.burstMs) this.#spent.add(account);
  }

  #check(account: string, now: number): void {
    if (!this.#spent.has(account)) return;
    const excess = this.#usedAt(account, now) - this.#terms.burstMs;
    if (excess > 0) throw this.#refuse(excess);
    this.#spent.delete(account);
  }

  #refuse(excess: number): HttpProblem {
    const { burstMs, share } = this.#terms;
    const seconds = Math.max(1, Math.ceil(excess / share / 1000));
    const window = Math.round(burstMs / share / 1000);
    return new HttpProblem(
      'quota-exceeded',
      `the requests of this account have used their processor time: ${burstMs / 1000} s at once, and ${share * 100} % of a processor over time; the next one is admitted in ${seconds} s. Smaller pages, fewer sort keys and ETags cost less`,
      { 'violated-policies': ['cpu'] },
      {
        'RateLimit-Policy': `"cpu";q=${burstMs};w=${window};qu="ms"`,
        RateLimit: `"cpu";r=0;t=${seconds}`,
        'Retry-After': seconds,
      },
    );
  }
}
