import { type Claim, settleJob } from '../jobs/queue.ts';
import type { Transaction } from '../../store/records.ts';
import { GATEWAY } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/audit-log.ts';
import { type Attempt, type ChannelName, putAttempt } from './attempts.ts';
import type { Recipient } from './channels/channel.ts';
import type { PostChannel } from './channels/chat-hook.ts';
import { addFailure, DELIVERIES, type Delivery, hookOf } from './delivery.ts';
import type { GameEvent } from './events/event.ts';
import { delayAfter, type Outcome, WAIT_MS } from './outcome.ts';
import { changeWithin, hasSubscription, type Subscription } from './subscription.ts';

/** A delivery whose current attempt has ended. */
export interface Ended {
  claim: Claim<Delivery>;
  /** Absent when nothing was sent: the recipient or the event no longer exists, or the delivery is given up. */
  attempt?: {
    event: GameEvent;
    recipient: Recipient;
    outcome: Outcome;
    /** How long it took, in whole ms. */
    ms: number;
  };
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
  if (!attempt || isUncounted(attempt.outcome)) return;
  const { recipient, outcome } = attempt;
  // Write nothing about an account that has been deleted since.
  if (!(await hasSubscription(transaction, recipient.account.id))) return;
  const shown = describeAttempt({ channel, claim, attempt, next: next?.at, now });
  await putAttempt(transaction, recipient.account.id, shown);
  if (outcome.kind === 'gone' && channel !== 'mail')
    await disableHook(transaction, channel, recipient, shown.detail, now);
}

function isUncounted({ kind }: Outcome): boolean {
  return kind === 'interrupted' || kind === 'waiting';
}

/** Without a response, the time that it took is left out: it would show account holders the network of the gateway. */
function describeAttempt({
  channel,
  claim: { job },
  attempt: { event, outcome, ms },
  next,
  now,
}: {
  channel: ChannelName;
  claim: Claim<Delivery>;
  attempt: NonNullable<Ended['attempt']>;
  next: number | undefined;
  now: number;
}): Attempt {
  const { kind } = outcome;
  const status = 'status' in outcome ? outcome.status : undefined;
  return {
    at: toIso(now),
    channel,
    event: { id: event.id, type: event.type, game: event.data.game, build: event.data.build },
    attempt: job.failures + 1,
    outcome: kind === 'delivered' ? 'delivered' : 'failed',
    detail: 'detail' in outcome ? outcome.detail : '',
    next_at: next === undefined ? null : toIso(next),
    position: job.event,
    ...(status !== undefined && { status, ms }),
  };
}

function nextAttempt(
  job: Delivery,
  outcome: Outcome,
  now: number,
): { at: number; job: Delivery } | undefined {
  if (outcome.kind === 'interrupted') return { at: now, job };
  if (outcome.kind === 'waiting') return { at: now + WAIT_MS, job };
  if (outcome.kind !== 'failed') return undefined;
  const failed = addFailure(job);
  const delay = delayAfter(failed.failures, outcome.retryAfter);
  return delay === undefined ? undefined : { at: now + delay, job: failed };
}

/** Disables the hook that a delivery was posted to, unless its address has been changed since. */
async function disableHook(
  transaction: Transaction,
  channel: PostChannel,
  { account, subscription: sent }: Recipient,
  reason: string,
  now: number,
): Promise<void> {
  const hook = hookOf(sent, channel);
  const address = addressOf(sent, hook);
  const disabled = { at: toIso(now), reason };
  let host: string | undefined;
  await changeWithin(transaction, account.id, (subscription) => {
    const { [hook]: current } = subscription;
    if (!current || current.disabled || addressOf(subscription, hook) !== address) return subscription;
    host = new URL('url' in current ? current.url : current.shown).host;
    return { ...subscription, [hook]: { ...current, disabled } };
  });
  if (host === undefined) return;
  await recordEvent(transaction, {
    ...{ account: account.id, event: 'webhook.disabled', about: `${host}, because ${reason}` },
    ...{ actor: GATEWAY },
  });
}

function addressOf({ webhook, ...chats }: Subscription, hook: PostChannel): string | undefined {
  return hook === 'webhook' ? webhook?.url : chats[hook]?.address;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
