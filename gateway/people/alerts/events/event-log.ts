import type { Store } from '../../../store/sql.ts';
import { table, transact } from '../../../store/records.ts';
import { find, findAll, listPage } from '../../../store/records.ts';
import type { GameEvent } from './event.ts';
import { addFanOut } from '../fan-out-queue.ts';

/** Position in the log, 12 digits → event. */
const LOG = table<GameEvent>('event');
/** `last` → the position of the newest event. */
const POSITIONS = table<number>('event-position');
const LAST = 'last';
/** Slug → the ids of the game's occurrences that are done: raised as events, or passed over. */
const RAISED = table<readonly string[]>('events-raised');
/** `first` → when events began to be raised on this store, ISO 8601 UTC. */
const BEGINNING = table<string>('events-beginning');
const FIRST = 'first';

/** How long events stay readable for streams that resume, feeds and retried deliveries. */
const KEEP_MS = 90 * 86_400_000;
const POSITION_DIGITS = 12;

/** An event and its position in the log; later events have higher positions. */
export interface LoggedEvent {
  position: number;
  event: GameEvent;
}

/**
 * Marks all past occurrences as done when a store is used for the first time, so that no old event is raised. Does nothing later.
 *
 * @param games the ids of each game's past occurrences, by slug; also games without any
 */
export async function beginEvents(
  store: Store,
  games: ReadonlyMap<string, readonly string[]>,
  now: number,
): Promise<void> {
  await transact(store, async (transaction) => {
    if ((await transaction.read(BEGINNING, FIRST)) !== undefined) return;
    await transaction.put(BEGINNING, FIRST, new Date(now).toISOString());
    for (const [slug, ids] of games) await transaction.put(RAISED, slug, ids);
  });
}

/** Returns, for each game, the ids of the occurrences that are done; undefined for a game that is new to the store. */
export async function findRaised(
  store: Store,
  slugs: readonly string[],
): Promise<(readonly string[] | undefined)[]> {
  return await findAll(store, RAISED, slugs);
}

/**
 * Appends events of a game to the log and queues their fan-out. When several gateways raise the same events, one succeeds.
 *
 * @param known what `findRaised` returned for the game when the events were chosen
 * @param passed ids of occurrences to mark as done without an event
 * @returns false when another gateway has raised events of the game since; then nothing is written
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
    const raised = await transaction.read(RAISED, slug);
    if (JSON.stringify(raised) !== JSON.stringify(known)) return false;
    let position = (await transaction.read(POSITIONS, LAST)) ?? 0;
    for (const event of events) {
      position += 1;
      await transaction.put(LOG, describePosition(position), event, now + KEEP_MS);
      await addFanOut(transaction, position, now);
    }
    await transaction.put(POSITIONS, LAST, position);
    await transaction.put(RAISED, slug, [...(raised ?? []), ...events.map(({ id }) => id), ...passed]);
    return true;
  });
}

/** Returns the position of the newest event; 0 before the first one. */
export async function lastPosition(store: Store): Promise<number> {
  return (await find(store, POSITIONS, LAST)) ?? 0;
}

/** Finds an event by its position. */
export async function findEvent(store: Store, position: number): Promise<GameEvent | undefined> {
  return await find(store, LOG, describePosition(position));
}

/** Lists events after a position, the oldest first. */
export async function listEvents(store: Store, after: number, limit: number): Promise<LoggedEvent[]> {
  const page = await listPage(store, LOG, { after: describePosition(after), limit });
  return page.map(([position, event]) => ({ position: Number(position), event }));
}

function describePosition(position: number): string {
  return String(position).padStart(POSITION_DIGITS, '0');
}
