import { KEYS } from '../store/accounts/keys.ts';
import type { Account, Key } from '../access/account.ts';
import { DamagedRecordError, type Store } from '../store/store.ts';
import { type Transaction, table, transact } from '../store/transaction.ts';
import { findAll, keysOf, list } from '../lists/lists.ts';

/** How a key was used on one UTC day, as far as it is not stored yet. */
export interface KeyUsage {
  /** SHA-256 of the key. */
  hash: string;
  /** ms since 1970. */
  at: number;
  /** As `networkOf` returns it. */
  network: string;
  /** How many requests carried the key. */
  count: number;
}

/** How a key was used, as the store holds it. */
export interface KeyUse {
  /** The hour in which the key was last used, ISO 8601 UTC. */
  at: string;
  /** The network of that use, as `networkOf` returns it. */
  network: string;
  /** UTC day, `2030-05-01`, → how many requests carried the key; the last 30 days on which there were any. */
  days: Record<string, number>;
}

/** SHA-256 of a key → its use. Each gateway writes it at most once a minute. */
const KEY_USES = table<KeyUse>('key-use');

const HOUR_MS = 3_600_000;
const DAY_CHARS = '2030-05-01'.length;
const MAX_DAYS = 30;
/** Versions that do not know these records leave them behind when they delete a key: then they expire. */
const KEEP_MS = 40 * 24 * HOUR_MS;

/**
 * Adds what a gateway counted to the uses of keys, except of those that no longer exist. A damaged use is begun again.
 *
 * @throws StoreError when the store does not respond
 */
export async function addKeyUses(store: Store, usages: readonly KeyUsage[]): Promise<void> {
  try {
    await transact(store, (transaction) => addAll(transaction, usages));
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    for (const usage of usages) await addAlone(store, usage);
  }
}

async function addAll(transaction: Transaction, usages: readonly KeyUsage[]): Promise<void> {
  for (const usage of usages) {
    const use = await transaction.get(KEY_USES, usage.hash);
    // A key that was deleted meanwhile must leave nothing behind.
    if (await transaction.get(KEYS, usage.hash)) putUse(transaction, usage, use);
  }
}

async function addAlone(store: Store, usage: KeyUsage): Promise<void> {
  try {
    await transact(store, (transaction) => addAll(transaction, [usage]));
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    await transact(store, async (transaction) => putUse(transaction, usage, undefined));
  }
}

function putUse(transaction: Transaction, usage: KeyUsage, before: KeyUse | undefined): void {
  const { at, network, count } = usage;
  const day = new Date(at).toISOString().slice(0, DAY_CHARS);
  const hour = new Date(at - (at % HOUR_MS)).toISOString();
  const isLast = before === undefined || hour >= before.at;
  const days = { ...before?.days, [day]: (before?.days[day] ?? 0) + count };
  const use: KeyUse = {
    at: isLast ? hour : before.at,
    network: isLast ? network : before.network,
    days: Object.fromEntries(Object.entries(days).sort().slice(-MAX_DAYS)),
  };
  transaction.put(KEY_USES, usage.hash, use, at + KEEP_MS);
}

/** Returns the uses of keys, in their order; undefined before the first use of a key, and if its record is damaged. */
export async function keyUsesOf(
  store: Store,
  keys: readonly Pick<Key, 'hash'>[],
): Promise<(KeyUse | undefined)[]> {
  return await findAll(
    store,
    KEY_USES,
    keys.map(({ hash }) => hash),
  );
}

/** Returns the uses of all keys, by the SHA-256 of the key. */
export async function listKeyUses(store: Store): Promise<ReadonlyMap<string, KeyUse>> {
  return new Map(await list(store, KEY_USES));
}

/** Removes the uses of an account's keys. */
export async function removeKeyUses(transaction: Transaction, account: Account): Promise<void> {
  for (const { hash } of await keysOf(transaction, account)) transaction.remove(KEY_USES, hash);
}
