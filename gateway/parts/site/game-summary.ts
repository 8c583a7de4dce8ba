import type { View } from '../../core/catalog/view.ts';
import type { GameBuild } from '../../core/catalog/game-build.ts';

/** What /api/games says about a game. */
export interface GameSummary {
  slug: string;
  title: string;
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  counts: { characters: number; datasets: number; builds: number };
}

/** Returns what /api/games says about a game. */
export function summarize({ listing }: Pick<GameBuild, 'listing'>): GameSummary {
  return JSON.parse(listing) as GameSummary;
}

/** Returns the games of a view whose current build is the newest, newest first. */
export function newestGames({ games }: View, count: number): GameBuild[] {
  return [...games.values()]
    .sort((a, b) => Date.parse(b.released_at) - Date.parse(a.released_at))
    .slice(0, count);
}
