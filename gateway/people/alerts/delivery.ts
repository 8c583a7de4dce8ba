import { randomUUID } from 'node:crypto';
import { addJob, type Queue } from '../../jobs/queue.ts';
import type { Store } from '../../store/store.ts';
import { type Transaction, table, transact } from '../../store/transaction.ts';
import type { Attempt, ChannelName } from './attempts.ts';
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
  mail: table<Delivery>('mail-delivery'),
};

/** Returns whether an account uses a channel. */
export function isOn({ webhook, mail }: Subscription, channel: ChannelName): boolean {
  return channel === 'mail' ? mail : webhook !== null && webhook.disabled === null;
}

/**
 * Queues an event for an account, once for each channel that the account uses.
 *
 * @param event the event's position in the log
 */
export function addDeliveries(
  transaction: Transaction,
  account: string,
  subscription: Subscription,
  event: number,
  now: number,
): void {
  for (const channel of ['webhook', 'mail'] as const) {
    if (!isOn(subscription, channel)) continue;
    addJob(transaction, DELIVERIES[channel], `${event}:${account}`, now, { account, event, failures: 0 });
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
    addJob(transaction, DELIVERIES[channel], `again-${randomUUID()}`, now, job);
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
    addJob(transaction, DELIVERIES[channel], `test-${randomUUID()}`, now, {
      account,
      event: null,
      failures: 0,
    });
  });
}
