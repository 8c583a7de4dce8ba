import { setImmediate } from 'node:timers/promises';
import type { FileRef } from '../../../../scripts/format/dist-format.ts';
import type { Catalog } from '../../../data/catalog.ts';
import { DistError, readDistFile } from '../../../data/dist-folder.ts';
import type { DistFollower } from '../../../data/follow-dist.ts';
import type { Log } from '../../../http/log.ts';
import type { Store } from '../../../store/sql.ts';
import { describeOccurrence, type GameEvent } from './event.ts';
import { beginEvents, findRaised, raiseEvents } from './event-log.ts';
import { type GameBuilds, idsOf, type Occurrence, occurrencesOf } from './occurrence.ts';

/** How many games are looked at, and how many occurrences get an id, in one tick of the event loop: each takes some µs. */
const GAMES_PER_TICK = 50;
const HASHED_PER_TICK = 500;

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

/** The games of a catalog, by slug. */
interface Plan {
  catalog: Catalog;
  games: ReadonlyMap<string, PlannedGame>;
}

/**
 * Raises the due occurrences of a dist/ as events. A game that is new to the store becomes one `game.added`, however many builds it
 * already has.
 */
export class Raiser {
  readonly #follower: DistFollower;
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  #plan: Plan | undefined;
  #reported = '';

  constructor({ follower, store, log, now }: RaiserOptions) {
    this.#follower = follower;
    this.#store = store;
    this.#log = log;
    this.#now = now;
  }

  /** Raises all due occurrences that no gateway has raised yet. @returns whether there were any */
  async raise(): Promise<boolean> {
    const plan = await this.#planAhead();
    const now = this.#now();
    const due = [...plan.games.values()].filter(({ waiting: [first] }) => first && first.due <= now);
    if (due.length === 0) return false;
    return (await this.#raiseDue(due, now)) > 0;
  }

  async #planAhead(): Promise<Plan> {
    const { catalog } = this.#follower;
    if (this.#plan?.catalog !== catalog)
      this.#plan = await planAhead(catalog, this.#plan, this.#store, this.#now());
    return this.#plan;
  }

  /** @returns of how many games no due occurrence is left to raise */
  async #raiseDue(games: readonly PlannedGame[], now: number): Promise<number> {
    const slugs = games.map(({ game }) => game.slug);
    const raised = await findRaised(this.#store, slugs);
    let done = 0;
    for (const [index, planned] of games.entries()) {
      const due = planned.waiting.filter((occurrence) => occurrence.due <= now);
      if (!(await this.#tryGame(planned.game, due, raised[index]))) continue;
      planned.waiting = planned.waiting.slice(due.length);
      done += 1;
      if (index % GAMES_PER_TICK === 0) await setImmediate();
    }
    return done;
  }

  /** Calls `#raiseGame`; when a file cannot be read, logs it and returns false. */
  async #tryGame(
    game: GameBuilds,
    due: readonly Occurrence[],
    raised: readonly string[] | undefined,
  ): Promise<boolean> {
    try {
      return await this.#raiseGame(game, due, raised);
    } catch (error) {
      if (!(error instanceof DistError)) throw error;
      this.#reportOnce(error);
      return false;
    }
  }

  /**
   * @param raised ids of the game's done occurrences; undefined for a game that is new to the store
   * @returns whether all are done now
   */
  async #raiseGame(
    game: GameBuilds,
    due: readonly Occurrence[],
    raised: readonly string[] | undefined,
  ): Promise<boolean> {
    const fresh = due.filter((occurrence) => !idsOf(occurrence).some((id) => raised?.includes(id)));
    if (fresh.length === 0) return true;
    const wanted = fresh.filter(({ type }) => raised !== undefined || type === 'game.added');
    const events = await this.#describeAll(wanted, game);
    const passed = fresh.flatMap(idsOf).filter((id) => !events.some((event) => event.id === id));
    const isDone = await raiseEvents(this.#store, game.slug, raised, events, passed, this.#now());
    if (isDone) this.#logEvents(events);
    return isDone;
  }

  async #describeAll(occurrences: readonly Occurrence[], game: GameBuilds): Promise<GameEvent[]> {
    const read = (ref: FileRef) => readDistFile(this.#follower.folder, ref);
    return await Promise.all(
      occurrences.map((occurrence) => describeOccurrence(occurrence, game, read, this.#now())),
    );
  }

  #logEvents(events: readonly GameEvent[]): void {
    for (const { id, type, data } of events)
      this.#log.info('event', { id, type, game: data.game, build: data.build });
  }

  #reportOnce({ message }: DistError): void {
    if (this.#reported !== message) this.#log.error('cannot raise an event yet', { error: message });
    this.#reported = message;
  }
}

/** Plans the games of a catalog. Those that did not change since the last plan are taken from it. */
async function planAhead(catalog: Catalog, last: Plan | undefined, store: Store, now: number): Promise<Plan> {
  // The last entry of a game in `loaded` is its newest build, which lists all builds.
  const newest = new Map<string, GameBuilds>(catalog.loaded.map((game) => [game.slug, game]));
  const games = new Map<string, PlannedGame>();
  let hashed = 0;
  await setImmediate();
  for (const [slug, game] of newest) {
    const gameBefore = last?.games.get(slug);
    const planned = gameBefore?.game === game ? gameBefore : { game, waiting: occurrencesOf(game) };
    games.set(slug, planned);
    if (planned === gameBefore) continue;
    hashed += planned.waiting.length;
    if (hashed < HASHED_PER_TICK) continue;
    hashed = 0;
    await setImmediate();
  }
  if (last === undefined) await beginEvents(store, pastOf(games.values(), now), now);
  return { catalog, games };
}

/** The ids of past occurrences, by slug. */
function pastOf(games: Iterable<PlannedGame>, now: number): Map<string, string[]> {
  const past = [...games].map(({ game, waiting }): [string, string[]] => [
    game.slug,
    waiting.filter(({ due }) => due <= now).flatMap(idsOf),
  ]);
  return new Map(past);
}
