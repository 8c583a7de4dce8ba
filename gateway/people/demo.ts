// A demo: a free and a Pro key that work until the gateway stops, and requests to copy.
import { hostname } from 'node:os';
import { errorOf } from '../../scripts/system.ts';
import type { GameBuild } from '../data/game-build.ts';
import { type View, describeFreshness } from '../data/catalog.ts';
import { grantTier } from '../store/accounts.ts';
import { GATEWAY } from '../store/audit.ts';
import { issueKey } from '../store/keys.ts';
import type { Store } from '../store/sql.ts';
import { deleteAccount } from './privacy.ts';

/** The keys of a demo. */
export interface DemoKeys {
  free: string;
  pro: string;
}

/** A row of `demos`, which are numbered from 1 on: gateways on one store may each have a demo. */
interface DemoRow {
  number: number;
  host: string;
  pid: number;
  started_at: number;
}

/** A demo on another machine counts as ended after this time, since its process cannot be seen from here. */
const MAX_AGE_MS = 86_400_000;

/** Issues a free and a Pro key, to accounts that no other running demo has. @param pid the process that ends the demo */
export async function issueDemoKeys(store: Store, now: number, pid: number): Promise<DemoKeys> {
  const number = await store.transaction(async (sql) => {
    const used = (await sql.all<DemoRow>('SELECT * FROM demos')).map((demo) => demo.number);
    let free = 1;
    while (used.includes(free)) free += 1;
    await sql.run('INSERT INTO demos (number, host, pid, started_at) VALUES ($1, $2, $3, $4)', [
      ...[free, hostname(), pid, now],
    ]);
    return free;
  });
  const issue = (tier: 'free' | 'pro') =>
    store.transaction(async (sql) => {
      const { key, issued } = await issueKey(sql, emailOf(number, tier), GATEWAY);
      await grantTier(sql, issued.account.id, { tier, pro_until: null });
      return key;
    });
  return { free: await issue('free'), pro: await issue('pro') };
}

/** Deletes the accounts and keys of this process's demo, and of those whose process was killed. */
export async function revokeDemoKeys(store: Store, now = Date.now()): Promise<void> {
  for (const demo of await store.all<DemoRow>('SELECT * FROM demos')) {
    if (isRunning(demo, now)) continue;
    // The number stays in use until its accounts are gone, so that no new demo gets them meanwhile.
    for (const tier of ['free', 'pro'] as const) await deleteAccount(store, emailOf(demo.number, tier));
    await store.run('DELETE FROM demos WHERE number = $1', [demo.number]);
  }
}

function emailOf(number: number, tier: 'free' | 'pro'): string {
  return `demo-${tier}${number === 1 ? '' : `-${number}`}@localhost`;
}

function isRunning({ host, pid, started_at }: DemoRow, now: number): boolean {
  if (host !== hostname()) return now - started_at < MAX_AGE_MS;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists, but may not get signals from this one.
    return errorOf(error).code === 'EPERM';
  }
}

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
  const stateOf = ({ successor, builds, cadence_days }: GameBuild) => {
    if (successor !== undefined && games.has(successor)) return 'Ended';
    return (describeFreshness(builds, cadence_days, now).behind_days ?? 0) > 0 ? 'Behind' : 'Games';
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
