import type { IssuedKey, Tier } from './account.ts';

/** How many attempts with secrets failed. */
export interface BadAttemptsState {
  /** Those that were refused as such. */
  refused: number;
  /** Those that were refused because there were too many before. */
  throttled: number;
}

/** The key and account that a request was sent with, and the account's tier at that time. */
export interface Caller extends IssuedKey {
  tier: Tier;
}
