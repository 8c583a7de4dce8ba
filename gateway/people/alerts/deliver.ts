// Alerts: an occurrence in a game that is due becomes one event, with a delivery for each channel of the accounts that follow it. Deliveries are rows
// that gateways lease and send. The gateways that share a store share this work; each delivery is made by one of them.

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { signWebhook } from '../../../scripts/notices/webhook-signature.ts';
import { toIso, toIsoOrNull } from '../../store/accounts.ts';
import { complete, fail, giveBack, type Leased, lease } from '../../store/queues.ts';
import { unseal } from '../../store/secrets.ts';
import type { Sql, Store } from '../../store/sql.ts';
import { describeFailure, type Runner, runJobs } from '../jobs.ts';
import type { Mailer } from '../mailer.ts';
import type { Needs } from '../people.ts';
import {
  CHANNELS,
  type ChannelName,
  type ChannelRow,
  chatOf,
  disableChannel,
  readSecret,
} from './channels.ts';
import { createRaiser, type GameEvent, makeTestEvent } from './event.ts';
import { alertMail, writeMessage } from './message.ts';
import { type DeliveryFailure, postJson } from './post.ts';

export interface AlertOptions
  extends Needs<'follower' | 'store' | 'log' | 'now' | 'policy' | 'publicUrl' | 'hasSite'> {
  /** Without a mailer, mails wait in the queue for a gateway that has one. */
  mailer?: Mailer | undefined;
  /** How often to check for due work, in ms. */
  interval?: number;
}

/** How many posts, and how many mails, may be under way at once. A mail that waits long for one of the mailer's 16 connections fails. */
const MAX_POSTS = 128;
const MAX_MAILS = 32;
/** Twice the time of the slowest delivery, a mail. */
const LEASE_MS = 60_000;
/** An event is raised and its deliveries begin within two intervals. */
const INTERVAL_MS = 400;
/** On shutdown: how long deliveries may take to finish, and then to abort. Others are left to the next gateway. */
const GRACE_MS = 3000;

/** Raises events and sends them until it is closed. */
export function startAlerts(options: AlertOptions): Runner {
  const { store, log, mailer, interval = INTERVAL_MS } = options;
  /** Each delivery that is under way, and what selected it. */
  const underWay = new Map<Promise<void>, string>();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const deliver = (where: string, most: number) => async () => {
    const limit = most - [...underWay.values()].filter((each) => each === where).length;
    if (limit === 0) return false;
    const leased = await lease<Delivery>(store, 'deliveries', { lease: LEASE_MS, limit, where });
    for (const delivery of leased) {
      const done = attempt(delivery, options, stop.signal)
        .catch((error: unknown) => {
          // The delivery stays leased, and is tried again when the lease ends.
          log.error('a delivery failed', { channel: delivery.channel, error: describeFailure(error) });
        })
        .finally(() => underWay.delete(done));
      underWay.set(done, where);
    }
    return leased.length === limit;
  };
  const message = 'alerts failed, and will be retried';
  const steps = [createRaiser(options), deliver("channel <> 'mail'", MAX_POSTS)];
  if (mailer) steps.push(deliver("channel = 'mail'", MAX_MAILS));
  const jobs = runJobs(steps, { interval, log, message });
  return {
    async close() {
      await jobs.close();
      const ended = () =>
        Promise.race([Promise.all(underWay.keys()), sleep(GRACE_MS, undefined, { ref: false })]);
      await ended();
      stop.abort();
      await ended();
    },
  };
}

/** A leased row of `deliveries`. */
interface Delivery extends Leased {
  account: string;
  channel: ChannelName;
  /** Null for a test. */
  event: string | null;
}

/** A channel as it was when the delivery was leased, with the address of its account and the event. */
type Recipient = ChannelRow & { email: string; body: string | null };

/** Sends a delivery, unless its account is no longer Pro or has turned the channel off. */
async function attempt(delivery: Delivery, options: AlertOptions, signal: AbortSignal): Promise<void> {
  const { store, log, now } = options;
  const { id, account, channel, attempts } = delivery;
  const recipient = await store.get<Recipient>(
    `SELECT channels.*, accounts.email, events.body FROM channels JOIN accounts ON accounts.id = channels.account
     LEFT JOIN events ON events.id = $1 WHERE account = $2 AND kind = $3 AND disabled_at IS NULL
       AND tier = 'pro' AND (pro_until IS NULL OR pro_until > $4) AND (events.body IS NOT NULL OR $1 = '')`,
    [delivery.event ?? '', account, channel, store.now()],
  );
  // If power fails before an outcome is on the disk, the delivery is made again: receivers know an event by its id.
  if (recipient === undefined)
    return void (await store.fast.run('DELETE FROM deliveries WHERE id = $1', [id]));
  const failed = await send(readEvent(recipient.body, id, now()), recipient, options, signal);
  if (!failed) return void (await complete(store.fast, 'deliveries', delivery));
  if (signal.aborted) return await giveBack(store.fast, 'deliveries', delivery, store.now());
  const { failure, error, retryAfter, cause = error } = failed;
  const isFinal = failure === 'refused' || failure === 'gone';
  await fail(store.fast, 'deliveries', delivery, { error, isFinal, retryAfter });
  if (failure === 'gone') await store.transaction((sql) => disableChannel(sql, recipient, error));
  log.error('an alert could not be sent', { channel, account, attempt: attempts, failure, error: cause });
}

async function send(
  event: GameEvent,
  recipient: Recipient,
  { store, mailer, policy, now, publicUrl, hasSite }: AlertOptions,
  signal: AbortSignal,
): Promise<DeliveryFailure | undefined> {
  const { kind, account, email } = recipient;
  if (kind === 'mail') return await mailer?.send(alertMail(email, event));
  const chat = chatOf(kind);
  const url = unseal(store, recipient.sealed_address ?? '', account) ?? '';
  const body = JSON.stringify(event);
  const posting = chat
    ? chat.post(url, writeMessage(event, { publicUrl: publicUrl(), hasSite }), event)
    : { url, body, headers: signWebhook([readSecret(store, recipient) ?? ''], event.id, body, now()) };
  return await postJson(posting, { policy, now: now(), signal, final: chat?.final });
}

/** Counts the deliveries that are due and not begun, by channel. @throws StoreError when the store does not respond */
export async function countDue(store: Store): Promise<Record<string, number>> {
  const rows = await store.all<{ channel: string; due: number }>(
    `SELECT channel, count(*) AS due FROM deliveries
     WHERE done_at IS NULL AND failed_at IS NULL AND due_at <= $1 AND leased_until <= $1 GROUP BY channel`,
    [store.now()],
  );
  const due = rows.map((row) => [row.channel, row.due]);
  return Object.fromEntries([...CHANNELS.map((channel) => [channel, 0]), ...due]);
}

const readEvent = (body: string | null, id: string, at: number): GameEvent =>
  body === null ? makeTestEvent(id, at) : (JSON.parse(body) as GameEvent);

/** Queues a test for an account. A running gateway sends it within a second; `listAttempts` then shows the outcome. */
export async function sendTest(sql: Sql, account: string, channel: ChannelName): Promise<void> {
  const statement = 'INSERT INTO deliveries (id, account, channel, due_at) VALUES ($1, $2, $3, $4)';
  await sql.run(statement, [`test-${randomUUID()}`, account, channel, sql.now()]);
}

type AttemptRow = Delivery &
  Record<'done_at' | 'failed_at', number | null> &
  Record<'tried_at' | 'due_at', number> &
  Record<'error' | 'body', string | null>;

export type Attempt = Awaited<ReturnType<typeof listAttempts>>[number];

/** Lists the latest 20 deliveries that were tried, each with its last attempt, newest first. Times are ISO 8601 UTC. */
export async function listAttempts(sql: Sql, account: string) {
  const rows = await sql.all<AttemptRow>(
    `SELECT deliveries.*, events.body FROM deliveries LEFT JOIN events ON events.id = deliveries.event
     WHERE account = $1 AND (done_at IS NOT NULL OR error IS NOT NULL) ORDER BY tried_at DESC, deliveries.id DESC LIMIT 20`,
    [account],
  );
  return rows.map((row) => {
    const { channel, attempts, tried_at, done_at } = row;
    const { id, type, data } = readEvent(row.body, row.id, tried_at);
    const isLast = done_at !== null || row.failed_at !== null;
    return {
      at: toIso(tried_at),
      channel,
      event: { id, type, game: data.game, build: data.build },
      // During an attempt, the row still shows the outcome of the previous one.
      attempt: !isLast && row.leased_until > 0 ? attempts - 1 : attempts,
      outcome: done_at === null ? 'failed' : 'delivered',
      detail: row.error ?? '',
      next_at: isLast ? null : toIsoOrNull(row.due_at),
    };
  });
}
