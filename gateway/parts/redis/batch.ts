/** Collects single calls and does them as batches. */
export interface Batch<I, R> {
  /** Adds an item to the batch that is done when the current code has ended. @returns the result of this item */
  add(item: I): Promise<R>;
  /** Does the waiting items now. */
  flush(): void;
}

interface Waiting<I, R> {
  item: I;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Makes a batch that is done once per event-loop tick.
 *
 * @param work does the items; returns one result for each, in their order. If it fails, each item fails with its error
 * @param max how many items are done at once; a batch of that size does not wait for the end of the current code
 */
export function createBatch<I, R>(
  work: (items: I[]) => readonly R[] | Promise<readonly R[]>,
  max = Number.POSITIVE_INFINITY,
): Batch<I, R> {
  let waiting: Waiting<I, R>[] = [];
  const flush = async () => {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        // `batchPerTick` in wire/ starts all requests of a tick in one go, so all of them have been added by then.
        if (waiting.length === 0) process.nextTick(flush);
        waiting.push({ item, resolve, reject });
        if (waiting.length >= max) void flush();
      }),
    flush: () => void flush(),
  };
}
