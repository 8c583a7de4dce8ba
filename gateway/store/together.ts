/** What is asked for by many, and done for all of them at once. */
export interface Together<T, R> {
  /** Asks for one thing; what is asked for until the code that runs now has ended is done together, in that order. */
  ask(item: T): Promise<R>;
  /** Does at once what waits. */
  flush(): void;
}

interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Gathers what is asked for one after the other.
 *
 * @param work does it; gives a result for each, in the order that they came. Where it fails, each fails
 * @param most how many are gathered; then they are done at once
 */
export function doTogether<T, R>(
  work: (items: T[]) => readonly R[] | Promise<readonly R[]>,
  most = Number.POSITIVE_INFINITY,
): Together<T, R> {
  let waiting: Waiting<T, R>[] = [];
  const flush = async () => {
    if (waiting.length === 0) return;
    const asked = waiting;
    waiting = [];
    try {
      const results = await work(asked.map(({ item }) => item));
      for (const [index, { resolve }] of asked.entries()) resolve(results[index] as R);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  return {
    ask: (item) =>
      new Promise((resolve, reject) => {
        // The gateway begins to answer all requests of a turn in one go, by `batchPerTick`: all of them wait by then.
        if (waiting.length === 0) process.nextTick(flush);
        waiting.push({ item, resolve, reject });
        if (waiting.length >= most) void flush();
      }),
    flush: () => void flush(),
  };
}
