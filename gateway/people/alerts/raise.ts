import type { Catalog } from '../../catalog/catalog.ts';
import { DistError, readDistFile } from '../../catalog/dist-folder.ts';
import type { DistFollower } from '../../catalog/follow-dist.ts';
import type { Log } from '../../log/log.ts';
import type { Store } from '../../store/store.ts';
import { describeOccurrence } from './event.ts';
import { beginEvents, findRaised, raiseEvents } from './event-log.ts';
import { type NamedGame, type Occurrence, occurrencesOf } from './occurrence.ts';

/** Raises what becomes due in a dist/ that is followed. */
export interface Raiser {
  /** Raises all that is due and was not raised yet, by whatever gateway. @returns whether there was something */
  raise(): Promise<boolean>;
}

/** What a catalogue names, and what of it may still have to be raised. */
interface Outlook {
  catalog: Catalog;
  games: ReadonlyMap<string, NamedGame>;
  waiting: Occurrence[];
}

/**
 * Makes what raises events. A game that a store does not know yet is told as a game that is new, whatever builds it has by then.
 *
 * @param now ms since 1970
 */
export function createRaiser(
  follower: DistFollower,
  { store, log, now }: { store: Store; log: Log; now: () => number },
): Raiser {
  let outlook: Outlook | undefined;
  let told = '';

  const raiseGame = async (game: NamedGame, due: Occurrence[], raised: readonly string[] | undefined) => {
    const fresh = due.filter(({ id }) => !raised?.includes(id));
    if (fresh.length === 0) return true;
    const events = await Promise.all(
      fresh
        .filter(({ type }) => raised !== undefined || type === 'game.added')
        .map((occurrence) =>
          describeOccurrence(occurrence, game, (ref) => readDistFile(follower.folder, ref), now()),
        ),
    );
    const passed = fresh.map(({ id }) => id).filter((id) => !events.some((event) => event.id === id));
    const isDone = await raiseEvents(store, game.slug, raised, events, passed, now());
    if (isDone)
      for (const { id, type, data } of events)
        log.info('event', { id, type, game: data.game, build: data.build });
    return isDone;
  };
  const tellOnce = (error: DistError) => {
    if (told !== error.message) log.error('an event cannot be told yet', { error: error.message });
    told = error.message;
  };

  return {
    async raise() {
      const { catalog } = follower;
      if (outlook?.catalog !== catalog) outlook = await lookAhead(catalog, store, now());
      const { games } = outlook;
      const due = outlook.waiting.filter((occurrence) => occurrence.due <= now());
      if (due.length === 0) return false;
      const slugs = [...new Set(due.map(({ slug }) => slug))];
      const raised = await findRaised(store, slugs);
      const done = new Set<string>();
      for (const [index, slug] of slugs.entries()) {
        const dueHere = due.filter((occurrence) => occurrence.slug === slug);
        try {
          if (await raiseGame(games.get(slug) as NamedGame, dueHere, raised[index])) done.add(slug);
        } catch (error) {
          if (!(error instanceof DistError)) throw error;
          tellOnce(error);
        }
      }
      outlook.waiting = outlook.waiting.filter(
        (waiting) => !due.includes(waiting) || !done.has(waiting.slug),
      );
      return done.size > 0;
    },
  };
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
