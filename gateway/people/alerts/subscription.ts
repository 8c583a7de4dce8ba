import { SLUG } from '../../../scripts/format/dist-format.ts';
import { accountById } from '../../store/accounts.ts';
import type { View } from '../../data/view.ts';
import type { Store } from '../../store/sql.ts';
import { type Reader, type Transaction, table, transact } from '../../store/records.ts';
import { find, findAll, list, listPage } from '../../store/records.ts';
import { type Happening, recordEvent } from '../audit/audit-log.ts';
import { type ChatHook, upgradeHooks } from './channels/chat-hook.ts';
import type { ChatService } from './channels/chat-service.ts';

/** The webhook that an account's events are posted to. */
export interface Webhook {
  url: string;
  /** `whsec_…`: the key of the signatures. Signing needs the secret itself, so it is stored as a `Vault` seals it. */
  secret: string;
  /** The secret before it was renewed, sealed too. It is valid until a time, ISO 8601 UTC. */
  earlier?: { secret: string; until: string };
  /** When and why the webhook was disabled; null while it is enabled. */
  disabled: { at: string; reason: string } | null;
}

/** The topics that an account follows, and its channels. An account without Pro keeps them, but gets no events. */
export interface Subscription {
  /** Sorted. */
  follows: readonly Topic[];
  webhook: Webhook | null;
  discord: ChatHook | null;
  slack: ChatHook | null;
  /** Whether events are mailed to the account's address. */
  mail: boolean;
  /** The SHA-256 of the token in the address of the account's feed; null without a feed. */
  feed: string | null;
  /** When the account's feed was made, ISO 8601 UTC; absent without a feed, and of feeds that earlier versions made. */
  feed_made_at?: string;
}

/** A subscription as any version stored it. */
type StoredSubscription = Omit<Subscription, ChatService> & Partial<Pick<Subscription, ChatService>>;

/** Account id → subscription. */
const SUBSCRIPTIONS = table<StoredSubscription>('subscription');
/** `<topic>:<account id>` for each topic that an account follows. */
const FOLLOWERS = table<true>('follower');
/** SHA-256 of a feed's token → account id. */
const FEEDS = table<string>('feed');

const EMPTY: Subscription = {
  follows: [],
  webhook: null,
  discord: null,
  slack: null,
  mail: false,
  feed: null,
};

/** How many topics an account can follow. */
export const MAX_FOLLOWS = 500;

/** Finds the subscription of an account by the account's id. */
export async function findSubscription(store: Store, account: string): Promise<Subscription> {
  return readStored(await find(store, SUBSCRIPTIONS, account));
}

/** Finds the subscription of an account by the account's id, for a request: it fails soon. */
export async function findSubscriptionSoon(store: Store, account: string): Promise<Subscription> {
  return readStored(await find(store.fast, SUBSCRIPTIONS, account));
}

/** Finds the subscriptions of accounts by their ids, in the same order. */
export async function findSubscriptions(store: Store, accounts: readonly string[]): Promise<Subscription[]> {
  return (await findAll(store, SUBSCRIPTIONS, accounts)).map(readStored);
}

/** Lists the subscriptions of all accounts by the accounts' ids. */
export async function listSubscriptions(
  store: Store,
): Promise<[account: string, subscription: Subscription][]> {
  const stored = await list(store, SUBSCRIPTIONS);
  return stored.map(([account, subscription]) => [account, readStored(subscription)]);
}

/** Finds the id of the account whose feed has a token, by the token's SHA-256. */
export async function findFeed(store: Store, hash: string): Promise<string | undefined> {
  return await find(store, FEEDS, hash);
}

/** Lists a page of the sorted ids of accounts that follow a topic. It begins after the id `after`, which is empty for the first page. */
export async function listFollowers(
  store: Store,
  topic: Topic,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const begin = `${topic}:`;
  const page = await listPage(store, FOLLOWERS, { begin, after: after && begin + after, limit });
  return page.map(([id]) => id.slice(begin.length));
}

/**
 * Changes an account's subscription. Writes nothing when the account does not exist.
 *
 * @param account the account's id
 * @param change returns the new subscription; called again when the transaction is retried
 * @param happening the event for the account's audit log, if it is one
 * @returns the new subscription; an empty one when the account does not exist
 */
export async function changeSubscription(
  store: Store,
  account: string,
  change: (subscription: Subscription) => Subscription,
  happening?: Omit<Happening, 'account'>,
): Promise<Subscription> {
  return await transact(store, async (transaction) => {
    if (!(await accountById(transaction, account))) return EMPTY;
    if (happening) await recordEvent(transaction, { account, ...happening });
    return await changeWithin(transaction, account, change);
  });
}

/** Changes a subscription within a larger transaction. Does not check that the account exists. */
export async function changeWithin(
  transaction: Transaction,
  account: string,
  change: (subscription: Subscription) => Subscription,
): Promise<Subscription> {
  const before = await readWithin(transaction, account);
  const changed = change(before);
  const after: Subscription = { ...changed, follows: [...new Set(changed.follows)].sort() };
  for (const topic of before.follows) {
    if (!after.follows.includes(topic)) await transaction.remove(FOLLOWERS, `${topic}:${account}`);
  }
  for (const topic of after.follows) {
    if (!before.follows.includes(topic)) await transaction.put(FOLLOWERS, `${topic}:${account}`, true);
  }
  if (before.feed !== null && before.feed !== after.feed) await transaction.remove(FEEDS, before.feed);
  if (after.feed !== null && before.feed !== after.feed) await transaction.put(FEEDS, after.feed, account);
  await transaction.put(SUBSCRIPTIONS, account, after);
  return after;
}

/** Returns whether an account has a subscription; a deleted account has none. */
export async function hasSubscription(reader: Reader, account: string): Promise<boolean> {
  return (await reader.read(SUBSCRIPTIONS, account)) !== undefined;
}

/** Removes the subscription of a deleted account, by the account's id. */
export async function removeSubscription(transaction: Transaction, account: string): Promise<void> {
  await changeWithin(transaction, account, () => EMPTY);
  await transaction.remove(SUBSCRIPTIONS, account);
}

async function readWithin(reader: Reader, account: string): Promise<Subscription> {
  return readStored(await reader.read(SUBSCRIPTIONS, account));
}

function readStored(stored: StoredSubscription | undefined): Subscription {
  return stored ? { ...stored, ...upgradeHooks(stored) } : EMPTY;
}

const SLUG_FORM = new RegExp(SLUG);

/** Returns whether a text has the form of a topic; the game need not exist. */
export function isTopic(text: string): boolean {
  return text === ALL_GAMES || text === NEW_GAMES || SLUG_FORM.test(text);
}

/** What an account may follow: a game by its slug, `all_games`, or `new_games`. */
export type Topic = string;

/** All games; no slug has an underscore. */
export const ALL_GAMES: Topic = 'all_games';
/** New games. */
export const NEW_GAMES: Topic = 'new_games';

/** Returns whether an account can see a topic: always, unless it is a game that is not in its view. */
export function isSeen(topic: Topic, { games, lost }: Pick<View, 'games' | 'lost'>): boolean {
  return topic === ALL_GAMES || topic === NEW_GAMES || games.has(topic) || lost.has(topic);
}
