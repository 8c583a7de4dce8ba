import { createHash } from 'node:crypto';
import { describeUsage, type Limits } from '../plans/counters.ts';
import type { Store } from '../store/store.ts';
import { retryAfter } from './quota-headers.ts';

/**
 * Counts one use of something with its own limits, such as a mail to one network.
 *
 * @param name what is used, and by whom; the store holds only its hash
 * @returns undefined when the use was counted; otherwise in how many seconds the next one is possible
 */
export async function countUse(store: Store, name: string, limits: Limits): Promise<number | undefined> {
  const id = createHash('sha256').update(name).digest('hex');
  const { admitted, at, counters } = await store.countRequest(id, limits);
  return admitted ? undefined : retryAfter(describeUsage(counters, limits), at);
}
