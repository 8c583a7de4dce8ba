// A demo: a free and a Pro key that work until the gateway stops, and requests to copy.
import path from 'node:path';
import { errorOf } from '../../scripts/system.ts';
import type { View } from '../data/catalog.ts';
import { grantTier } from '../store/accounts.ts';
import { GATEWAY } from '../store/audit.ts';
import { issueKey } from '../store/keys.ts';
import type { Store } from '../store/sql.ts';
import { OUTBOX } from './mailer.ts';
import { erasePerson } from './privacy.ts';

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
    if (pid !== undefined && !isRunning(Number(pid))) await erasePerson(store, email);
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

/** Describes a demo: its games, and requests to copy. */
export function describeDemo(address: string, keys: DemoKeys, { games }: View): string {
  const [slug] = games.keys();
  const request = (key: string, path: string) => `curl -g -H 'X-API-Key: ${key}' '${address}/api/${path}'`;
  const requests = [
    request(keys.free, 'games'),
    ...(slug
      ? [
          request(keys.free, `${slug}/characters?sort=name&limit=3`),
          request(keys.free, `${slug}/pull_planner`),
          request(keys.pro, `${slug}/history?limit=1`),
        ]
      : []),
    request(keys.pro, 'me'),
  ];
  const mails = process.env.SMTP_URL ? '' : `Mails are written to files in ${path.resolve(OUTBOX)}.\n\n`;
  return `\nGames: ${[...games.keys()].join(', ')}\n\nThe gateway is on ${address}. Try it with a free and a Pro key, which work until it stops:\n\n${requests.join('\n')}\n\n${mails}`;
}
