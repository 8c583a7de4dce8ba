import type { FileRef } from '../../../scripts/format/dist-format.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { DistError, readDistFile } from '../../catalog/dist-folder.ts';
import type { DistFollower } from '../../catalog/follow-dist.ts';
import type { Log } from '../../log/log.ts';
import type { Store } from '../../store/store.ts';
import { describeOccurrence, type GameEvent } from './event.ts';
import { beginEvents, findRaised, raiseEvents } from './event-log.ts';
import { type NamedGame, type Occurrence, occurrencesOf } from './occurrence.ts';

/** What a raiser takes. */
export interface RaiserOptions {
  follower: DistFollower;
  store: Store;
  log: Log;
  /** ms since 1970. */
  now: () => number;
}

/** What a catalogue names, and what of it may still have to be raised. */
interface Outlook {
  catalog: Catalog;
  games: ReadonlyMap<string, NamedGame>;
  waiting: Occurrence[];
}

/**
 * Raises what becomes due in a dist/ that is followed. A game that the store does not know yet is raised as a new game, whatever builds it
 * has by then.
 */
export class Raiser {
  readonly #follower: DistFollower;
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  #outlook: Outlook | undefined;
  #reported = '';

  constructor({ follower, store, log, now }: RaiserOptions) {
    this.#follower = follower;
    this.#store = store;
    this.#log = log;
    this.#now = now;
  }

  /** Raises all that is due and was not raised yet, by whatever gateway. @returns whether there was something */
  async raise(): Promise<boolean> {
    const outlook = await this.#lookAhead();
    const now = this.#now();
    const due = outlook.waiting.filter((occurrence) => occurrence.due <= now);
    if (due.length === 0) return false;
    const done = await this.#raiseDue(outlook, due);
    outlook.waiting = outlook.waiting.filter((each) => !due.includes(each) || !done.has(each.slug));
    return done.size > 0;
  }

  async #lookAhead(): Promise<Outlook> {
    const { catalog } = this.#follower;
    if (this.#outlook?.catalog !== catalog)
      this.#outlook = await lookAhead(catalog, this.#store, this.#now());
    return this.#outlook;
  }

  /** @returns the games of which all is raised that is due */
  async #raiseDue({ games }: Outlook, due: readonly Occurrence[]): Promise<Set<string>> {
    const slugs = [...new Set(due.map(({ slug }) => slug))];
    const raised = await findRaised(this.#store, slugs);
    const done = new Set<string>();
    for (const [index, slug] of slugs.entries()) {
      const game = games.get(slug) as NamedGame;
      const dueHere = due.filter((occurrence) => occurrence.slug === slug);
      if (await this.#tryGame(game, dueHere, raised[index])) done.add(slug);
    }
    return done;
  }

  /** As `#raiseGame`; where a file cannot be read, the game waits. */
  async #tryGame(
    game: NamedGame,
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
   * @param raised what was raised of this game, by whatever gateway; undefined where the store does not know it
   * @returns whether all is raised now
   */
  async #raiseGame(
    game: NamedGame,
    due: readonly Occurrence[],
    raised: readonly string[] | undefined,
  ): Promise<boolean> {
    const fresh = due.filter(({ id }) => !raised?.includes(id));
    if (fresh.length === 0) return true;
    const told = fresh.filter(({ type }) => raised !== undefined || type === 'game.added');
    const events = await this.#describeAll(told, game);
    const passed = fresh.map(({ id }) => id).filter((id) => !events.some((event) => event.id === id));
    const isDone = await raiseEvents(this.#store, game.slug, raised, events, passed, this.#now());
    if (isDone) this.#logEvents(events);
    return isDone;
  }

  async #describeAll(occurrences: readonly Occurrence[], game: NamedGame): Promise<GameEvent[]> {
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
    if (this.#reported !== message) this.#log.error('an event cannot be told yet', { error: message });
    this.#reported = message;
  }
}

async function lookAhead(catalog: Catalog, store: Store, now: number): Promise<Outlook> {
  // The last that is loaded of a game is its newest build, which knows all of them.
  const games = new Map<string, NamedGame>(catalog.loaded.map((game) => [game.slug, game]));
  const all = [...games.values()].map((game): [string, Occurrence[]] => [game.slug, occurrencesOf(game)]);
  const old = all.map(([slug, occurrences]): [string, string[]] => [
    slug,
    occurrences.filter(({ due }) => due <= now).map(({ id }) => id),
  ]);
  await beginEvents(store, new Map(old), now);
  return { catalog, games, waiting: all.flatMap(([, occurrences]) => occurrences) };
}
