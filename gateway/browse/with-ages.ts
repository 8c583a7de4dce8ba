import { createHash } from 'node:crypto';
import { describeFreshness } from '../freshness/freshness.ts';
import type { Route } from '../api/route.ts';
import type { View } from '../data/view.ts';

/** The response of /api/games, as the core makes it. */
interface GameList {
  games: { slug: string }[];
}

/** The list of games with their ages. */
interface AgedList {
  json: Buffer;
  tag: string;
}

const lists = new WeakMap<View, AgedList>();

/** Adds to /api/games how old the newest build of each game is, in UTC days, beside the usual interval of its builds. */
export function withAges(route: Route): Route {
  return {
    ...route,
    async handle(request, services) {
      // The core refuses a list that is not complete.
      await route.handle(request, services);
      const { view } = request;
      const { json, tag } = lists.get(view) ?? addAges(view);
      return { tag, body: () => ({ json }) };
    },
  };
}

function addAges(view: View): AgedList {
  const list: GameList = JSON.parse(view.gamesJson.toString());
  const games = list.games.map((game) => {
    const builds = view.games.get(game.slug)?.builds;
    if (builds === undefined) return game;
    const { public_at: _, ...age } = describeFreshness(builds, 0, view.now);
    return { ...game, ...age };
  });
  const json = Buffer.from(JSON.stringify({ ...list, games }));
  const aged = { json, tag: createHash('sha256').update(json).digest('hex') };
  lists.set(view, aged);
  return aged;
}
