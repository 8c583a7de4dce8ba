import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { FileRef } from '../../../scripts/format/dist-format.ts';
import type { Catalog } from '../../data/catalog.ts';
import { DistError, readDistFile } from '../../data/dist-files.ts';
import type { DistFollower } from '../../data/follow-dist.ts';
import type { Log } from '../../http/log.ts';
import { readMeta, setMeta } from '../../store/open.ts';
import { complete, lease, type Leased } from '../../store/queues.ts';
import type { Sql, Store } from '../../store/sql.ts';
import {
  describeOccurrence,
  type GameBuilds,
  type GameEvent,
  idsOf,
  type Occurrence,
  occurrencesOf,
} from './event.ts';
import { ALL_GAMES, CHANNELS, NEW_GAMES, type Topic } from './channels.ts';

/** Options of a `Raiser`. */
export interface RaiserOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
}

/** A game, and its occurrences that may still have to be raised, the one that is due first at the beginning. */
interface PlannedGame {
  game: GameBuilds;
  waiting: readonly Occurrence[];
}

/**
 * Raises the due occurrences of a dist/ as events. A game that is new to the store becomes one `game.added`, however many builds it
 * already has.
 */
export class Raiser {
  readonly #options: RaiserOptions;
  #catalog: Catalog | undefined;
  #games = new Map<string, PlannedGame>();
  #reported = '';

  constructor(options: RaiserOptions) {
    this.#options = options;
  }

  /** Raises all due occurrences that no gateway has raised yet. @returns whether there were any */
  async raise(): Promise<boolean> {
    await this.#plan();
    const now = this.#options.now();
    let isDone = false;
    for (const planned of this.#games.values()) {
      const due = planned.waiting.filter((occurrence) => occurrence.due <= now);
      if (due.length === 0) continue;
      try {
        if (!(await this.#raiseGame(planned.game, due))) continue;
      } catch (error) {
        if (!(error instanceof DistError)) throw error;
        if (this.#reported !== error.message)
          this.#options.log.error('cannot raise an event yet', { error: error.message });
        this.#reported = error.message;
        continue;
      }
      planned.waiting = planned.waiting.slice(due.length);
      isDone = true;
    }
    return isDone;
  }

  /** Plans the games of a new catalog. Those that did not change stay as they are planned. */
  async #plan(): Promise<void> {
    const { follower, store, now } = this.#options;
    const { catalog } = follower;
    if (this.#catalog === catalog) return;
    const games = new Map<string, PlannedGame>();
    // The last entry of a game in `loaded` is its newest build, which lists all builds.
    for (const [slug, game] of new Map<string, GameBuilds>(catalog.loaded.map((each) => [each.slug, each]))) {
      const before = this.#games.get(slug);
      if (before?.game === game) {
        games.set(slug, before);
        continue;
      }
      games.set(slug, { game, waiting: occurrencesOf(game) });
      // Each occurrence gets an id, which takes some µs.
      await setImmediate();
    }
    if (this.#catalog === undefined) await beginEvents(store, games, now());
    this.#catalog = catalog;
    this.#games = games;
  }

  /** @returns whether all due occurrences of a game are done now */
  async #raiseGame(game: GameBuilds, due: readonly Occurrence[]): Promise<boolean> {
    const { follower, store, log, now } = this.#options;
    const raised = await findRaised(store, game.slug);
    const fresh = due.filter((occurrence) => !idsOf(occurrence).some((id) => raised?.includes(id)));
    if (fresh.length === 0) return true;
    const wanted = fresh.filter(({ type }) => raised !== undefined || type === 'game.added');
    const read = (ref: FileRef) => readDistFile(follower.folder, ref);
    const events = await Promise.all(wanted.map((each) => describeOccurrence(each, game, read, now())));
    const passed = fresh.flatMap(idsOf).filter((id) => !events.some((event) => event.id === id));
    if (!(await raiseEvents(store, game.slug, raised, { events, passed }))) return false;
    for (const { id, type, data } of events)
      log.info('event', { id, type, game: data.game, build: data.build });
    return true;
  }
}

/** Marks all past occurrences as done when a store is used for the first time, so that no old event is raised. Does nothing later. */
async function beginEvents(
  store: Store,
  games: ReadonlyMap<string, PlannedGame>,
  now: number,
): Promise<void> {
  await store.transaction(async (sql) => {
    if ((await readMeta(sql, BEGUN)) !== undefined) return;
    await setMeta(sql, BEGUN, String(sql.now()));
    for (const [slug, { waiting }] of games)
      await addOccurrences(sql, slug, waiting.filter(({ due }) => due <= now).flatMap(idsOf));
  });
}

const BEGUN = 'events-begun';

/** Returns the ids of a game's occurrences that are done; undefined for a game that is new to the store. */
async function findRaised(sql: Sql, slug: string): Promise<string[] | undefined> {
  const rows = await sql.all<{ id: string }>('SELECT id FROM occurrences WHERE game = $1 ORDER BY id', [
    slug,
  ]);
  return rows.length === 0 ? undefined : rows.map(({ id }) => id);
}

async function addOccurrences(sql: Sql, slug: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await sql.run('INSERT INTO occurrences (game, id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [slug, id]);
}

/**
 * Adds events of a game and the jobs that make their deliveries. When several gateways raise the same events, one succeeds.
 *
 * @param known what `findRaised` returned when the events were chosen
 * @param passed ids of occurrences to mark as done without an event
 * @returns false when another gateway has raised events of the game since; then nothing is written
 */
async function raiseEvents(
  store: Store,
  slug: string,
  known: readonly string[] | undefined,
  { events, passed }: { events: readonly GameEvent[]; passed: readonly string[] },
): Promise<boolean> {
  return await store.transaction(async (sql) => {
    if (JSON.stringify(await findRaised(sql, slug)) !== JSON.stringify(known)) return false;
    const now = sql.now();
    let position = Number((await readMeta(sql, LAST)) ?? 0);
    for (const event of events) {
      position += 1;
      await sql.run(
        'INSERT INTO events (position, id, game, type, at, body, raised_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
        [position, event.id, slug, event.type, Date.parse(event.timestamp), JSON.stringify(event), now],
      );
      await addFanOut(sql, { event: position, topics: topicsOf(event), after: '' });
    }
    await setMeta(sql, LAST, String(position));
    await addOccurrences(sql, slug, [...events.map(({ id }) => id), ...passed]);
    return true;
  });
}

const LAST = 'last-event';

/** Returns the topics that an event belongs to. */
function topicsOf({ type, data }: GameEvent): Topic[] {
  return [ALL_GAMES, ...(type === 'game.added' ? [NEW_GAMES] : []), data.game];
}

/** A job: how far the deliveries of an event are made. */
interface FanOut {
  event: number;
  topics: readonly Topic[];
  /** The last account that is done; empty before the first. */
  after: string;
}

/** How many followers one transaction handles, and how long it may take. */
const PAGE = 500;
const LEASE_MS = 60_000;

async function addFanOut(sql: Sql, job: FanOut): Promise<void> {
  const now = sql.now();
  await sql.run(
    "INSERT INTO jobs (id, kind, content, created_at, due_at) VALUES ($1, 'fan-out', $2, $3, $4)",
    [randomUUID(), JSON.stringify(job), ...[now, now]],
  );
}

/**
 * Makes the deliveries of an event to a page of its followers. The page and the progress are written in one transaction, so that each follower
 * gets one delivery a channel also when a process dies.
 *
 * @returns whether there was an event
 */
export async function fanOutNext(store: Store): Promise<boolean> {
  const [held] = await lease<Leased & { content: string }>(store, 'jobs', {
    ...{ lease: LEASE_MS, limit: 1, where: "kind = 'fan-out'" },
  });
  if (!held) return false;
  const job = JSON.parse(held.content) as FanOut;
  await store.transaction(async (sql) => {
    if (!(await complete(sql, 'jobs', held))) return;
    const accounts = await sql.all<{ account: string }>(
      `SELECT DISTINCT account FROM follows WHERE topic IN ($1, $2, $3) AND account > $4 ORDER BY account LIMIT ${PAGE}`,
      [...[0, 1, 2].map((index) => job.topics[index] ?? ALL_GAMES), job.after],
    );
    const last = accounts.at(-1)?.account;
    if (last === undefined) return;
    await addDeliveries(sql, job, last);
    if (accounts.length === PAGE) await addFanOut(sql, { ...job, after: last });
  });
  return true;
}

/** Adds the deliveries to the Pro accounts that follow an event, after one account up to another. */
async function addDeliveries(sql: Sql, { event, topics, after }: FanOut, last: string): Promise<void> {
  const kinds = CHANNELS.map((channel) => `'${channel}'`).join(', ');
  await sql.run(
    `INSERT INTO deliveries (id, account, channel, event, created_at, due_at)
     SELECT CAST($1 AS TEXT) || ':' || channels.account || ':' || channels.kind, channels.account, channels.kind,
       CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($3 AS BIGINT)
     FROM channels JOIN accounts ON accounts.id = channels.account
     WHERE channels.kind IN (${kinds}) AND channels.disabled_at IS NULL
       AND accounts.tier = 'pro' AND (accounts.pro_until IS NULL OR accounts.pro_until > $3)
       AND channels.account > $4 AND channels.account <= $5
       AND EXISTS (SELECT 1 FROM follows WHERE follows.account = channels.account AND topic IN ($6, $7, $8))
     ON CONFLICT DO NOTHING`,
    [String(event), event, sql.now(), after, last, ...[0, 1, 2].map((index) => topics[index] ?? ALL_GAMES)],
  );
}

/** Lists the newest events of an account's topics, the newest first. */
export async function eventsFor(sql: Sql, account: string, limit: number): Promise<GameEvent[]> {
  const rows = await sql.all<{ body: string }>(
    `SELECT body FROM events WHERE EXISTS (
       SELECT 1 FROM follows WHERE account = $1
         AND (topic = $2 OR topic = events.game OR (topic = $3 AND events.type = 'game.added'))
     ) ORDER BY position DESC LIMIT $4`,
    [account, ALL_GAMES, NEW_GAMES, limit],
  );
  return rows.map(({ body }) => JSON.parse(body) as GameEvent);
}
