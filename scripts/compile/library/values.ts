import { quoteValue } from '../../findings/findings.ts';

/** A function of the library was called with an argument of the wrong type; the message names the function. */
export class ArgumentError extends Error {
  constructor(name: string, expected: string, found: unknown) {
    super(`${name} expects ${expected}, not ${quoteValue(found)}`);
  }
}

/** Whether an attribute is absent or null, which dumps use for the same. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

const DIGITS = /^-?\d+$/;

/** Converts a number, or a text of digits: CSV columns and 64-bit integers are such texts. */
export function toNumber(value: unknown, name: string, expected: string): number {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new ArgumentError(name, expected, value);
}

/** `$fromZero(count)`: converts a count that starts at zero to one that starts at one. */
export function countFromOne(count: unknown): number | undefined {
  return isAbsent(count) ? undefined : toNumber(count, '$fromZero', 'a number') + 1;
}
