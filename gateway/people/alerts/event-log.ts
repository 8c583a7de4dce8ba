import type { Store } from '../../store/store.ts';
import { find, findAll, table, transact } from '../../store/transaction.ts';
import type { GameEvent } from './event.ts';
import { addFanOut } from './fan-out-queue.ts';

/** Position in the log, of 12 digits → event. */
const LOG = table<GameEvent>('event');
/** `last` → the position of the newest event. */
const POSITIONS = table<number>('event-position');
const LAST = 'last';
/** Slug → the ids of all that has happened to the game, whether it was told or was old when it was first seen. */
const RAISED = table<readonly string[]>('events-raised');
/** `first` → when events began to be raised on this store, ISO 8601 UTC. */
const BEGINNING = table<string>('events-beginning');
const FIRST = 'first';

/** How long events can be read, in ms: by streams that resume, by feeds, and by deliveries that are tried again. */
const KEEP_MS = 90 * 86_400_000;
const POSITION_DIGITS = 12;

/** An event and where it stands in the log: later ones have greater positions. */
export interface LoggedEvent {
  position: number;
  event: GameEvent;
}

/**
 * Makes sure that what is old when a store is used for the first time is never told: all that has happened until then counts as raised.
 *
 * @param games the ids of what has happened, by slug; also those of games to which nothing has yet
 */
export async function beginEvents(
  store: Store,
  games: ReadonlyMap<string, readonly string[]>,
  now: number,
): Promise<void> {
  await transact(store, async (transaction) => {
    if ((await transaction.get(BEGINNING, FIRST)) !== undefined) return;
    transaction.put(BEGINNING, FIRST, new Date(now).toISOString());
    for (const [slug, ids] of games) transaction.put(RAISED, slug, ids);
  });
}

/** What was raised of each of some games; undefined for one that is new to the store. */
export async function findRaised(
  store: Store,
  slugs: readonly string[],
): Promise<(readonly string[] | undefined)[]> {
  return await findAll(store, RAISED, slugs);
}

/**
 * Raises events of a game: puts them at the end of the log, to be fanned out. Of gateways that raise the same, one does.
 *
 * @param known what was raised of it when the events were chosen, as `findRaised` told
 * @param passed ids of what is not to be told
 * @returns false, and nothing is done, where something else was raised of the game meanwhile
 */
export async function raiseEvents(
  store: Store,
  slug: string,
  known: readonly string[] | undefined,
  events: readonly GameEvent[],
  passed: readonly string[],
  now: number,
): Promise<boolean> {
  return await transact(store, async (transaction) => {
    const raised = await transaction.get(RAISED, slug);
    if (JSON.stringify(raised) !== JSON.stringify(known)) return false;
    let position = (await transaction.get(POSITIONS, LAST)) ?? 0;
    for (const event of events) {
      position += 1;
      transaction.put(LOG, describePosition(position), event, now + KEEP_MS);
      addFanOut(transaction, position, now);
    }
    transaction.put(POSITIONS, LAST, position);
    transaction.put(RAISED, slug, [...(raised ?? []), ...events.map(({ id }) => id), ...passed]);
    return true;
  });
}

/** The position of the newest event; 0 where there was none yet. */
export async function lastPosition(store: Store): Promise<number> {
  return (await find(store, POSITIONS, LAST)) ?? 0;
}

/** Finds an event by its position. */
export async function findEvent(store: Store, position: number): Promise<GameEvent | undefined> {
  return await find(store, LOG, describePosition(position));
}

/** Lists events after a position, the oldest first. */
export async function listEvents(store: Store, after: number, limit: number): Promise<LoggedEvent[]> {
  const page = await store.list(LOG.prefix, { after: LOG.prefix + describePosition(after), limit });
  return page.map(([name, text]) => ({
    position: Number(name.slice(LOG.prefix.length)),
    event: JSON.parse(text) as GameEvent,
  }));
}

function describePosition(position: number): string {
  return String(position).padStart(POSITION_DIGITS, '0');
}
