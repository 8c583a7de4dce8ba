import { randomUUID } from 'node:crypto';
import { keysOf } from '../../../scripts/format/dist-format.ts';
import { addJob, type Queue } from '../jobs/queue.ts';
import type { Store } from '../../store/sql.ts';
import { type Transaction, table, transact } from '../../store/records.ts';
import type { Attempt, ChannelName } from './attempts.ts';
import type { PostChannel } from './channels/chat-hook.ts';
import type { Subscription } from './subscription.ts';

/** An event on its way to an account by one channel. */
export interface Delivery {
  /** The account's id. */
  account: string;
  /** The event's position in the log; null for a test. */
  event: number | null;
  /** How many attempts have failed. */
  failures: number;
}

/** Returns a delivery with one more failed attempt. */
export function addFailure(delivery: Delivery): Delivery {
  return { ...delivery, failures: delivery.failures + 1 };
}

/** The queue of deliveries of each channel. */
export const DELIVERIES: Record<ChannelName, Queue<Delivery>> = {
  webhook: table<Delivery>('webhook-delivery'),
  discord: table<Delivery>('discord-delivery'),
  slack: table<Delivery>('slack-delivery'),
  mail: table<Delivery>('mail-delivery'),
};

/** The channels that have deliveries. */
export const CHANNELS: readonly ChannelName[] = keysOf(DELIVERIES);

/** The channels whose deliveries are posted to an address. */
export const POST_CHANNELS: readonly PostChannel[] = ['webhook', 'discord', 'slack'];

/** Lists the channels that an account uses. */
export function channelsOf(subscription: Subscription): ChannelName[] {
  return CHANNELS.filter((channel) =>
    channel === 'mail' ? subscription.mail : isEnabled(subscription[channel]),
  );
}

/** Returns whether an account gets the deliveries of a channel. */
export function isOn(subscription: Subscription, channel: ChannelName): boolean {
  return channel === 'mail' ? subscription.mail : isEnabled(subscription[hookOf(subscription, channel)]);
}

/**
 * Returns which hook the deliveries of a channel are posted to: those to a chat service that an earlier version queued are in the queue of
 * webhooks.
 */
export function hookOf({ webhook, discord, slack }: Subscription, channel: PostChannel): PostChannel {
  if (channel !== 'webhook' || webhook !== null) return channel;
  if (discord?.wasWebhook) return 'discord';
  return slack?.wasWebhook ? 'slack' : channel;
}

function isEnabled(hook: { disabled: object | null } | null): boolean {
  return hook !== null && hook.disabled === null;
}

/**
 * Queues an event for an account, once for each channel that the account uses.
 *
 * @param event the event's position in the log
 */
export async function addDeliveries(
  transaction: Transaction,
  account: string,
  subscription: Subscription,
  event: number,
  now: number,
): Promise<void> {
  for (const channel of channelsOf(subscription)) {
    await addJob(transaction, DELIVERIES[channel], `${event}:${account}`, now, {
      account,
      event,
      failures: 0,
    });
  }
}

/**
 * Queues an event again that was sent to an account.
 *
 * @param account the account's id
 * @param attempt one whose event has a position in the log
 */
export async function sendAgain(
  store: Store,
  account: string,
  { channel, position }: Pick<Attempt, 'channel'> & { position: number },
  now: number,
): Promise<void> {
  await transact(store, async (transaction) => {
    const job = { account, event: position, failures: 0 };
    await addJob(transaction, DELIVERIES[channel], `again-${randomUUID()}`, now, job);
  });
}

/**
 * Queues a test event for an account. A running gateway sends it within a second; `listAttempts` shows the outcome.
 *
 * @param account the account's id
 * @param channel one that the account uses
 */
export async function sendTest(
  store: Store,
  account: string,
  channel: ChannelName,
  now: number,
): Promise<void> {
  await transact(store, async (transaction) => {
    await addJob(transaction, DELIVERIES[channel], `test-${randomUUID()}`, now, {
      account,
      event: null,
      failures: 0,
    });
  });
}
