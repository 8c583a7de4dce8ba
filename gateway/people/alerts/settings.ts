import type { Topic } from '../../catalog/topic.ts';
import { createFeedToken } from '../../keys/api-key.ts';
import type { Store } from '../../store/store.ts';
import { type AddressPolicy, readWebhookUrl } from './public-address.ts';
import { changeSubscription, MOST_FOLLOWS, type Subscription, type Webhook } from './subscription.ts';
import { createWebhookSecret } from './webhook.ts';

/** A setting that cannot be made; the message says why, and what to do. */
export class AlertError extends Error {
  override name = 'AlertError';
}

/**
 * Adds to what an account follows.
 *
 * @param account its id, as in all functions here
 * @param topics as `isTopic` takes them
 * @throws AlertError
 */
export async function follow(store: Store, account: string, topics: readonly Topic[]): Promise<Subscription> {
  return await chooseFollows(store, account, { offered: topics, chosen: topics });
}

/**
 * Sets which of some topics an account follows; what it follows besides stays.
 *
 * @throws AlertError
 */
export async function chooseFollows(
  store: Store,
  account: string,
  { offered, chosen }: { offered: readonly Topic[]; chosen: readonly Topic[] },
): Promise<Subscription> {
  return await changeSubscription(store, account, (subscription) => {
    const others = subscription.follows.filter((topic) => !offered.includes(topic));
    const follows = [...new Set([...others, ...chosen])];
    if (follows.length <= MOST_FOLLOWS) return { ...subscription, follows };
    throw new AlertError(
      `an account follows ${MOST_FOLLOWS} games at most, and these would be ${follows.length}; follow all_games instead`,
    );
  });
}

/** Takes from what an account follows. */
export async function unfollow(
  store: Store,
  account: string,
  topics: readonly Topic[],
): Promise<Subscription> {
  return await changeSubscription(store, account, (subscription) => ({
    ...subscription,
    follows: subscription.follows.filter((topic) => !topics.includes(topic)),
  }));
}

/**
 * Sets where an account's events are posted to. A webhook that is there keeps its secret, and is enabled again.
 *
 * @returns the webhook, with its secret
 * @throws AddressError
 */
export async function setWebhook(
  store: Store,
  account: string,
  address: string,
  policy: AddressPolicy,
): Promise<Webhook> {
  const url = readWebhookUrl(address, policy).href;
  const secret = createWebhookSecret();
  return await changeWebhook(store, account, (webhook) => ({
    url,
    secret: webhook?.secret ?? secret,
    disabled: null,
  }));
}

/**
 * Gives an account's webhook another secret, which signs from now on.
 *
 * @throws AlertError where there is none
 */
export async function renewSecret(store: Store, account: string): Promise<Webhook> {
  const secret = createWebhookSecret();
  return await changeWebhook(store, account, (webhook) => ({ ...(webhook ?? refuseMissing()), secret }));
}

/**
 * Enables a webhook again that said that it wants no more.
 *
 * @throws AlertError where there is none
 */
export async function enableWebhook(store: Store, account: string): Promise<Webhook> {
  return await changeWebhook(store, account, (webhook) => ({
    ...(webhook ?? refuseMissing()),
    disabled: null,
  }));
}

/** Ends an account's webhook. */
export async function removeWebhook(store: Store, account: string): Promise<Subscription> {
  return await changeSubscription(store, account, (subscription) => ({ ...subscription, webhook: null }));
}

/** Sets whether events are mailed to the account's address. */
export async function setMail(store: Store, account: string, mail: boolean): Promise<Subscription> {
  return await changeSubscription(store, account, (subscription) => ({ ...subscription, mail }));
}

/**
 * Gives an account's feed an address, in place of the one that it has.
 *
 * @returns the token in it, which nobody can tell again
 */
export async function renewFeed(store: Store, account: string): Promise<string> {
  const { token, hash } = createFeedToken();
  await changeSubscription(store, account, (subscription) => ({ ...subscription, feed: hash }));
  return token;
}

/** Ends an account's feed. */
export async function removeFeed(store: Store, account: string): Promise<Subscription> {
  return await changeSubscription(store, account, (subscription) => ({ ...subscription, feed: null }));
}

async function changeWebhook(
  store: Store,
  account: string,
  change: (webhook: Webhook | null) => Webhook,
): Promise<Webhook> {
  const { webhook } = await changeSubscription(store, account, (subscription) => ({
    ...subscription,
    webhook: change(subscription.webhook),
  }));
  return webhook as Webhook;
}

function refuseMissing(): never {
  throw new AlertError('the account has no webhook; set its address first');
}
