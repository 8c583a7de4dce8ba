import { addRequest, type Counters, countersAt, UNUSED, uncountRequest } from '../quota/counters.ts';

/** A change of one account's counters, as an entry of the journal has it. */
export type CounterChange = string;

/** Counts a request. */
export function counting(account: string): CounterChange {
  return `+${account}`;
}

/** Takes back a request that was counted at a time, ms since 1970. */
export function takingBack(account: string, time: number): CounterChange {
  return `-${time} ${account}`;
}

/** Makes requests of the future present ones, after the clock was set back. */
export function settling(account: string): CounterChange {
  return `=${account}`;
}

/** Forgets what was used. */
export function forgetting(account: string): CounterChange {
  return `!${account}`;
}

/** The account that a change is of. */
export function accountOf(change: CounterChange): string {
  return change.startsWith('-') ? change.slice(change.indexOf(' ') + 1) : change.slice(1);
}

/**
 * What a change makes of an account's counters.
 *
 * @param kept as they were when they were changed last
 * @param at when it is made, ms since 1970
 */
export function applyChange(change: CounterChange, kept: Counters, at: number): Counters {
  if (change.startsWith('!')) return UNUSED;
  const counters = countersAt(kept, at);
  if (change.startsWith('+')) return addRequest(counters, at);
  if (change.startsWith('-')) return uncountRequest(counters, Number(change.slice(1, change.indexOf(' '))));
  return counters;
}
