/**
 * Calls `work` with a value: synchronously when it is not a promise, otherwise when it resolves. Promises for values that exist already
 * would cost every request time and garbage.
 */
export function andThen<T, R>(value: T | Promise<T>, work: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(work) : work(value);
}

/** Does work. When it throws or rejects, the result is that of `recover` with the error. */
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

/**
 * Collects the items of one event-loop tick and processes them together at its end: between system calls, the same work takes the
 * processor two to three times as long.
 *
 * @param work receives all items of a tick, in order
 * @param max the size of a batch that is processed at once, without waiting for the end of the tick
 * @returns a function that adds an item
 */
export function batchPerTick<T>(
  work: (batch: T[]) => void,
  max = Number.POSITIVE_INFINITY,
): (item: T) => void {
  let batch: T[] = [];
  const processBatch = () => {
    if (batch.length === 0) return;
    const all = batch;
    batch = [];
    work(all);
  };
  return (item) => {
    if (batch.length === 0) setImmediate(processBatch);
    batch.push(item);
    if (batch.length >= max) processBatch();
  };
}

/** Returns a function that calls another once, and returns that result every time. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
