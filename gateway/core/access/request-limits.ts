import type { Holder, IssuedKey } from '../plans/account.ts';

/** How many attempts with secrets failed. */
export interface BadAttemptsState {
  /** Those that were refused as such. */
  refused: number;
  /** Those that were refused because there were too many before. */
  throttled: number;
}

/** Limits what a client may cost besides its quota. */
export interface RequestLimits {
  /**
   * Does the work of a request of an account without caps, and counts it, with what follows after the response (`withPayer`).
   *
   * @throws HttpProblem `quota-exceeded` when the holder has used its part of the account's budget; and what the work throws
   */
  run<T>(holder: Holder, work: () => T): T;
  /** Counts a request with `If-None-Match`, whose 304 counts nowhere else. @throws HttpProblem `quota-exceeded` */
  countConditional(issued: IssuedKey): void;
  /**
   * Counts an attempt with a secret that is not valid.
   *
   * @param address from `ClientAddress`
   * @param detail what was wrong with it
   * @throws HttpProblem `too-many-attempts` if there were too many before
   */
  countBadAttempt(address: string, detail: string): void;
  /** How many there were since the start. */
  readonly badAttempts: Readonly<BadAttemptsState>;
}

/** For a gateway without the part that limits its clients. */
export const NO_LIMITS: RequestLimits = {
  run: (_, work) => work(),
  countConditional() {},
  countBadAttempt() {},
  badAttempts: { refused: 0, throttled: 0 },
};
