import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../access/attempts.ts';
import { HttpProblem } from '../http/problem.ts';

/** A page about one record; one that is made from many: a list, a comparison or patch notes; or one for which much is searched or sorted. */
export type PageKind = 'record' | 'list' | 'search';

/** Options of a budget. */
export interface PageBudgetOptions {
  /** How many pages a network may open in a minute. */
  pages: number;
  /** How many pages may be made for all networks together in a minute; those in memory do not count. */
  common: number;
  /** ms, monotonic: `performance.now()` unless a test passes its own. */
  clock?: () => number;
  /** Resolves after some ms. */
  pause?: (ms: number) => Promise<unknown>;
}

/** A page that is requested. */
interface Taken {
  kind: PageKind;
  /** Whether it is in memory. */
  isKept: boolean;
}

const MINUTE_MS = 60_000;
/** How long a page waits at most; what would wait longer is refused, so that many pages at once are read no faster. */
const MAX_PAUSE_MS = 20_000;
/** How many networks are remembered; the one that opened a page longest ago is forgotten first. */
const MAX_NETWORKS = 20_000;
/** What making a page takes from the common budget. */
const COSTS: Readonly<Record<PageKind, number>> = { record: 1, list: 2, search: 4 };
/** The share of the common budget that is kept for pages other than searches. */
const RESERVE = 0.5;

/** What is left of a budget; below 0 when more was taken. */
interface Left {
  pages: number;
  at: number;
}

/**
 * Limits how many pages of data a network opens, so that reading a whole game by its pages takes longer than with a free key, and how much is made for all
 * networks together. It is in memory, and each process has its own.
 */
export class PageBudget {
  readonly #pages: number;
  readonly #common: number;
  readonly #clock: () => number;
  readonly #pause: (ms: number) => Promise<unknown>;
  readonly #networks = new LRUCache<string, Left>({ max: MAX_NETWORKS });
  #all: Left;

  constructor({ pages, common, clock = () => performance.now(), pause = wait }: PageBudgetOptions) {
    this.#pages = pages;
    this.#common = common;
    this.#clock = clock;
    this.#pause = pause;
    this.#all = { pages: common, at: clock() };
  }

  /** Whether there is room for work that a page can do without. */
  get isSpare(): boolean {
    return this.#refill().pages >= this.#common * RESERVE;
  }

  /**
   * Counts a page. When a network has opened too many, a list or search that is not in memory is refused; a record, and what is in memory, waits, up to a limit. When too
   * many were made for all, searches are refused first, then lists. A record and what is in memory are not.
   *
   * @param address from `ClientAddress`
   * @throws HttpProblem `quota-exceeded`, or `unavailable` when others have used up what there is
   */
  async take(address: string, { kind, isKept }: Taken): Promise<void> {
    const left = this.#leftOf(networkOf(address));
    const mayWait = kind === 'record' || isKept;
    const wait = (1 - left.pages) * this.#msEach;
    if (wait > (mayWait ? MAX_PAUSE_MS : 0))
      throw this.#refuse(mayWait ? wait - MAX_PAUSE_MS : wait, mayWait);
    if (!isKept) this.#takeCommon(kind);
    left.pages--;
    if (wait > 0) await this.#pause(wait);
  }

  #takeCommon(kind: PageKind): void {
    const all = this.#refill();
    const cost = Math.min(COSTS[kind], this.#common);
    const least = kind === 'search' ? this.#common * RESERVE : cost;
    const missing = least - all.pages;
    if (kind !== 'record' && missing > 0) throw refuseForAll((missing / this.#common) * MINUTE_MS);
    all.pages = Math.max(0, all.pages - cost);
  }

  #refill(): Left {
    const now = this.#clock();
    const gained = ((now - this.#all.at) / MINUTE_MS) * this.#common;
    this.#all = { pages: Math.min(this.#common, this.#all.pages + gained), at: now };
    return this.#all;
  }

  get #msEach(): number {
    return MINUTE_MS / this.#pages;
  }

  #leftOf(network: string): Left {
    const now = this.#clock();
    const before = this.#networks.get(network) ?? { pages: this.#pages, at: now };
    const pages = Math.min(this.#pages, before.pages + (now - before.at) / this.#msEach);
    const left = { pages, at: now };
    this.#networks.set(network, left);
    return left;
  }

  #refuse(ms: number, isAll: boolean): HttpProblem {
    const seconds = inSeconds(ms);
    const what = isAll
      ? `pages can be opened again in ${seconds} s.`
      : `lists and search can be opened again in ${seconds} s. Records, and pages that were opened before, still can.`;
    return new HttpProblem(
      'quota-exceeded',
      `this network opened more than ${this.#pages} pages of data in a minute; ${what} Programs read whole lists with a free key in one request`,
      { 'violated-policies': ['pages'] },
      { 'Retry-After': seconds },
    );
  }
}

function refuseForAll(ms: number): HttpProblem {
  const seconds = inSeconds(ms);
  return new HttpProblem(
    'unavailable',
    `many visitors search and filter right now; try again in ${seconds} s. Records, and pages that were opened before, still can be opened`,
    {},
    { 'Retry-After': seconds },
  );
}

function inSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
