import { describeFreshness, LATE, type View } from '../../data/catalog.ts';
import type { GameBuild } from '../../data/game-build.ts';
import type { DemoKeys } from './demo-keys.ts';

/** Describes a demo, with its games and requests to copy. */
export function describeDemo(address: string, keys: DemoKeys, view: View): string {
  const [game] = view.games.values();
  const request = (key: string, path: string) => `curl -g -H 'X-API-Key: ${key}' '${address}/api/${path}'`;
  const requests = [
    request(keys.free, 'games'),
    ...(game
      ? [
          request(keys.free, `${game.slug}/characters?${describeQuery(game)}`),
          request(keys.free, `${game.slug}/pull_planner`),
          request(keys.pro, `${game.slug}/history?limit=1`),
        ]
      : []),
    request(keys.pro, 'me'),
  ];
  return `\n${describeGames(view)}\nThe gateway is on ${address}. Try it with a free and a Pro key, which work until it stops:\n\n${requests.join('\n')}\n\n`;
}

/** Names the games: those whose builds are of a usual age, those that are behind, and those that have ended. */
function describeGames({ games, now }: View): string {
  const stateOf = ({ successor, builds }: GameBuild) => {
    if (successor !== undefined && games.has(successor)) return 'Ended';
    return (describeFreshness(builds, now).behind ?? 0) > LATE ? 'Behind' : 'Games';
  };
  const lines = ['Games', 'Behind', 'Ended'].map((state) => {
    const slugs = [...games.values()].filter((game) => stateOf(game) === state).map(({ slug }) => slug);
    return slugs.length === 0 ? '' : `${state}: ${slugs.join(', ')}\n`;
  });
  return lines.join('');
}

/** A facet with more values is not a good example of a filter. */
const MAX_FACET_VALUES = 12;

/** Makes the query of a filtered and sorted page of the game. */
function describeQuery({ roster }: GameBuild): string {
  const columns = [...roster.columns.values()];
  const filter = columns.find(
    ({ type, list, values }) =>
      type === 'string' && !list && values.length > 1 && values.length <= MAX_FACET_VALUES,
  );
  const stat = columns.find(({ type, list, key }) => type === 'number' && !list && key.startsWith('stats.'));
  return [
    ...(filter ? [`${encodeURIComponent(filter.key)}=${encodeURIComponent(String(filter.values[0]))}`] : []),
    ...(stat ? [`sort=-${encodeURIComponent(stat.key)},name`] : ['sort=name']),
    'limit=3',
  ].join('&');
}
