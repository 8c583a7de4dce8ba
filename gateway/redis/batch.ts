interface Waiting<I, R> {
  item: I;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Collects single calls, and does those of one group and one event-loop tick as a batch. */
export class Batches<I, R> {
  readonly #work: (items: I[]) => readonly R[] | Promise<readonly R[]>;
  readonly #max: number;
  readonly #waiting = new Map<number, Waiting<I, R>[]>();

  /**
   * @param work does the items; returns one result for each, in their order. If it fails, each item fails with its error
   * @param max how many items are done at once; a batch of that size does not wait for the end of the current code
   */
  constructor(work: (items: I[]) => readonly R[] | Promise<readonly R[]>, max = Number.POSITIVE_INFINITY) {
    this.#work = work;
    this.#max = max;
  }

  /** Adds an item to the batch of its group, which is done when the current code has ended. @returns the result of this item */
  add(group: number, item: I): Promise<R> {
    return new Promise((resolve, reject) => {
      const batch = this.#waiting.get(group) ?? [];
      // `batchPerTick` in wire/ starts all requests of a tick in one go, so all of them have been added by then.
      if (batch.length === 0) process.nextTick(() => this.#do(group));
      this.#waiting.set(group, batch);
      if (batch.push({ item, resolve, reject }) >= this.#max) void this.#do(group);
    });
  }

  /** Does the waiting items now. */
  flush(): void {
    for (const group of this.#waiting.keys()) void this.#do(group);
  }

  async #do(group: number): Promise<void> {
    const batch = this.#waiting.get(group) ?? [];
    this.#waiting.delete(group);
    if (batch.length === 0) return;
    try {
      const results = await this.#work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
