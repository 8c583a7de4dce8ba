import { LRUCache } from 'lru-cache';
import type { RequestLimits } from '../access/ports.ts';
import { HttpProblem } from '../http/problem.ts';
import { type Payer, payFor } from '../http/work.ts';
import type { Holder, IssuedKey } from '../access/account.ts';
import { BadAttempts } from '../attempts/bad-attempts.ts';
import { Shares } from '../shares/shares.ts';
import { ConditionalLimit } from './conditional-limit.ts';

/** What the clients of one process may cost. */
export class ClientLimits implements RequestLimits {
  readonly #budget: WorkBudget;
  readonly #conditional = new ConditionalLimit();
  readonly #attempts = new BadAttempts();

  constructor(budget = new WorkBudget()) {
    this.#budget = budget;
  }

  get badAttempts() {
    return this.#attempts.state;
  }

  run<T>(holder: Holder, work: () => T): T {
    return this.#budget.run(holder, work);
  }

  countConditional(issued: IssuedKey): void {
    this.#conditional.count(issued);
  }

  countBadAttempt(address: string, detail: string): void {
    this.#attempts.refuse(address, detail);
  }
}

/** What an account without caps may use of the event loop of one process. */
export interface WorkTerms {
  /** How much work it may have done at once, in ms (`WORK`). */
  burstMs: number;
  /** How much of it is given back, in ms for each ms that passes. */
  share: number;
  /** Less work for a request is not counted, in ms: this keeps ordinary requests free of any bookkeeping. */
  minMs: number;
}

/** Options of a budget. */
export interface WorkBudgetOptions {
  terms?: WorkTerms;
  /** ms, monotonic: `performance.now()` unless a test passes its own. Only what is given back depends on it. */
  clock?: () => number;
}

/** Hundreds of ordinary requests a second use less; a client that sorts 100,000 records all the time uses more. */
const WORK_TERMS: WorkTerms = { burstMs: 10_000, share: 0.25, minMs: 1 };
const MAX_ACCOUNTS = 10_000;

/** What an account has used, in ms, at a time. */
interface AccountUse {
  shares: Shares;
  at: number;
}

/**
 * Limits the work of requests of one account in this process, so that a few costly ones do not slow everyone's. Rows, names and bytes are counted, never time, so that the
 * load of others counts for nobody. The keys and addresses of the account that have used some divide its budget. It is in memory, and each process has its own.
 */
export class WorkBudget {
  readonly #terms: WorkTerms;
  readonly #clock: () => number;
  /** By the name of its counters: the accounts that have used some. */
  readonly #accounts = new LRUCache<string, AccountUse>({ max: MAX_ACCOUNTS });

  constructor({ terms = WORK_TERMS, clock = () => performance.now() }: WorkBudgetOptions = {}) {
    this.#terms = terms;
    this.#clock = clock;
  }

  /**
   * Does the work of a request, and counts it with what follows after the response (`withPayer`).
   *
   * @throws HttpProblem `quota-exceeded` when the holder has used its part of the budget; and what the work throws
   */
  run<T>(holder: Holder, work: () => T): T {
    this.#check(holder);
    return payFor(new RequestWork(this, holder, this.#terms.minMs), work);
  }

  /** Counts work. */
  add(holder: Holder, ms: number): void {
    let use = this.#useOf(holder.account);
    if (use === undefined) {
      use = { shares: new Shares(), at: this.#clock() };
      this.#accounts.set(holder.account, use);
    }
    use.shares.add(holder, ms);
  }

  /** How much of the budget a holder has used, in ms. */
  usedBy(holder: Holder): number {
    return this.#useOf(holder.account)?.shares.usedBy(holder) ?? 0;
  }

  /** Returns what an account uses now; undefined if nothing. */
  #useOf(account: string): AccountUse | undefined {
    const use = this.#accounts.get(account);
    if (use === undefined) return undefined;
    const now = this.#clock();
    use.shares.giveBack((now - use.at) * this.#terms.share);
    use.at = now;
    if (!use.shares.isUnused) return use;
    this.#accounts.delete(account);
    return undefined;
  }

  #check(holder: Holder): void {
    const shares = this.#useOf(holder.account)?.shares;
    if (shares === undefined) return;
    const part = shares.partOf(holder);
    const excess = shares.usedBy(holder) - this.#terms.burstMs * part;
    if (excess > 0) throw this.#refuse(excess, part);
  }

  #refuse(excess: number, part: number): HttpProblem {
    const [burst, share] = [this.#terms.burstMs * part, this.#terms.share * part];
    const seconds = Math.max(1, Math.ceil(excess / share / 1000));
    const window = Math.round(this.#terms.burstMs / this.#terms.share / 1000);
    return new HttpProblem(
      'quota-exceeded',
      `the requests with this key or address have used their processor time: ${round(burst / 1000)} s at once, and ${round(share * 100)} % of a processor over time; the next one is admitted in ${seconds} s. Smaller pages, fewer sort keys and ETags cost less`,
      { 'violated-policies': ['cpu'] },
      {
        'RateLimit-Policy': `"cpu";q=${Math.round(burst)};w=${window};qu="ms"`,
        RateLimit: `"cpu";r=0;t=${seconds}`,
        'Retry-After': seconds,
      },
    );
  }
}

function round(value: number): number {
  return Number(value.toPrecision(2));
}

/** The work of one request. */
class RequestWork implements Payer {
  readonly #budget: WorkBudget;
  readonly #holder: Holder;
  readonly #minMs: number;
  #ms = 0;

  constructor(budget: WorkBudget, holder: Holder, minMs: number) {
    this.#budget = budget;
    this.#holder = holder;
    this.#minMs = minMs;
  }

  pay(micros: number): void {
    this.#ms += micros / 1000;
    if (this.#ms < this.#minMs) return;
    this.#budget.add(this.#holder, this.#ms);
    this.#ms = 0;
  }
}
