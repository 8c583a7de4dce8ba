import { type Claim, settleJob } from '../../jobs/queue.ts';
import type { Transaction } from '../../store/transaction.ts';
import { type Attempt, type ChannelName, putAttempt } from './attempts.ts';
import type { Recipient } from './channel.ts';
import { addFailure, DELIVERIES, type Delivery } from './delivery.ts';
import type { GameEvent } from './event.ts';
import { delayAfter, type Outcome } from './outcome.ts';
import { changeWithin, hasSubscription } from './subscription.ts';

/** A delivery whose current attempt has ended. */
export interface Ended {
  claim: Claim<Delivery>;
  /** Absent when nothing was sent: the recipient or the event no longer exists, or the delivery is given up. */
  attempt?: { event: GameEvent; recipient: Recipient; outcome: Outcome };
}

/** Writes the outcome of an attempt: queues the next one, adds the attempt to the account's list, and disables a webhook that is gone. */
export async function settleDelivery(
  transaction: Transaction,
  channel: ChannelName,
  { claim, attempt }: Ended,
  now: number,
): Promise<void> {
  const next = attempt && nextAttempt(claim.job, attempt.outcome, now);
  if (!(await settleJob(transaction, DELIVERIES[channel], claim, next))) return;
  if (!attempt || attempt.outcome.kind === 'interrupted') return;
  const { event, recipient, outcome } = attempt;
  // Write nothing about an account that has been deleted since.
  if (!(await hasSubscription(transaction, recipient.account.id))) return;
  const { kind, detail } = outcome;
  const shown: Attempt = {
    at: toIso(now),
    channel,
    event: { id: event.id, type: event.type, game: event.data.game, build: event.data.build },
    attempt: claim.job.failures + 1,
    outcome: kind === 'delivered' ? 'delivered' : 'failed',
    detail,
    next_at: next ? toIso(next.at) : null,
  };
  putAttempt(transaction, recipient.account.id, shown);
  if (kind === 'gone') await disableWebhook(transaction, recipient, { at: toIso(now), reason: detail });
}

function nextAttempt(
  job: Delivery,
  outcome: Outcome,
  now: number,
): { at: number; job: Delivery } | undefined {
  if (outcome.kind === 'interrupted') return { at: now, job };
  if (outcome.kind !== 'failed') return undefined;
  const failed = addFailure(job);
  const delay = delayAfter(failed.failures, outcome.retryAfter);
  return delay === undefined ? undefined : { at: now + delay, job: failed };
}

/** Disables the recipient's webhook, unless its URL has been changed since. */
async function disableWebhook(
  transaction: Transaction,
  { account, subscription: { webhook: sent } }: Recipient,
  disabled: { at: string; reason: string },
): Promise<void> {
  await changeWithin(transaction, account.id, (subscription) => {
    const { webhook } = subscription;
    return webhook && webhook.url === sent?.url
      ? { ...subscription, webhook: { ...webhook, disabled } }
      : subscription;
  });
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
