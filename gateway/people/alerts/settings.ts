import type { Topic } from '../../catalog/topic.ts';
import { createFeedToken } from '../../keys/api-key.ts';
import type { Store } from '../../store/store.ts';
import { type AddressPolicy, readWebhookUrl } from './public-address.ts';
import { changeSubscription, MAX_FOLLOWS, type Subscription, type Webhook } from './subscription.ts';
import { createWebhookSecret } from './webhook.ts';

/** A change to alert settings that is refused; the message says why, and what to do. */
export class AlertError extends Error {
  override name = 'AlertError';
}

/**
 * Makes an account follow more topics.
 *
 * @param account the account's id, as in all functions of this file
 * @param topics ones that `isTopic` accepts
 * @throws AlertError
 */
export async function follow(store: Store, account: string, topics: readonly Topic[]): Promise<Subscription> {
  return await chooseFollows(store, account, { offered: topics, chosen: topics });
}

/**
 * Sets which of the offered topics an account follows. Topics that are not offered stay as they are.
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
    if (follows.length <= MAX_FOLLOWS) return { ...subscription, follows };
    throw new AlertError(
      `an account can follow at most ${MAX_FOLLOWS} topics, and these would be ${follows.length}; follow all_games instead`,
    );
  });
}

/** Makes an account no longer follow some topics. */
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
 * Sets the URL of an account's webhook. An existing webhook keeps its secret and is enabled again.
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
 * Replaces the secret of an account's webhook.
 *
 * @throws AlertError when the account has no webhook
 */
export async function renewSecret(store: Store, account: string): Promise<Webhook> {
  const secret = createWebhookSecret();
  return await changeWebhook(store, account, (webhook) => ({ ...(webhook ?? refuseMissing()), secret }));
}

/**
 * Enables an account's webhook again after it was disabled.
 *
 * @throws AlertError when the account has no webhook
 */
export async function enableWebhook(store: Store, account: string): Promise<Webhook> {
  return await changeWebhook(store, account, (webhook) => ({
    ...(webhook ?? refuseMissing()),
    disabled: null,
  }));
}

/** Removes an account's webhook. */
export async function removeWebhook(store: Store, account: string): Promise<Subscription> {
  return await changeSubscription(store, account, (subscription) => ({ ...subscription, webhook: null }));
}

/** Turns alerts by mail on or off. */
export async function setMail(store: Store, account: string, mail: boolean): Promise<Subscription> {
  return await changeSubscription(store, account, (subscription) => ({ ...subscription, mail }));
}

/**
 * Gives an account's feed a new address; the previous one stops working.
 *
 * @returns the token of the address, which is not stored and cannot be shown again
 */
export async function renewFeed(store: Store, account: string): Promise<string> {
  const { token, hash } = createFeedToken();
  await changeSubscription(store, account, (subscription) => ({ ...subscription, feed: hash }));
  return token;
}

/** Removes an account's feed. */
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
