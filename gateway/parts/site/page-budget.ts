import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../../core/http/client-address.ts';
import { HttpProblem } from '../../core/http/problem.ts';

/** A page about one record, or one that is made from many: a list, a comparison, a search. */
export type PageKind = 'record' | 'list';

/** Options of a budget. */
export interface PageBudgetOptions {
  /** How many pages a network may open in a minute. */
  pages: number;
  /** ms, monotonic: `performance.now()` unless a test passes its own. */
  clock?: () => number;
  /** Resolves after some ms. */
  pause?: (ms: number) => Promise<unknown>;
}

const MINUTE_MS = 60_000;
/** How long a page waits at most. */
const MAX_PAUSE_MS = 20_000;
/** How many networks are remembered; the one that opened a page longest ago is forgotten first. */
const MAX_NETWORKS = 20_000;

/** How many pages a network may still open; below 0 when it opened more. */
interface Left {
  pages: number;
  at: number;
}

/**
 * Limits how many pages of data a network opens, so that reading a whole game by its pages takes longer than with a free key. Nobody who reads
 * notices it. It is in memory, and each process has its own.
 */
export class PageBudget {
  readonly #pages: number;
  readonly #clock: () => number;
  readonly #pause: (ms: number) => Promise<unknown>;
  readonly #networks = new LRUCache<string, Left>({ max: MAX_NETWORKS });

  constructor({ pages, clock = () => performance.now(), pause = wait }: PageBudgetOptions) {
    this.#pages = pages;
    this.#clock = clock;
    this.#pause = pause;
  }

  /**
   * Counts a page. When a network has opened too many, a list that is not in memory is refused; a record, and what is in memory, only waits.
   *
   * @param address from `ClientAddress`
   * @throws HttpProblem `quota-exceeded`
   */
  async take(address: string, kind: PageKind, isKept: boolean): Promise<void> {
    const left = this.#leftOf(networkOf(address));
    const mayWait = kind === 'record' || isKept;
    if (!mayWait && left.pages < 1) throw this.#refuse((1 - left.pages) * this.#msEach);
    left.pages--;
    if (left.pages < 0) await this.#pause(Math.min(-left.pages * this.#msEach, MAX_PAUSE_MS));
  }

  get #msEach(): number {
    return MINUTE_MS / this.#pages;
  }

  #leftOf(network: string): Left {
    const now = this.#clock();
    const known = this.#networks.get(network) ?? { pages: this.#pages, at: now };
    // What waits longest sets how far a network can fall behind.
    const least = -MAX_PAUSE_MS / this.#msEach;
    const pages = Math.max(least, Math.min(this.#pages, known.pages + (now - known.at) / this.#msEach));
    const left = { pages, at: now };
    this.#networks.set(network, left);
    return left;
  }

  #refuse(ms: number): HttpProblem {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    return new HttpProblem(
      'quota-exceeded',
      `this network opened more than ${this.#pages} pages of data in a minute; lists and search can be opened again in ${seconds} s. Records, and pages that were opened before, still can. Programs read whole lists with a free key in one request`,
      { 'violated-policies': ['pages'] },
      { 'Retry-After': seconds },
    );
  }
}
