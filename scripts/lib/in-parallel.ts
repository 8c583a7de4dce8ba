/**
 * Does work on several items at once. After a failure nothing more is begun, and what is under way is waited for: p-map rejects before
 * that (test/scripts/lib/in-parallel.test.ts), and a build that failed would go on writing after it gave up its lock.
 *
 * @param atOnce how many
 */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // A generator, which ends for all who take from it when one of them fails.
  const waiting = (function* () {
    yield* items;
  })();
  const take = async () => {
    for (const item of waiting) await work(item);
  };
  const takers = await Promise.allSettled(Array.from({ length: atOnce }, take));
  for (const taker of takers) if (taker.status === 'rejected') throw taker.reason;
}
