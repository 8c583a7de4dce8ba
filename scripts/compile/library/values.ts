import { quoteValue } from '../../findings/findings.ts';

/** A function of the library was called with what it cannot take; the message names the function. */
export class ArgumentError extends Error {
  constructor(name: string, expected: string, found: unknown) {
    super(`${name} takes ${expected}, not ${quoteValue(found)}`);
  }
}

/** Whether a dump says nothing here: the attribute is not there, or null. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

const DIGITS = /^-?\d+$/;

/** A number, or the text of a whole one: CSV columns and 64-bit integers come as texts of digits. */
export function toNumber(value: unknown, name: string, expected: string): number {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new ArgumentError(name, expected, value);
}

/** `$fromZero(count)`: what upstream counts from zero, counted from one. */
export function countFromOne(count: unknown): number | undefined {
  return isAbsent(count) ? undefined : toNumber(count, '$fromZero', 'a number') + 1;
}
