import { createWebhookSecret } from '../../../scripts/notices/webhook-signature.ts';
import type { Actor } from '../../store/audit.ts';
import { createToken, FEED_MARK } from '../../access/api-key.ts';
import type { Store } from '../../store/sql.ts';
import { InputError } from '../../input/input-error.ts';
import type { EventName } from '../audit/audit-event.ts';
import { type AddressPolicy, readWebhookUrl } from './channels/public-address.ts';
import {
  changeSubscription,
  MAX_FOLLOWS,
  type Subscription,
  type Topic,
  type Webhook,
} from './subscription.ts';
import type { Vault } from './vault.ts';
import { endEarlier, hasEarlier, renewSecrets, sealSecrets } from './channels/webhook-secrets.ts';

/** Who changes a setting, and when. */
export interface By {
  actor: Actor;
  /** ms since 1970. */
  now: number;
}

/** How and by whom a webhook is changed. */
export interface WebhookChange extends By {
  /** Encrypts the secret. */
  vault: Vault;
}

/**
 * Makes an account follow more topics.
 *
 * @param account the account's id, as in all functions of this file
 * @param topics ones that `isTopic` accepts
 * @throws InputError
 */
export async function follow(store: Store, account: string, topics: readonly Topic[]): Promise<Subscription> {
  return await chooseFollows(store, account, { offered: topics, chosen: topics });
}

/**
 * Sets which of the offered topics an account follows. Topics that are not offered stay as they are.
 *
 * @throws InputError
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
    throw new InputError(
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
 * Sets the URL of an account's webhook. An existing webhook keeps its secret and is enabled again. `setAddress` recognises the addresses of
 * chat services before.
 *
 * @returns the webhook, with its secret
 * @throws AddressError
 */
export async function setWebhook(
  store: Store,
  account: string,
  address: string,
  { policy, ...change }: WebhookChange & { policy: AddressPolicy },
): Promise<Webhook> {
  const url = readWebhookUrl(address, policy);
  const secret = createWebhookSecret();
  const event = { event: 'webhook.set', about: url.host } as const;
  return await changeWebhook(store, account, change, event, (webhook) => ({
    ...(webhook ?? { secret }),
    url: url.href,
    disabled: null,
  }));
}

/**
 * Gives an account's webhook a new secret. The one that it had stays valid for another day, so that the receiver has time to change.
 *
 * @throws InputError when the account has no webhook, or the secret before is still valid
 */
export async function renewSecret(store: Store, account: string, change: WebhookChange): Promise<Webhook> {
  const secret = createWebhookSecret();
  return await changeWebhook(store, account, change, { event: 'webhook.secret-renewed' }, (found) => {
    const webhook = found ?? refuseMissing();
    if (hasEarlier(webhook, change.now)) {
      throw new InputError(
        `the secret was renewed already, and the earlier one is valid until ${webhook.earlier?.until}; end the earlier one first`,
      );
    }
    return renewSecrets({ account, ...change }, webhook, secret);
  });
}

/**
 * Ends the earlier secret of an account's webhook at once.
 *
 * @throws InputError when the account has no webhook
 */
export async function endEarlierSecret(
  store: Store,
  account: string,
  change: WebhookChange,
): Promise<Webhook> {
  return await changeWebhook(store, account, change, { event: 'webhook.secret-ended' }, (webhook) =>
    endEarlier(webhook ?? refuseMissing()),
  );
}

/**
 * Enables an account's webhook again after it was disabled.
 *
 * @throws InputError when the account has no webhook
 */
export async function enableWebhook(store: Store, account: string, change: WebhookChange): Promise<Webhook> {
  return await changeWebhook(store, account, change, { event: 'webhook.enabled' }, (webhook) => ({
    ...(webhook ?? refuseMissing()),
    disabled: null,
  }));
}

/** Removes an account's webhook. */
export async function removeWebhook(store: Store, account: string, by: By): Promise<Subscription> {
  const happening = { event: 'webhook.removed', ...by } as const;
  return await changeSubscription(
    store,
    account,
    (subscription) => ({ ...subscription, webhook: null }),
    happening,
  );
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
export async function renewFeed(store: Store, account: string, by: By): Promise<string> {
  const { token, hash } = createToken(FEED_MARK);
  const happening = { event: 'feed.renewed', ...by } as const;
  const made = new Date(by.now).toISOString();
  const renew = ({ feed_made_at = made, ...subscription }: Subscription) => ({
    ...subscription,
    feed: hash,
    feed_made_at,
  });
  await changeSubscription(store, account, renew, happening);
  return token;
}

/** Removes an account's feed. */
export async function removeFeed(store: Store, account: string, by: By): Promise<Subscription> {
  const happening = { event: 'feed.removed', ...by } as const;
  return await changeSubscription(
    store,
    account,
    ({ feed_made_at: _, ...subscription }) => ({ ...subscription, feed: null }),
    happening,
  );
}

/** Changes a webhook and encrypts its secrets. */
async function changeWebhook(
  store: Store,
  account: string,
  { vault, actor, now }: WebhookChange,
  event: { event: EventName; about?: string },
  change: (webhook: Webhook | null) => Webhook,
): Promise<Webhook> {
  const { webhook } = await changeSubscription(
    store,
    account,
    (subscription) => ({
      ...subscription,
      webhook: sealSecrets({ vault, account, now }, change(subscription.webhook)),
    }),
    { ...event, actor },
  );
  return webhook as Webhook;
}

function refuseMissing(): never {
  throw new InputError('the account has no webhook; set its address first');
}
