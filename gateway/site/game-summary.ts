import type { GameBuild } from '../data/game-build.ts';
import type { LostGame, View } from '../data/view.ts';
import { type MarkedGame, marksOf } from './model/game-marks.ts';

/** What /api/games says about a game. */
export interface GameSummary {
  slug: string;
  title: string;
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  counts: { characters: number; datasets: number; builds: number };
}

/** A game in a list of games. */
export interface ListedGame extends GameSummary {
  /** The letters of its picture. */
  mark: string;
  /** The game that goes on, if this one has ended. */
  successor: MarkedGame | undefined;
}

/** Returns what /api/games says about a game. */
export function summarize({ listing }: Pick<GameBuild, 'listing'>): GameSummary {
  return JSON.parse(listing);
}

/** Describes games for a list. */
export function listGames(view: View, games: readonly LostGame[]): ListedGame[] {
  return games.map((game) => {
    const { slug, title } = successorOf(view, game) ?? {};
    return {
      ...summarize(game),
      mark: markOf(view, game.slug),
      successor: slug === undefined || title === undefined ? undefined : { slug, title },
    };
  });
}

/** Returns the game that continues one that has ended; undefined if visitors do not see it. */
export function successorOf({ games, lost }: View, { successor = '' }: LostGame): LostGame | undefined {
  return games.get(successor) ?? lost.get(successor);
}

/** Moves the games that have ended to the end. */
export function endedLast<Game extends LostGame>(view: View, games: readonly Game[]): Game[] {
  const hasEnded = (game: Game) => Number(successorOf(view, game) !== undefined);
  return games.toSorted((a, b) => hasEnded(a) - hasEnded(b));
}

/** Returns the games of a view whose current build is the newest, newest first, and those that have ended last. */
export function newestGames(view: View, count: number): GameBuild[] {
  const games = [...view.games.values()].sort(
    (a, b) => Date.parse(b.released_at) - Date.parse(a.released_at),
  );
  return endedLast(view, games).slice(0, count);
}

const marks = new WeakMap<View, Map<string, string>>();

/** Returns the letters that stand for a game: in a view, no two games have the same ones. */
export function markOf(view: View, slug: string): string {
  const marksOfView = marks.get(view) ?? marksOf([...view.games.values(), ...view.lost.values()]);
  marks.set(view, marksOfView);
  return marksOfView.get(slug) ?? '?';
}
