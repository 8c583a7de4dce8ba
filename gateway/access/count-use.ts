import { createHash } from 'node:crypto';
import { describeUsage, type Limits } from '../plans/counters.ts';
import type { Store } from '../store/store.ts';
import { retryAfter } from './quota-headers.ts';

/**
 * Counts a use of something that has limits of its own.
 *
 * @param name what is used, and by whom; only its hash is kept
 * @returns in how many seconds it can be used again, where it is not counted because a limit is reached
 */
export async function countUse(store: Store, name: string, limits: Limits): Promise<number | undefined> {
  const id = createHash('sha256').update(name).digest('hex');
  const { admitted, at, counters } = await store.countRequest(id, limits);
  return admitted ? undefined : retryAfter(describeUsage(counters, limits), at);
}
