import { readdirSync } from 'node:fs';

/** With fewer descriptors, Node.js cannot load the gateway. Measured: 190. */
export const MIN_DESCRIPTORS = 256;
/** How many are kept for metrics, the store, mails, webhooks and new states of dist/. */
const RESERVED = 64;

/** Returns how many descriptors this process has open; undefined where that cannot be read. */
export function countDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

/** The descriptors that requests may use: one for each connection, and one for each file that is being sent. */
export class RequestDescriptors {
  #left = Number.POSITIVE_INFINITY;
  #refused = 0;
  #report = () => {};

  /** How many connections and files were refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Keeps some descriptors of the process from requests.
   *
   * @param max how many the process may have
   * @param open how many it has now
   * @param report called each time that one is refused
   */
  limit(max: number, open: number, report: () => void): void {
    this.#left = Math.max(1, max - open - RESERVED);
    this.#report = report;
  }

  /** Takes one. Returns whether there was one; if so, it has to be given back. */
  take(): boolean {
    if (this.#left > 0) {
      this.#left--;
      return true;
    }
    this.#refused++;
    this.#report();
    return false;
  }

  /** Gives one back. */
  give(): void {
    this.#left++;
  }
}

/** Those of this process, without a limit until it serves. */
export const requestDescriptors = new RequestDescriptors();
