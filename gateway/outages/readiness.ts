import { GRACE_MS } from './key-cache.ts';
import { unavailable } from '../http/problem.ts';
import { REVISION, type Store, StoreError, StoreRefusal } from '../store/store.ts';

/** Options of the readiness of a gateway. */
export interface ReadinessOptions {
  store: Pick<Store, 'ping' | 'revision' | 'find'>;
  /** ms, by the clock of `Revision.heardAt`: `performance.now()` unless a test passes its own. */
  clock?: () => number;
}

/**
 * Decides whether a gateway can serve known keys. It can while its store responds, and afterwards as long as keys in memory stay valid. A
 * store that refuses writes, for example because it is full, is enough; when it refuses reads too, the gateway immediately stops being ready.
 */
export class Readiness {
  readonly #store: ReadinessOptions['store'];
  readonly #clock: () => number;
  /** When the store last responded, as far as this object knows. */
  #heardAt: number;

  constructor({ store, clock = () => performance.now() }: ReadinessOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#heardAt = clock();
  }

  /** @throws HttpProblem `unavailable` when it cannot */
  async check(): Promise<void> {
    const askedAt = this.#clock();
    try {
      await this.#store.ping();
      this.#heardAt = askedAt;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error instanceof StoreRefusal) {
        if (!(await this.#canRead())) throw unavailable('the store refuses its work');
        return;
      }
      if (this.#clock() - this.#lastHeard() >= GRACE_MS) throw unavailable('the store does not respond');
    }
  }

  async #canRead(): Promise<boolean> {
    try {
      await this.#store.find(REVISION);
      return true;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return false;
    }
  }

  #lastHeard(): number {
    try {
      this.#heardAt = Math.max(this.#heardAt, this.#store.revision().heardAt);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    return this.#heardAt;
  }
}
