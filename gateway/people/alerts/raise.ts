// Raises occurrences: each one that is due becomes one event, with a delivery for each channel of the accounts that follow it.
import type { FileRef } from '../../../scripts/format/dist-format.ts';
import type { Catalog } from '../../data/catalog.ts';
import { DistError, readDistFile } from '../../data/dist-files.ts';
import { readMeta, setMeta } from '../../store/open.ts';
import type { Sql, Store } from '../../store/sql.ts';
import type { Needs } from '../people.ts';
import { ALL_GAMES, CHANNELS, NEW_GAMES } from './channels.ts';
import {
  describeOccurrence,
  type GameBuilds,
  type GameEvent,
  type Occurrence,
  occurrencesOf,
} from './event.ts';

export type RaiserOptions = Needs<'follower' | 'store' | 'log' | 'now'>;

const BEGUN = 'events-begun';

/**
 * Makes a function that raises all due occurrences of a dist/ that no gateway has raised yet. A game that is new to the store becomes one
 * `game.added`, no matter how many builds it has. When a store is used for the first time, all past occurrences count as raised.
 *
 * @returns a function that returns whether there were any, and throws a DistError when a file cannot be read, after the other games have been raised
 */
export function createRaiser(options: RaiserOptions): () => Promise<boolean> {
  const { follower, store, now } = options;
  let catalog: Catalog | undefined;
  /** The occurrences of each game that may still have to be raised. */
  let waiting = new Map<GameBuilds, readonly Occurrence[]>();
  return async () => {
    const at = now();
    if (catalog !== follower.catalog) {
      const { loaded } = follower.catalog;
      // The last entry of a game in `loaded` is its newest build, which lists all builds.
      const games: GameBuilds[] = [...new Map(loaded.map((each) => [each.slug, each])).values()];
      waiting = new Map(games.map((game) => [game, waiting.get(game) ?? occurrencesOf(game)]));
      if (catalog === undefined) await beginEvents(store, waiting, at);
      catalog = follower.catalog;
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
  for (const { id, type, data } of added)
    log.info('event', { id, type, game: data.game, build: data.build });
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
