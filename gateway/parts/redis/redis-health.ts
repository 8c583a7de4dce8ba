import { ErrorReply } from '@redis/client';
import type { Log } from '../../core/log/log.ts';
import { LOST } from './redis-scripts.ts';
import { StoreError, StoreRefusal, StoreSilence } from '../../core/store/store.ts';

/** Errors of a server that responds, but cannot be used until the operator acts. */
const REFUSALS = /\b(LOST|OOM|MISCONF|READONLY|NOREPLICAS|NOPERM|NOAUTH|WRONGPASS)\b/;

/** Whether a server gives such an error as the reason. */
export function isRefusal(reason: string): boolean {
  return REFUSALS.test(reason);
}

/** Options of a server's health. */
export interface RedisHealthOptions {
  /** What messages call the server. */
  name: string;
  log?: Log | undefined;
}

/** What is known of whether a server can be used; logs when that changes. */
export class RedisHealth {
  readonly #name: string;
  readonly #log: Log | undefined;
  /** Whether changes are logged. */
  isLogged = false;
  #isUp = true;
  #lastReason = '';
  /** Why the server cannot be used although it responds. */
  #loss: string | undefined;

  constructor({ name, log }: RedisHealthOptions) {
    this.#name = name;
    this.#log = log;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** The error of a call that is not sent, because the server cannot be used. */
  describeAbsence(): StoreError {
    return this.#loss === undefined
      ? new StoreError(`the store ${this.#name} does not respond`)
      : new StoreRefusal(this.#loss);
  }

  noteUp(): void {
    this.#loss = undefined;
    if (!this.#isUp && this.isLogged) this.#log?.info('the store is back', { store: this.#name });
    this.#isUp = true;
  }

  noteDown(error: unknown): void {
    const reason = reasonOf(error);
    if (this.#isUp) this.#logFailure(reason);
    this.#lastReason = reason;
    this.#isUp = false;
  }

  /** The server responds, but not with the store that was opened. That may come back, when a backup is restored. */
  noteLoss(isOther: boolean): void {
    const loss = describeLoss(this.#name, isOther);
    // It is logged even if the server was away before.
    if (this.#loss !== loss) this.#logFailure(loss);
    this.#loss = loss;
    this.#lastReason = loss;
    this.#isUp = false;
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
    if (reason.startsWith(LOST)) {
      // The next probe finds out why, and logs it.
      this.#isUp = false;
      return new StoreRefusal(describeLoss(this.#name, false), { cause: error });
    }
    // The same reason is logged once.
    if (this.#isUp && reason !== this.#lastReason) this.#logFailure(reason);
    this.#lastReason = reason;
    return new (isRefusal(reason) ? StoreRefusal : StoreError)(text, { cause: error });
  }

  #logFailure(error: string): void {
    if (this.isLogged) this.#log?.error('the store failed', { store: this.#name, error });
  }
}

/** What is wrong where a store is not the one that was opened, and what to do. */
function describeLoss(name: string, isOther: boolean): string {
  return isOther
    ? `the store ${name} is not the same as before: restore the former one, or restart the gateway to use this one`
    : `the store ${name} was lost: Redis runs without it; restore a backup, or accept the loss with \`gateway store init\``;
}

/** The message of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
