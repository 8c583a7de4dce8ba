// Alerts: an occurrence in a game that is due becomes one event, with a delivery for each channel of the accounts that follow it. Deliveries are rows
// that gateways lease and send. The gateways that share a store share this work; each delivery is made by one of them.

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileRef } from '../../../scripts/format/dist-format.ts';
import { signWebhook } from '../../../scripts/notices/webhook-signature.ts';
import type { Catalog } from '../../data/catalog.ts';
import { DistError, readDistFile } from '../../data/dist-files.ts';
import { toIso, toIsoOrNull } from '../../store/accounts.ts';
import { readMeta, setMeta } from '../../store/open.ts';
import { complete, fail, giveBack, type Leased, lease } from '../../store/queues.ts';
import { unseal } from '../../store/secrets.ts';
import type { Sql, Store } from '../../store/sql.ts';
import { describeError, type Runner, runJobs } from '../jobs.ts';
import type { Mailer } from '../mailer.ts';
import type { Needs } from '../people.ts';
import {
  ALL_GAMES,
  CHANNELS,
  type ChannelName,
  type ChannelRow,
  chatOf,
  disableChannel,
  NEW_GAMES,
  readSecret,
} from './channels.ts';
import {
  describeOccurrence,
  type GameBuilds,
  type GameEvent,
  makeTestEvent,
  type Occurrence,
  occurrencesOf,
} from './event.ts';
import { alertMail, readChatResponse, writeMessage } from './message.ts';
import { type DeliveryOutcome, postJson } from './post.ts';

type RaiserOptions = Needs<'follower' | 'store' | 'log' | 'now'>;

const BEGUN = 'events-begun';

/**
 * Makes a function that raises all due occurrences of a dist/ that no gateway has raised yet. A game that is new to the store becomes one
 * `game.added`, no matter how many builds it has. When a store is used for the first time, all past occurrences count as raised.
 *
 * @returns a function that returns whether there were any
 */
function createRaiser(options: RaiserOptions): () => Promise<boolean> {
  const { follower, store, now } = options;
  let catalog: Catalog | undefined;
  /** The occurrences of each game that may still have to be raised. */
  let waiting = new Map<GameBuilds, readonly Occurrence[]>();
  return async () => {
    const at = now();
    const current = follower.catalog;
    if (catalog !== current) {
      // The last entry of a game in `loaded` is its newest build, which lists all builds.
      const games: GameBuilds[] = [...new Map(current.loaded.map((each) => [each.slug, each])).values()];
      waiting = new Map(games.map((game) => [game, waiting.get(game) ?? occurrencesOf(game)]));
      if (catalog === undefined) await beginEvents(store, waiting, at);
      catalog = current;
    }
    let failure: DistError | undefined;
    let isDone = false;
    for (const [game, occurrences] of waiting) {
      const due = occurrences.filter((each) => each.due <= at);
      if (due.length === 0) continue;
      try {
        await raiseGame(game, due, options);
        isDone = true;
        const later = occurrences.filter((each) => each.due > at);
        waiting.set(game, later);
      } catch (error) {
        if (!(error instanceof DistError)) throw error;
        failure = error;
      }
    }
    if (failure) throw failure;
    return isDone;
  };
}

async function raiseGame(
  game: GameBuilds,
  due: readonly Occurrence[],
  { follower, store, log, now }: RaiserOptions,
): Promise<void> {
  const raised = await findRaised(store, game.slug);
  const fresh = due.filter(({ id }) => !raised.includes(id));
  const wanted = fresh.filter(({ type }) => raised.length > 0 || type === 'game.added');
  const read = (ref: FileRef) => readDistFile(follower.folder, ref);
  const events = await Promise.all(wanted.map((each) => describeOccurrence(each, game, read, now())));
  const added = await store.transaction(async (sql) => {
    // Another gateway may have raised some meanwhile.
    const known = await findRaised(sql, game.slug);
    const own = events.filter(({ id }) => !known.includes(id));
    for (const event of own) await addEvent(sql, event);
    await addRaised(sql, game.slug, fresh);
    return own;
  });
  for (const { id, type, data } of added) log.info('event', { id, type, game: data.game, build: data.build });
}

async function beginEvents(
  store: Store,
  games: ReadonlyMap<GameBuilds, readonly Occurrence[]>,
  now: number,
): Promise<void> {
  await store.transaction(async (sql) => {
    if ((await readMeta(sql, BEGUN)) !== undefined) return;
    await setMeta(sql, BEGUN, String(sql.now()));
    for (const [{ slug }, occurrences] of games) {
      const past = occurrences.filter(({ due }) => due <= now);
      await addRaised(sql, slug, past);
    }
  });
}

/** Returns the ids of the occurrences that were raised or passed over; none for a game that is new to the store. */
async function findRaised(sql: Sql, slug: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>('SELECT id FROM occurrences WHERE game = $1', [slug]);
  return rows.map(({ id }) => id);
}

async function addRaised(sql: Sql, slug: string, occurrences: readonly Occurrence[]): Promise<void> {
  for (const { id } of occurrences)
    await sql.run('INSERT INTO occurrences (game, id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [slug, id]);
}

/** Adds an event with one delivery per channel of the Pro accounts that follow it. SQLite takes about 200 ms for 10,000 of them. */
async function addEvent(sql: Sql, event: GameEvent): Promise<void> {
  const { id, type, timestamp, data } = event;
  const now = sql.now();
  const last = await sql.get<{ position: number | null }>('SELECT max(position) AS position FROM events');
  const position = (last?.position ?? 0) + 1;
  await sql.run(
    'INSERT INTO events (position, id, game, type, at, body, raised_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [position, id, data.game, type, Date.parse(timestamp), JSON.stringify(event), now],
  );
  const kinds = CHANNELS.map((channel) => `'${channel}'`).join(', ');
  await sql.run(
    `INSERT INTO deliveries (id, account, channel, event, created_at, due_at)
     SELECT CAST($1 AS TEXT) || ':' || channels.account || ':' || channels.kind, channels.account, channels.kind,
       CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($3 AS BIGINT)
     FROM channels JOIN accounts ON accounts.id = channels.account
     WHERE channels.kind IN (${kinds}) AND channels.disabled_at IS NULL
       AND accounts.tier = 'pro' AND (accounts.pro_until IS NULL OR accounts.pro_until > $3)
       AND EXISTS (SELECT 1 FROM follows WHERE follows.account = channels.account AND topic IN ($4, $5, $6))`,
    [id, position, now, ALL_GAMES, type === 'game.added' ? NEW_GAMES : ALL_GAMES, data.game],
  );
}

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

/** How many deliveries may be under way at once. */
const MAX_UNDER_WAY = 128;
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
  readonly #underWay = new Set<Promise<void>>();
  readonly #interrupt = new AbortController();

  constructor(options: AlertOptions) {
    this.#options = options;
    const { log, interval = INTERVAL_MS } = options;
    setMaxListeners(0, this.#interrupt.signal);
    const steps = [createRaiser(options), () => this.#begin()];
    this.#runner = runJobs(steps, { interval, log, message: 'alerts failed, and will be retried' });
  }

  /** Waits for the deliveries under way, or leaves them to other gateways. */
  async close(): Promise<void> {
    await this.#runner.close();
    const all = Promise.all(this.#underWay);
    await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
    this.#interrupt.abort();
    await Promise.race([all, sleep(GRACE_MS, undefined, { ref: false })]);
  }

  /** Starts due deliveries. @returns whether there may be more */
  async #begin(): Promise<boolean> {
    const { store, mailer } = this.#options;
    const limit = MAX_UNDER_WAY - this.#underWay.size;
    if (limit === 0) return false;
    const where = mailer ? '' : "channel <> 'mail'";
    const leased = await lease<Delivery>(store, 'deliveries', { lease: LEASE_MS, limit, where });
    for (const delivery of leased) this.#start(delivery);
    return leased.length === limit;
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
      });
    this.#underWay.add(done);
  }

  /** Sends a delivery, unless its account is no longer Pro or has turned the channel off. */
  async #attempt(delivery: Delivery): Promise<void> {
    const { store, log, now } = this.#options;
    const { id, account, channel, attempts: attempt } = delivery;
    const recipient = await store.get<Recipient>(
      `SELECT channels.*, accounts.email, events.body FROM channels JOIN accounts ON accounts.id = channels.account
       LEFT JOIN events ON events.position = $1 WHERE account = $2 AND kind = $3 AND disabled_at IS NULL
         AND tier = 'pro' AND (pro_until IS NULL OR pro_until > $4) AND (events.body IS NOT NULL OR $1 = 0)`,
      [delivery.event ?? 0, account, channel, store.now()],
    );
    // If power fails before an outcome is on the disk, the delivery is made again: receivers know an event by its id.
    const { fast } = store;
    if (recipient === undefined) return void (await fast.run('DELETE FROM deliveries WHERE id = $1', [id]));
    const outcome = await this.#send(readEvent(recipient.body, id, now()), channel, recipient);
    if (outcome.kind === 'interrupted') return await giveBack(fast, 'deliveries', delivery, store.now());
    if (outcome.kind === 'delivered') return void (await complete(fast, 'deliveries', delivery));
    const { kind, detail } = outcome;
    const retryAfter = kind === 'failed' ? Math.min(outcome.retryAfter ?? 0, MAX_RETRY_AFTER_MS) : 0;
    await fail(fast, 'deliveries', delivery, { error: detail, isFinal: kind !== 'failed', retryAfter });
    if (kind === 'gone') await store.transaction((sql) => disableChannel(sql, recipient, detail));
    const error = (kind === 'failed' && outcome.cause) || detail;
    log.error('an alert could not be sent', { channel, account, attempt, outcome: kind, error });
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
      const message = writeMessage(event, { publicUrl: publicUrl(), hasSite });
      const posting = chat.post(url, message, event);
      return await postJson(posting, options, (response) => readChatResponse(chat, response));
    }
    const body = JSON.stringify(event);
    const headers = signWebhook([secret ?? ''], event.id, body, options.now);
    return await postJson({ url, body, headers }, options);
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

/** Queues a test for an account. A running gateway sends it within a second; `listAttempts` then shows the outcome. */
export async function sendTest(sql: Sql, account: string, channel: ChannelName): Promise<void> {
  const statement =
    'INSERT INTO deliveries (id, account, channel, created_at, due_at) VALUES ($1, $2, $3, $4, $4)';
  await sql.run(statement, [`test-${randomUUID()}`, account, channel, sql.now()]);
}

type AttemptRow = Delivery &
  Record<'done_at' | 'failed_at', number | null> &
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
    const { channel, attempts, tried_at, done_at } = row;
    const { id, type, data } = readEvent(row.body, row.id, tried_at);
    const isLast = done_at !== null || row.failed_at !== null;
    return {
      ...{ at: toIso(tried_at), channel, event: { id, type, game: data.game, build: data.build } },
      // During an attempt, the row still shows the outcome of the previous one.
      attempt: !isLast && row.leased_until > 0 ? attempts - 1 : attempts,
      outcome: done_at === null ? 'failed' : 'delivered',
      detail: row.error ?? '',
      next_at: isLast ? null : toIsoOrNull(row.due_at),
    };
  });
}
