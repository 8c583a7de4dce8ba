import { LRUCache } from 'lru-cache';

/** The events of one name in its minute, which begins with the first of them. */
export interface MinuteCount {
  count: number;
  /** When the minute ends, in ms from now. */
  leftMs: number;
}

const WINDOW_MS = 60_000;

/** Counts events by name in the memory of this process, each name in minutes of its own. */
export class MinuteCounts {
  readonly #clock: () => number;
  readonly #windows: LRUCache<string, { endsAt: number; count: number }>;

  /**
   * @param max how many names are remembered; the one that was seen longest ago is forgotten first
   * @param clock ms since any time; `performance.now()` unless a test passes its own
   */
  constructor(max: number, clock = () => performance.now()) {
    this.#clock = clock;
    this.#windows = new LRUCache({ max });
  }

  /** Returns what was counted for a name. */
  read(name: string): MinuteCount {
    const window = this.#windows.get(name);
    const leftMs = window === undefined ? 0 : window.endsAt - this.#clock();
    return window && leftMs > 0 ? { count: window.count, leftMs } : { count: 0, leftMs: WINDOW_MS };
  }

  /** Counts events; a negative number takes some back. @returns what is counted now */
  add(name: string, events = 1): MinuteCount {
    const { count, leftMs } = this.read(name);
    const total = Math.max(0, count + events);
    this.#windows.set(name, { endsAt: this.#clock() + leftMs, count: total });
    return { count: total, leftMs };
  }
}
