import { tierAt } from '../../access/account.ts';
import type { Store } from '../../store/sql.ts';
import { type Transaction, transact } from '../../store/records.ts';
import { findAccounts } from '../accounts/account-records.ts';
import { type Claim, claimJobs, settleJob } from '../jobs/queue.ts';
import { addDeliveries } from './delivery.ts';
import { findEvent } from './events/event-log.ts';
import { FAN_OUTS, type FanOut } from './fan-out-queue.ts';
import { followedBy, topicsOf } from './followed-by.ts';
import { findSubscriptions, listFollowers, type Subscription, type Topic } from './subscription.ts';

/** How many followers one transaction handles. */
const PAGE = 250;

/** A page of an event's followers. */
interface FollowerPage {
  recipients: [account: string, subscription: Subscription][];
  /** The job for the next page; undefined after the last page. */
  next: FanOut | undefined;
}

/**
 * Queues deliveries to the next page of an event's followers. The page and the progress are written in one transaction, so that each
 * follower gets one delivery even when a process dies.
 *
 * @param lease how long the page may take, in ms
 * @returns whether there was an event to fan out
 */
export async function fanOutNext(store: Store, now: () => number, lease: number): Promise<boolean> {
  const [claim] = await claimJobs(store, FAN_OUTS, { now: now(), lease, limit: 1 });
  if (!claim) return false;
  const { recipients, next } = await readPage(store, claim.job, now());
  await transact(store, (transaction) => writePage(transaction, claim, { recipients, next }, now()));
  return true;
}

async function writePage(
  transaction: Transaction,
  claim: Claim<FanOut>,
  { recipients, next }: FollowerPage,
  now: number,
): Promise<void> {
  if (!(await settleJob(transaction, FAN_OUTS, claim, next && { at: now, job: next }))) return;
  for (const [account, subscription] of recipients) {
    await addDeliveries(transaction, account, subscription, claim.job.event, now);
  }
}

async function readPage(store: Store, job: FanOut, now: number): Promise<FollowerPage> {
  const event = await findEvent(store, job.event);
  const topics = event ? topicsOf(event) : [];
  const topic = topics[job.topic];
  if (event === undefined || topic === undefined) return { recipients: [], next: undefined };
  const ids = await listFollowers(store, topic, { after: job.after, limit: PAGE });
  const accounts = await findAccounts(store, ids);
  const subscriptions = await findSubscriptions(store, ids);
  const recipients = ids.flatMap((id, index): [string, Subscription][] => {
    const account = accounts.get(id);
    const subscription = subscriptions[index] as Subscription;
    const isDue =
      account && tierAt(account, now) === 'pro' && followedBy(event, subscription.follows) === topic;
    return isDue ? [[id, subscription]] : [];
  });
  return { recipients, next: nextPage(job, topics, ids) };
}

function nextPage(job: FanOut, topics: readonly Topic[], ids: readonly string[]): FanOut | undefined {
  const last = ids.at(-1);
  if (last !== undefined && ids.length === PAGE) return { ...job, after: last };
  return job.topic + 1 < topics.length ? { ...job, topic: job.topic + 1, after: '' } : undefined;
}
