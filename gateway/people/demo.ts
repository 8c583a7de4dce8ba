// A demo: a free and a Pro key that work until the gateway stops, and requests to copy.
import { errorOf } from '../../scripts/system.ts';
import { describeFreshness, type View } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import { grantTier } from '../store/accounts.ts';
import { GATEWAY } from '../store/audit.ts';
import { issueKey } from '../store/keys.ts';
import type { Store } from '../store/sql.ts';
import { deleteAccount } from './privacy.ts';

export type DemoKeys = Record<'free' | 'pro', string>;

/** The accounts of a demo name the process that ends it. */
const emailOf = (tier: string, pid: number) => `demo-${tier}-${pid}@localhost`;
const DEMO = /^demo-(?:free|pro)-(\d+)@localhost$/;

/** Issues a free and a Pro key to accounts of their own. @param pid the process that ends the demo */
export async function issueDemoKeys(store: Store, pid: number): Promise<DemoKeys> {
  return await store.transaction(async (sql) => {
    const free = await issueKey(sql, emailOf('free', pid), GATEWAY);
    const pro = await issueKey(sql, emailOf('pro', pid), GATEWAY);
    await grantTier(sql, pro.issued.account.id, { tier: 'pro', pro_until: null });
    return { free: free.key, pro: pro.key };
  });
}

/** Deletes the accounts and keys of this process's demo, and of demos whose process was killed. */
export async function revokeDemoKeys(store: Store): Promise<void> {
  const statement = "SELECT email FROM accounts WHERE email LIKE 'demo-%@localhost'";
  for (const { email } of await store.all<{ email: string }>(statement)) {
    const [, pid] = DEMO.exec(email) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await deleteAccount(store, email);
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return errorOf(error).code === 'EPERM';
  }
}

/** Describes a demo: its games in three groups (up to date, behind, ended), and requests to copy. */
export function describeDemo(address: string, keys: DemoKeys, { games, now }: View): string {
  const [game] = games.values();
  const stateOf = ({ successor, builds, cadence_days }: GameBuild) => {
    if (successor !== undefined && games.has(successor)) return 'Ended';
    return (describeFreshness(builds, cadence_days, now).behind_days ?? 0) > 0 ? 'Behind' : 'Games';
  };
  const states = ['Games', 'Behind', 'Ended'].map((state) => {
    const slugs = [...games.values()].filter((each) => stateOf(each) === state).map(({ slug }) => slug);
    return slugs.length === 0 ? '' : `${state}: ${slugs.join(', ')}\n`;
  });
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
  return `\n${states.join('')}\nThe gateway is on ${address}. Try it with a free and a Pro key, which work until it stops:\n\n${requests.join('\n')}\n\n`;
}

/** A facet with more values is a poor example of a filter. */
const MAX_FACET_VALUES = 12;

/** Makes the query of a filtered and sorted page of the roster. */
function describeQuery({ roster }: GameBuild): string {
  const columns = [...roster.columns.values()].filter(({ list }) => !list);
  const filter = columns.find(
    ({ type, values: { length } }) => type === 'string' && length > 1 && length <= MAX_FACET_VALUES,
  );
  const stat = columns.find(({ type, key }) => type === 'number' && key.startsWith('stats.'));
  const sort = stat ? `-${encodeURIComponent(stat.key)},name` : 'name';
  const shown =
    filter && `${encodeURIComponent(filter.key)}=${encodeURIComponent(String(filter.values[0]))}&`;
  return `${shown ?? ''}sort=${sort}&limit=3`;
}
