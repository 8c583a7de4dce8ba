import { ErrorReply } from '@redis/client';
import type { Log } from '../http/log.ts';
import { StoreError, StoreRefusal, StoreSilence } from '../store/store.ts';
import { LOST } from './redis-scripts.ts';

/** Errors of a server that responds, but cannot be used until the operator acts. */
const REFUSALS = /\b(LOST|OOM|MISCONF|READONLY|NOREPLICAS|NOPERM|NOAUTH|WRONGPASS)\b/;

/** Whether a server gives such an error as the reason. */
export function isRefusal(reason: string): boolean {
  return REFUSALS.test(reason);
}

/** What is known of one server: whether it can be used, and its clock. Logs when it goes and when it comes back. */
export class RedisServer {
  readonly #name: string;
  readonly #log: Log | undefined;
  #absence: StoreError | undefined;
  /** The last reason that was logged since the server came back. */
  #logged: string | undefined;
  /** How far Redis's clock is ahead of this process's clock. */
  #ahead = Number.NEGATIVE_INFINITY;
  /** Whether a probe waits for its reply. */
  isProbed = false;

  /** @param name what messages call the server */
  constructor(name: string, log: Log | undefined) {
    this.#name = name;
    this.#log = log;
    this.#absence = new StoreError(`the store ${name} was not heard of yet`);
  }

  /** Why the server cannot be used; undefined if it can. */
  get absence(): StoreError | undefined {
    return this.#absence;
  }

  /** An estimate of Redis's time, in ms since 1970. It is never ahead of Redis's clock. */
  time(): number {
    return performance.now() + this.#ahead;
  }

  /**
   * Compares the server's clock with that of this process.
   *
   * @param time what its clock showed, ms since 1970
   * @param askedAt when it was asked, ms by `performance.now()`
   */
  noteTime(time: number, askedAt: number): void {
    // Redis read its clock between the request and now, so the fastest of several replies gives the best estimate.
    const least = time - performance.now();
    const wasSetBack = this.#ahead > time + 1 - askedAt;
    this.#ahead = wasSetBack ? least : Math.max(this.#ahead, least);
  }

  /** Notes that the server has the store. */
  noteUp(): void {
    if (this.#absence === undefined) return;
    if (this.#logged !== undefined) this.#log?.info('the store is back', { store: this.#name });
    this.#absence = undefined;
    this.#logged = undefined;
  }

  /** Notes that the server does not respond. One that has lost the store stays lost until it has it again. */
  noteDown(error: unknown): void {
    if (this.#absence instanceof StoreRefusal) return;
    if (this.#absence === undefined) this.#logFailure(reasonOf(error));
    this.#absence = new StoreError(`the store ${this.#name} does not respond`, { cause: error });
  }

  /** Notes that the server responds, but not with the store that was opened. That may come back, when a backup is restored. */
  noteLoss(isOther: boolean): void {
    this.#absence = isOther
      ? new StoreRefusal(
          `the store ${this.#name} is not the same as before: restore the former one, or restart the gateway to use this one`,
        )
      : describeLoss(this.#name);
    this.#logFailure(this.#absence.message);
  }

  /**
   * Notes that a call failed: an error in reply to a script shows that Redis responds; any other failure, that it does not.
   *
   * @returns the error for the caller
   */
  noteFailure(error: unknown): StoreError {
    const reason = reasonOf(error);
    const text = `the store ${this.#name} failed: ${reason}; check Redis`;
    if (!(error instanceof ErrorReply)) {
      this.noteDown(error);
      return new StoreSilence(text, { cause: error });
    }
    // The next probe finds out what is wrong, and logs it.
    if (reason.startsWith(LOST)) return describeLoss(this.#name, error);
    if (this.#absence === undefined) this.#logFailure(reason);
    return new (isRefusal(reason) ? StoreRefusal : StoreError)(text, { cause: error });
  }

  /** Logs a reason, unless it was the last one. */
  #logFailure(error: string): void {
    if (error !== this.#logged) this.#log?.error('the store failed', { store: this.#name, error });
    this.#logged = error;
  }
}

/** The error where Redis has lost a store. */
export function describeLoss(name: string, cause?: unknown): StoreRefusal {
  return new StoreRefusal(
    `the store ${name} was lost: Redis runs without it; restore a backup, or accept the loss with \`gateway store init\``,
    { cause },
  );
}

/** The message of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
