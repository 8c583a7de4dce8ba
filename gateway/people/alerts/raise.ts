import type { FileRef } from '../../../scripts/format/dist-format.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { DistError, readDistFile } from '../../catalog/dist-folder.ts';
import type { DistFollower } from '../../catalog/follow-dist.ts';
import type { Log } from '../../log/log.ts';
import type { Store } from '../../store/store.ts';
import { describeOccurrence, type GameEvent } from './event.ts';
import { beginEvents, findRaised, raiseEvents } from './event-log.ts';
import { type GameBuilds, idsOf, type Occurrence, occurrencesOf } from './occurrence.ts';

/** Options of a `Raiser`. */
export interface RaiserOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
}

/** The games of a catalog, and the occurrences that may still have to be raised. */
interface Plan {
  catalog: Catalog;
  games: ReadonlyMap<string, GameBuilds>;
  waiting: Occurrence[];
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
    const due = plan.waiting.filter((occurrence) => occurrence.due <= now);
    if (due.length === 0) return false;
    const done = await this.#raiseDue(plan, due);
    plan.waiting = plan.waiting.filter((each) => !due.includes(each) || !done.has(each.slug));
    return done.size > 0;
  }

  async #planAhead(): Promise<Plan> {
    const { catalog } = this.#follower;
    if (this.#plan?.catalog !== catalog) this.#plan = await planAhead(catalog, this.#store, this.#now());
    return this.#plan;
  }

  /** @returns the slugs of the games of which no due occurrence is left to raise */
  async #raiseDue({ games }: Plan, due: readonly Occurrence[]): Promise<Set<string>> {
    const slugs = [...new Set(due.map(({ slug }) => slug))];
    const raised = await findRaised(this.#store, slugs);
    const done = new Set<string>();
    for (const [index, slug] of slugs.entries()) {
      const game = games.get(slug) as GameBuilds;
      const dueHere = due.filter((occurrence) => occurrence.slug === slug);
      if (await this.#tryGame(game, dueHere, raised[index])) done.add(slug);
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

async function planAhead(catalog: Catalog, store: Store, now: number): Promise<Plan> {
  // The last entry of a game in `loaded` is its newest build, which lists all builds.
  const games = new Map<string, GameBuilds>(catalog.loaded.map((game) => [game.slug, game]));
  const all = [...games.values()].map((game): [string, Occurrence[]] => [game.slug, occurrencesOf(game)]);
  const past = all.map(([slug, occurrences]): [string, string[]] => [
    slug,
    occurrences.filter(({ due }) => due <= now).flatMap(idsOf),
  ]);
  await beginEvents(store, new Map(past), now);
  return { catalog, games, waiting: all.flatMap(([, occurrences]) => occurrences) };
}
