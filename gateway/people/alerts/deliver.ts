// Alerts: an occurrence in a game becomes an event with its deliveries (raise.ts), which are rows that gateways lease and send. The gateways that
// share a store share this work; each delivery is made by one of them.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { signWebhook } from '../../../scripts/notices/webhook-signature.ts';
import { toIso, toIsoOrNull } from '../../store/accounts.ts';
import { complete, fail, giveBack, type Leased, lease } from '../../store/queues.ts';
import { unseal } from '../../store/secrets.ts';
import { type Sql, type Store, StoreError } from '../../store/sql.ts';
import { describeError, type Runner, runJobs } from '../jobs.ts';
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
import { type GameEvent, makeTestEvent } from './event.ts';
import { alertMail, readChatResponse, writeMessage } from './message.ts';
import { type DeliveryOutcome, postJson } from './post.ts';
import { createRaiser, type RaiserOptions } from './raise.ts';

export interface AlertOptions extends RaiserOptions, Needs<'policy' | 'publicUrl' | 'hasSite'> {
  /** Without a mailer, mails wait in the queue for a gateway that has one. */
  mailer?: Mailer | undefined;
  /** How often to check for due work, in ms. */
  interval?: number;
}

/** A leased row of `deliveries`. */
interface Delivery extends Leased {
  account: string;
  channel: ChannelName;
  /** The position of the event; null for a test. */
  event: number | null;
}

/** A channel as it was when the delivery was leased, with the address of its account and the event. */
type Recipient = ChannelRow & { email: string; body: string | null };

/** A delivery after its attempt. `recipient` is undefined if nothing was sent, because the channel or the event no longer exists. */
interface Ended {
  delivery: Delivery;
  recipient: Recipient | undefined;
  outcome: DeliveryOutcome;
  /** How long the attempt took. */
  ms: number;
}

/** How many posts may be under way at once, and how many mails. */
const MAX_UNDER_WAY = { posts: 512, mails: 16 };
const BATCH = 128;
/** Twice the time of the slowest delivery, a mail. */
const LEASE_MS = 60_000;
/** An event is raised and its deliveries begin within two intervals. */
const INTERVAL_MS = 400;
/** On shutdown: how long deliveries may take to finish, and then to abort. */
const GRACE_MS = 3000;
const MAX_RETRY_AFTER_MS = 86_400_000;

export class Alerts {
  readonly #options: AlertOptions;
  readonly #runner: Runner;
  readonly #underWay = new Map<Promise<void>, ChannelName>();
  readonly #interrupt = new AbortController();
  readonly #ended: Ended[] = [];

  constructor(options: AlertOptions) {
    this.#options = options;
    const { log, interval = INTERVAL_MS } = options;
    setMaxListeners(0, this.#interrupt.signal);
    const steps = [() => this.#settle(), createRaiser(options), () => this.#begin()];
    this.#runner = runJobs(steps, { interval, log, message: 'alerts failed, and will be retried' });
  }

  /** Waits for the deliveries under way, or leaves them to other gateways. */
  async close(): Promise<void> {
    await this.#runner.close();
    const all = Promise.all(this.#underWay.keys());
    await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
    this.#interrupt.abort();
    await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
    try {
      while (await this.#settle());
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Starts due deliveries. @returns whether there may be more */
  async #begin(): Promise<boolean> {
    const { store, mailer } = this.#options;
    const mails = [...this.#underWay.values()].filter((channel) => channel === 'mail').length;
    const begin = async (where: string, most: number) => {
      const limit = Math.min(BATCH, most);
      if (limit <= 0) return false;
      const leased = await lease<Delivery>(store, 'deliveries', { lease: LEASE_MS, limit, where });
      for (const delivery of leased) this.#start(delivery);
      return leased.length === BATCH;
    };
    if (mailer) await begin("channel = 'mail'", MAX_UNDER_WAY.mails - mails);
    return await begin("channel <> 'mail'", MAX_UNDER_WAY.posts - (this.#underWay.size - mails));
  }

  #start(delivery: Delivery): void {
    const { channel } = delivery;
    const done = this.#attempt(delivery)
      .catch((error: unknown) => {
        // The delivery stays leased, and is tried again when the lease ends.
        this.#options.log.error('a delivery failed', { channel, error: describeError(error) });
      })
      .finally(() => {
        this.#underWay.delete(done);
        this.#runner.wake();
      });
    this.#underWay.set(done, channel);
  }

  /** Sends a delivery, unless its account is no longer Pro or has turned the channel off. */
  async #attempt(delivery: Delivery): Promise<void> {
    const { store, log, now } = this.#options;
    const { account, channel, attempts: attempt } = delivery;
    const recipient = await store.get<Recipient>(
      `SELECT channels.*, accounts.email, events.body FROM channels JOIN accounts ON accounts.id = channels.account
       LEFT JOIN events ON events.position = $1 WHERE account = $2 AND kind = $3 AND disabled_at IS NULL
         AND tier = 'pro' AND (pro_until IS NULL OR pro_until > $4) AND (events.body IS NOT NULL OR $1 = 0)`,
      [delivery.event ?? 0, account, channel, store.now()],
    );
    const begun = performance.now();
    const outcome: DeliveryOutcome = recipient
      ? await this.#send(readEvent(recipient.body, delivery.id, now()), channel, recipient)
      : { kind: 'interrupted' };
    this.#ended.push({ delivery, recipient, outcome, ms: Math.round(performance.now() - begun) });
    if (outcome.kind === 'delivered' || outcome.kind === 'interrupted') return;
    const error = (outcome.kind === 'failed' && outcome.cause) || outcome.detail;
    log.error('an alert could not be sent', { channel, account, attempt, outcome: outcome.kind, error });
  }

  async #send(event: GameEvent, channel: ChannelName, recipient: Recipient): Promise<DeliveryOutcome> {
    const { store, mailer, policy, now, publicUrl, hasSite } = this.#options;
    if (channel === 'mail') {
      const failure = await mailer?.send(alertMail(recipient.email, event));
      if (!failure) return { kind: mailer ? 'delivered' : 'interrupted' };
      return { kind: failure.failure === 'refused' ? 'refused' : 'failed', detail: failure.error };
    }
    const chat = chatOf(channel);
    const url = unseal(store, recipient.sealed_address ?? '', recipient.account);
    const secret = readSecret(store, recipient);
    if (url === undefined || !(chat ?? secret))
      return { kind: 'refused', detail: 'its address cannot be read; set it again' };
    const options = { policy, now: now(), signal: this.#interrupt.signal };
    if (chat) {
      const message = writeMessage(event, { publicUrl: publicUrl(), hasSite }, chat);
      const posting = chat.post(url, message, event);
      return await postJson(posting, options, (response) => readChatResponse(chat, response));
    }
    const body = JSON.stringify(event);
    const headers = signWebhook([secret ?? ''], event.id, body, options.now);
    return await postJson({ url, body, headers }, options);
  }

  /** Writes the outcomes of deliveries that have ended, many in one transaction: each transaction waits for the disk. */
  async #settle(): Promise<boolean> {
    const batch = this.#ended.slice(0, BATCH);
    if (batch.length === 0) return false;
    await this.#options.store.transaction(async (sql) => {
      for (const ended of batch) await settleOne(sql, ended);
    });
    this.#ended.splice(0, batch.length);
    return this.#ended.length > 0;
  }
}

/** Counts the deliveries that are due and not begun, by channel. @throws StoreError when the store does not respond */
export async function countDue(store: Store): Promise<Record<string, number>> {
  const rows = await store.all<{ channel: string; due: number }>(
    `SELECT channel, count(*) AS due FROM deliveries
     WHERE done_at IS NULL AND failed_at IS NULL AND due_at <= $1 AND leased_until <= $1 GROUP BY channel`,
    [store.now()],
  );
  const due = new Map(rows.map((row) => [row.channel, row.due]));
  return Object.fromEntries(CHANNELS.map((channel) => [channel, due.get(channel) ?? 0]));
}

const readEvent = (body: string | null, id: string, at: number): GameEvent =>
  body === null ? makeTestEvent(id, at) : (JSON.parse(body) as GameEvent);

async function settleOne(sql: Sql, { delivery, recipient, outcome, ms }: Ended): Promise<void> {
  if (recipient === undefined) {
    await sql.run('DELETE FROM deliveries WHERE id = $1', [delivery.id]);
    return;
  }
  if (outcome.kind === 'interrupted') return await giveBack(sql, 'deliveries', delivery, sql.now());
  // Without a response, the duration is left out: it would reveal the gateway's network to account holders.
  const values = outcome.status === undefined ? [null, null] : [outcome.status, ms];
  await sql.run('UPDATE deliveries SET status = $1, ms = $2 WHERE id = $3', [...values, delivery.id]);
  if (outcome.kind === 'delivered') {
    await complete(sql, 'deliveries', delivery);
    return;
  }
  const { kind, detail: error } = outcome;
  const retryAfter = kind === 'failed' ? Math.min(outcome.retryAfter ?? 0, MAX_RETRY_AFTER_MS) : 0;
  await fail(sql, 'deliveries', delivery, { error, isFinal: kind !== 'failed', retryAfter });
  if (kind === 'gone') await disableChannel(sql, recipient, error);
}

/** Queues a test for an account. A running gateway sends it within a second; `listAttempts` then shows the outcome. */
export async function sendTest(sql: Sql, account: string, channel: ChannelName): Promise<void> {
  const statement =
    'INSERT INTO deliveries (id, account, channel, created_at, due_at) VALUES ($1, $2, $3, $4, $4)';
  await sql.run(statement, [`test-${randomUUID()}`, account, channel, sql.now()]);
}

type AttemptRow = Delivery &
  Record<'status' | 'ms' | 'done_at' | 'failed_at', number | null> &
  Record<'tried_at' | 'due_at', number> &
  Record<'error' | 'body', string | null>;

export type Attempt = Awaited<ReturnType<typeof listAttempts>>[number];

/** Lists the latest deliveries that were tried, each with its last attempt, newest first. Times are ISO 8601 UTC. */
export async function listAttempts(sql: Sql, account: string, limit = 20) {
  const rows = await sql.all<AttemptRow>(
    `SELECT deliveries.*, events.body FROM deliveries LEFT JOIN events ON events.position = deliveries.event
     WHERE account = $1 AND (done_at IS NOT NULL OR error IS NOT NULL) ORDER BY tried_at DESC, deliveries.id DESC LIMIT $2`,
    [account, limit],
  );
  return rows.map((row) => {
    const { status, ms, channel, attempts, tried_at, done_at } = row;
    const { id, type, data } = readEvent(row.body, row.id, tried_at);
    const isLast = done_at !== null || row.failed_at !== null;
    const success = status === null ? 'the mail server accepted it' : `the response had status ${status}`;
    return {
      ...{ at: toIso(tried_at), channel, event: { id, type, game: data.game, build: data.build } },
      // During an attempt, the row still shows the outcome of the previous one.
      attempt: !isLast && row.leased_until > 0 ? attempts - 1 : attempts,
      outcome: done_at === null ? 'failed' : 'delivered',
      detail: done_at === null ? (row.error ?? '') : success,
      next_at: isLast ? null : toIsoOrNull(row.due_at),
      ...(status !== null && ms !== null && { status, ms }),
    };
  });
}
