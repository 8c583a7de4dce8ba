import { hostname } from 'node:os';
import { errorOf } from '../../../scripts/system.ts';
import { grantTier } from '../../store/accounts.ts';
import { GATEWAY } from '../../store/audit.ts';
import { issueKey } from '../../store/keys.ts';
import type { Store } from '../../store/sql.ts';
import { list, table, transact } from '../../store/records.ts';
import { deleteAccount } from '../privacy/personal-data.ts';

/** The keys of a demo. */
export interface DemoKeys {
  free: string;
  pro: string;
}

/** The gateway that has issued the keys of a demo. */
interface DemoOwner {
  host: string;
  pid: number;
  /** ms since 1970 */
  started_at: number;
}

/** Demos by number, from 1 on: gateways on one store may each have a demo. */
const DEMOS = table<DemoOwner>('demo');
/** A demo on another machine counts as ended after this time, since its process cannot be seen from here. */
const MAX_AGE_MS = 86_400_000;

/**
 * Issues a free and a Pro key, to accounts that no other running demo has.
 *
 * @param pid the process that calls `revokeDemoKeys` when the demo ends
 */
export async function issueDemoKeys(store: Store, now: number, pid: number): Promise<DemoKeys> {
  const number = await claimNumber(store, { host: hostname(), pid, started_at: now });
  const emails = emailsOf(number);
  // A demo of a version that did not number them may have been killed.
  await deleteAccounts(store, number);
  const issue = async (tier: 'free' | 'pro') => {
    return await store.transaction(async (sql) => {
      const { key, issued } = await issueKey(sql, emails[tier], GATEWAY);
      await grantTier(sql, issued.account.id, { tier, pro_until: null });
      return key;
    });
  };
  return { free: await issue('free'), pro: await issue('pro') };
}

/** Deletes the accounts and keys of this process's demo, and of those whose process was killed. */
export async function revokeDemoKeys(store: Store, now = Date.now()): Promise<void> {
  for (const [id, owner] of await list(store, DEMOS)) {
    if (isRunning(owner, now)) continue;
    // The number stays in use until its accounts are gone, so that no new demo gets them meanwhile.
    await deleteAccounts(store, Number(id));
    await transact(store, async (transaction) => await transaction.remove(DEMOS, id));
  }
}

async function claimNumber(store: Store, owner: DemoOwner): Promise<number> {
  return await transact(store, async (transaction) => {
    let number = 1;
    while ((await transaction.read(DEMOS, String(number))) !== undefined) number++;
    await transaction.put(DEMOS, String(number), owner);
    return number;
  });
}

async function deleteAccounts(store: Store, number: number): Promise<void> {
  for (const email of Object.values(emailsOf(number))) await deleteAccount(store, email);
}

function emailsOf(number: number): { free: string; pro: string } {
  const suffix = number === 1 ? '' : `-${number}`;
  return { free: `demo-free${suffix}@localhost`, pro: `demo-pro${suffix}@localhost` };
}

function isRunning({ host, pid, started_at }: DemoOwner, now: number): boolean {
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
