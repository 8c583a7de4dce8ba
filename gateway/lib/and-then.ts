/**
 * Goes on with a value: at once where it is there already, else when it comes. A promise for what is there would cost every request
 * a turn of the queue and the garbage of it.
 */
export function andThen<T, R>(value: T | Promise<T>, work: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(work) : work(value);
}

/** Does work; where it fails, at once or later, the answer is what `recover` makes of the error. */
export function orElse<T>(
  work: () => T | Promise<T>,
  recover: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  try {
    const working = work();
    return working instanceof Promise ? working.catch(recover) : working;
  } catch (error) {
    return recover(error);
  }
}
