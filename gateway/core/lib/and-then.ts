import { withPayer } from './work.ts';

/**
 * Calls `work` with a value: synchronously when it is not a promise, otherwise when it resolves. Promises for values that exist already
 * would cost every request time and garbage.
 */
export function andThen<T, R>(value: T | Promise<T>, work: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(withPayer(work)) : work(value);
}

/** Does work. When it throws or rejects, the result is that of `recover` with the error. */
export function orElse<T>(
  work: () => T | Promise<T>,
  recover: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  try {
    const working = work();
    return working instanceof Promise ? working.catch(withPayer(recover)) : working;
  } catch (error) {
    return recover(error);
  }
}
