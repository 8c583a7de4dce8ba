/**
 * Works on several items at once. After a failure, no more work is started, and the promise rejects when the work under way has ended.
 * p-map rejects earlier (test/scripts/lib/in-parallel.test.ts): a failed build would still write after releasing its lock.
 *
 * @param concurrency the maximum number of items at once
 */
export async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // A generator shared by all workers: when one worker throws out of its loop, the generator ends for the others too.
  const waiting = (function* () {
    yield* items;
  })();
  const runWorker = async () => {
    for (const item of waiting) await work(item);
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, runWorker));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
}
