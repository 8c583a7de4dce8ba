import type { Topic } from '../../catalog/topic.ts';
import type { Store } from '../../store/store.ts';
import { find, findAll, type Reader, type Transaction, table, transact } from '../../store/transaction.ts';
import { accountById } from '../accounts/accounts.ts';

/** Where an account's events are posted to. */
export interface Webhook {
  url: string;
  /** `whsec_…`: signs what is posted. It has to be known to sign, and so is kept as it is. */
  secret: string;
  /** Since when nothing is posted any more, and why; null while it works. */
  disabled: { at: string; reason: string } | null;
}

/** What an account follows, and how it is told. A lapsed account keeps it, and is told nothing. */
export interface Subscription {
  /** In order. */
  follows: readonly Topic[];
  webhook: Webhook | null;
  /** Whether events are mailed to the account's address. */
  mail: boolean;
  /** The SHA-256 of the token in the address of the account's feed; null without a feed. */
  feed: string | null;
}

/** Account id → its subscription. */
const SUBSCRIPTIONS = table<Subscription>('subscription');
/** `<topic>:<account id>` of each topic that an account follows. */
const FOLLOWERS = table<true>('follower');
/** SHA-256 of the token of a feed → account id. */
const FEEDS = table<string>('feed');

const NOTHING: Subscription = { follows: [], webhook: null, mail: false, feed: null };

/** The most topics that an account follows. */
export const MOST_FOLLOWS = 500;

/**
 * Finds an account's subscription by the account's id.
 *
 * @param patience how long it may take, in ms
 */
export async function findSubscription(
  store: Store,
  account: string,
  patience?: number,
): Promise<Subscription> {
  return (await find(store, SUBSCRIPTIONS, account, patience)) ?? NOTHING;
}

/** Finds the subscriptions of accounts, in their order. */
export async function findSubscriptions(store: Store, accounts: readonly string[]): Promise<Subscription[]> {
  return (await findAll(store, SUBSCRIPTIONS, accounts)).map((found) => found ?? NOTHING);
}

/** Finds whose feed has a token, by its SHA-256: the account's id. */
export async function findFeed(store: Store, hash: string): Promise<string | undefined> {
  return await find(store, FEEDS, hash);
}

/** Lists the ids of accounts that follow a topic, in their order, after one of them or from the beginning. */
export async function listFollowers(
  store: Store,
  topic: Topic,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const prefix = `${FOLLOWERS.prefix}${topic}:`;
  const page = await store.list(prefix, { after: after && prefix + after, limit });
  return page.map(([name]) => name.slice(prefix.length));
}

/**
 * Changes an account's subscription; that of one which was deleted meanwhile is nothing, and stays it.
 *
 * @param account its id
 * @param change makes the new one; it may be called again, where others were faster
 */
export async function changeSubscription(
  store: Store,
  account: string,
  change: (subscription: Subscription) => Subscription,
): Promise<Subscription> {
  return await transact(store, async (transaction) =>
    (await accountById(transaction, account)) ? await changeWithin(transaction, account, change) : NOTHING,
  );
}

/** `changeSubscription` as a part of something larger. */
export async function changeWithin(
  transaction: Transaction,
  account: string,
  change: (subscription: Subscription) => Subscription,
): Promise<Subscription> {
  const before = await readWithin(transaction, account);
  const changed = change(before);
  const after: Subscription = { ...changed, follows: [...new Set(changed.follows)].sort() };
  for (const topic of before.follows) {
    if (!after.follows.includes(topic)) transaction.remove(FOLLOWERS, `${topic}:${account}`);
  }
  for (const topic of after.follows) {
    if (!before.follows.includes(topic)) transaction.put(FOLLOWERS, `${topic}:${account}`, true);
  }
  if (before.feed !== null && before.feed !== after.feed) transaction.remove(FEEDS, before.feed);
  if (after.feed !== null && before.feed !== after.feed) transaction.put(FEEDS, after.feed, account);
  transaction.put(SUBSCRIPTIONS, account, after);
  return after;
}

/** Whether an account has a subscription; one that was deleted has none. */
export async function hasSubscription(reader: Reader, account: string): Promise<boolean> {
  return (await reader.get(SUBSCRIPTIONS, account)) !== undefined;
}

/** Forgets what a deleted account followed, by the account's id. */
export async function forgetSubscription(transaction: Transaction, account: string): Promise<void> {
  await changeWithin(transaction, account, () => NOTHING);
  transaction.remove(SUBSCRIPTIONS, account);
}

async function readWithin(reader: Reader, account: string): Promise<Subscription> {
  return (await reader.get(SUBSCRIPTIONS, account)) ?? NOTHING;
}
