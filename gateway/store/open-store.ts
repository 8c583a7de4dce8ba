import { setTimeout as sleep } from 'node:timers/promises';
import { isOldFolder, readIdentityFile, refuseMissing } from './folder-files.ts';
import type { RemoteStoreOptions } from './ports.ts';
import {
  type DriverOptions,
  describeRecord,
  divideWait,
  isRedisAddress,
  MIGRATION,
  nameStore,
  type Store,
  StoreError,
  StoreRefusal,
} from './store.ts';

/** The help of the option `--store`. */
export const STORE_HELP =
  'where keys, accounts and quotas are: a folder, redis://…, redis+sentinel://… or redis+cluster://…';

/** How often a store is asked before it counts as too far away: this process and the store may be busy at the start. */
const ATTEMPTS = 10;
const PAUSE_MS = 100;

/** Options of opening a store. Without `reportDamage`, the log gets an entry for each damaged record. */
export interface OpenStoreOptions extends DriverOptions {
  /** The identity that the store must have; without it, a store that has none is new. */
  identity?: string | undefined;
  /** Whether the store is opened although a migration to it was not finished. */
  isTarget?: boolean;
}

/**
 * Opens a store by its address. Loads only the driver of this address.
 *
 * @param address a folder, for SQLite, or an address of Redis or Valkey servers, as `parseRedisAddress` reads it
 * @throws StoreError when it cannot be opened
 */
export async function openStore(address: string, options: OpenStoreOptions = {}): Promise<Store> {
  const { log } = options;
  const reportDamage =
    options.reportDamage ??
    ((record: string) => log?.error(`${describeRecord(record)} is damaged`, { store: nameStore(address) }));
  const store = await openDriver(address, { ...options, reportDamage });
  try {
    if (options.identity !== undefined) await checkIdentity(store, address, options.identity);
    if (!options.isTarget) await checkMigration(store, address);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens a store that requests wait for.
 *
 * @throws StoreError when it cannot be opened, or always responds later than requests wait
 */
export async function openNearStore(address: string, options: OpenStoreOptions): Promise<Store> {
  const store = await openStore(address, options);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const failure = await store.ping().catch((error: unknown) => error);
    if (!(failure instanceof StoreError) || failure instanceof StoreRefusal) return store;
    await sleep(PAUSE_MS);
  }
  await store.close();
  const { total, find } = divideWait(options.waitMs);
  throw new StoreError(
    `the store ${nameStore(address)} responds, but not within ${Math.round(find)} ms, as long as a request waits for its key: run the gateway nearer to the store, or set --store-timeout to more than ${total}`,
  );
}

async function openDriver(
  address: string,
  { log, reportDamage, identity, waitMs }: OpenStoreOptions & { reportDamage: (record: string) => void },
): Promise<Store> {
  if (isRedisAddress(address))
    return await openRemote(address, { reportDamage, identity, waitMs, ...(log && { log }) });
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(address) ?? [];
  if (scheme)
    throw new StoreError(
      `cannot open the store ${scheme}…: this is no address of a store; name a folder, or redis://…, redis+sentinel://… or redis+cluster://…`,
    );
  if (isOldFolder(address)) await takeOverExpected(address, identity);
  if (identity !== undefined) refuseMissing(address, identity);
  const { openSqliteStore } = await import('./sqlite-store.ts');
  return await openSqliteStore(address, { reportDamage, waitMs, ...(log && { log }) });
}

/** Opens a store on another machine. @throws StoreError when it cannot be opened */
export async function openRemote(address: string, options: RemoteStoreOptions): Promise<Store> {
  const { openRedisStore } = await import('../redis/redis-store.ts');
  return await openRedisStore(address, options);
}

/** Takes an old folder over, unless it is known to belong to another store than the expected one. @throws StoreError */
async function takeOverExpected(folder: string, expected: string | undefined): Promise<void> {
  const identity = readIdentityFile(folder);
  if (expected !== undefined && identity !== undefined && identity !== expected)
    throw refuseIdentity(folder, identity, expected);
  await takeOverIfOld(folder);
}

/**
 * Takes a folder over if it is of a version before 0.2. What that needs is loaded only then.
 *
 * @param acceptsLoss whether damaged records are left out, and another identity is accepted
 * @throws StoreError when it cannot be taken over
 */
export async function takeOverIfOld(folder: string, acceptsLoss = false): Promise<void> {
  if (!isOldFolder(folder)) return;
  const { takeOverFolder } = await import('../backup/old-folder/take-over.ts');
  await takeOverFolder(folder, { acceptsLoss });
}

/** @throws StoreError when a store is not the expected one */
async function checkIdentity(store: Store, address: string, expected: string): Promise<void> {
  const identity = await store.identity();
  if (identity !== expected) throw refuseIdentity(address, identity, expected);
}

function refuseIdentity(address: string, identity: string, expected: string): StoreError {
  return new StoreError(
    `cannot open the store ${nameStore(address)}: its identity is ${identity}, expected ${expected} (--store-id); name the right store, or set the identity of this one`,
  );
}

/** @throws StoreError when a store has a part of another one */
async function checkMigration(store: Store, address: string): Promise<void> {
  const [migration] = await store.read([MIGRATION]);
  if (migration === undefined) return;
  throw new StoreError(
    `cannot open the store ${nameStore(address)}: a migration to it was not finished; run gateway store migrate again`,
  );
}
