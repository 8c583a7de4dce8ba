import {
  addRequest,
  type Counters,
  countersAt,
  isSpent,
  type Limits,
  readCounters,
  UNUSED,
  uncountRequest,
  writeCounters,
} from '../../plans/counters.ts';
import type { Admission } from '../store.ts';

/** A change of one account's counters, as a line of the log has it: `<kind><details>:<account>`. */
export type CounterChange = string;

const FORM = /^(?:\+\d+\/\d+|-[\d.]+|=[\d. ]+|!):/;

/** Counts a request, unless a cap is reached. */
export function counting(account: string, { minute, day }: Limits): CounterChange {
  return `+${minute}/${day}:${account}`;
}

/** Takes back a request that was counted at a time, ms since 1970. */
export function takingBack(account: string, time: number): CounterChange {
  return `-${time}:${account}`;
}

/** Forgets what was used. */
export function forgetting(account: string): CounterChange {
  return `!:${account}`;
}

/** Tells what was used, whatever was known of that. */
export function telling(account: string, counters: Counters): CounterChange {
  return `=${writeCounters(counters)}:${account}`;
}

/** Whether a part of a line is a change. */
export function isChange(part: unknown): part is CounterChange {
  return typeof part === 'string' && FORM.test(part);
}

/** The account that a change is of. */
export function accountOf(change: CounterChange): string {
  return change.slice(change.indexOf(':') + 1);
}

/**
 * What a change makes of its account's counters.
 *
 * @param kept as they were when they were changed last
 * @param at when it is made, ms since 1970
 */
export function applyChange(change: CounterChange, kept: Counters, at: number): Admission {
  const details = change.slice(1, change.indexOf(':'));
  switch (change[0]) {
    case '+': {
      const counters = countersAt(kept, at);
      const admitted = !isSpent(counters, readLimits(details));
      return { counters: admitted ? addRequest(counters, at) : counters, at, admitted };
    }
    case '-':
      return { counters: uncountRequest(countersAt(kept, at), Number(details)), at, admitted: false };
    case '=':
      return { counters: readCounters(details), at, admitted: false };
    default:
      return { counters: UNUSED, at, admitted: false };
  }
}

function readLimits(details: string): Limits {
  const slash = details.indexOf('/');
  return { minute: Number(details.slice(0, slash)), day: Number(details.slice(slash + 1)) };
}
