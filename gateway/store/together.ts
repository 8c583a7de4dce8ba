import { andThen, orElse } from '../and-then.ts';

/** What is asked for by many, and done for all of them at once. */
export interface Together<T, R> {
  /** Asks for one thing; what is asked for in one turn of the event loop is done together, in that order. */
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
 * Gathers what is asked for in one turn.
 *
 * @param work does it; gives a result for each, in the order that they came. Where it fails, each fails
 */
export function doTogether<T, R>(work: (items: T[]) => readonly R[] | Promise<readonly R[]>): Together<T, R> {
  let waiting: Waiting<T, R>[] = [];
  const flush = () => {
    if (waiting.length === 0) return;
    const asked = waiting;
    waiting = [];
    void orElse(
      () =>
        andThen(work(asked.map(({ item }) => item)), (results) => {
          for (const [index, { resolve }] of asked.entries()) resolve(results[index] as R);
        }),
      (error) => {
        for (const { reject } of asked) reject(error);
      },
    );
  };
  return {
    ask: (item) =>
      new Promise((resolve, reject) => {
        // Requests of a turn are answered one after the other: all of them wait by then.
        if (waiting.length === 0) process.nextTick(flush);
        waiting.push({ item, resolve, reject });
      }),
    flush,
  };
}
