// Opens a store, makes its tables, and removes what has ended.
import { readFileSync } from 'node:fs';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from '../access/account.ts';
import { restorePro } from './accounts.ts';
import { KEEP_DAYS } from './audit.ts';
import { keyedName } from './secrets.ts';
import { KEY_FORM, nameStore, type Sql, type Store, StoreError, type StoreOptions } from './sql.ts';

/**
 * Opens a store, and updates its tables. Loads only the engine that the address needs.
 *
 * @param address a folder, or postgres://user:password@host:port/database
 * @throws StoreError
 */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openEngine(address, options);
  try {
    if (!(await isCurrent(store))) await migrate(store);
    await checkKey(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Checks that a gateway can use a store that exists, and changes nothing. @returns whether its tables are current @throws StoreError */
export async function checkStore(address: string, options?: StoreOptions): Promise<boolean> {
  const store = await openEngine(address, options);
  try {
    const hasTables = await isCurrent(store);
    // Reading the key throws if there is none.
    if (store.secretKey && hasTables) await checkKey(store);
    return hasTables;
  } finally {
    await store.close();
  }
}

/** Whether an address is that of a PostgreSQL server; otherwise it is a folder. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

async function openEngine(address: string, options: StoreOptions = {}): Promise<Store> {
  const secretKey = options.secretKey ?? (process.env.GATEWAY_SECRET_KEY || undefined);
  if (secretKey !== undefined && !KEY_FORM.test(secretKey))
    throw new StoreError(
      'GATEWAY_SECRET_KEY is not 32 bytes as base64; make one with openssl rand -base64 32',
    );
  const chosen = { ...options, secretKey };
  if (isPostgres(address)) return await (await import('./postgres.ts')).openPostgres(address, chosen);
  if (/^\w+:\/\//.test(address))
    throw new StoreError(
      `${JSON.stringify(nameStore(address))} is not the address of a store; expected a folder, or postgres://user@host/database`,
    );
  return await (await import('./sqlite.ts')).openSqlite(address, chosen);
}

/** What the store has once: the version of its tables, a mark of its secret key, counters. */
const META = 'CREATE TABLE IF NOT EXISTS meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)';

/** The version of the tables in schema.sql. */
const VERSION = 2;

/** @throws StoreError if the tables are newer than this version */
async function isCurrent(store: Store): Promise<boolean> {
  const version = await readVersion(store).catch((error: unknown) => {
    if (error instanceof StoreError) throw error;
    // A new store has no table `meta` yet.
    return 0;
  });
  if (version > VERSION)
    throw new StoreError(
      `the store ${store.name} was written by a newer version (its tables are version ${version}); use that version`,
    );
  return version === VERSION;
}

async function migrate(store: Store): Promise<void> {
  await store.migrate(async (sql, exec) => {
    await exec(META);
    // Another process may have made them meanwhile.
    if ((await readVersion(sql)) === VERSION) return;
    await exec(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
    await setMeta(sql, 'version', String(VERSION));
  });
}

async function readVersion(sql: Sql): Promise<number> {
  return Number((await readMeta(sql, 'version')) ?? 0);
}

/** Reads one of the store's single values. */
export async function readMeta(sql: Sql, name: string): Promise<string | undefined> {
  return (await sql.get<{ value: string }>('SELECT value FROM meta WHERE name = $1', [name]))?.value;
}

/** Writes one of the store's single values. */
export async function setMeta(sql: Sql, name: string, value: string): Promise<void> {
  await sql.run(
    'INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, value],
  );
}

/** Checks that the secret key is the one that the store was created with. @throws StoreError */
async function checkKey(store: Store): Promise<void> {
  const mark = keyedName(store, 'check');
  if ((await readMeta(store, 'key')) === undefined)
    await store.run("INSERT INTO meta (name, value) VALUES ('key', $1) ON CONFLICT (name) DO NOTHING", [
      mark,
    ]);
  if ((await readMeta(store, 'key')) === mark) return;
  throw new StoreError(
    `the store ${store.name} was made with another secret key; set the same GATEWAY_SECRET_KEY, or copy secret.key of its folder`,
  );
}

/** The statements that remove rows, and for how long after the row's time the row is kept, in ms. */
const ENDED: readonly [statement: string, age: number][] = [
  ['DELETE FROM revisions WHERE at < $1', HOUR_MS],
  ['DELETE FROM sessions WHERE ends_at < $1', 0],
  ['DELETE FROM links WHERE ends_at < $1', 0],
  ['DELETE FROM audit WHERE at < $1', KEEP_DAYS * DAY_MS],
  ['DELETE FROM events WHERE raised_at < $1', KEEP_DAYS * DAY_MS],
  ['DELETE FROM keys WHERE ends_at < $1', KEEP_DAYS * DAY_MS],
  ['DELETE FROM deliveries WHERE done_at < $1 OR failed_at < $1', 30 * DAY_MS],
  ['DELETE FROM mails WHERE done_at < $1', DAY_MS],
  // What no gateway could do for a week is of no use any more.
  ['DELETE FROM mails WHERE due_at < $1', 7 * DAY_MS],
  ['DELETE FROM deliveries WHERE done_at IS NULL AND failed_at IS NULL AND due_at < $1', 7 * DAY_MS],
  ['DELETE FROM limits WHERE free_at < $1', 0],
];

export async function sweep(store: Store, now = store.now()): Promise<void> {
  for (const [statement, age] of ENDED) await store.run(statement, [now - age]);
  // The last minute before midnight counts on the next day.
  const unused = 'day < $1 AND substr(times, length(times) - 12) < $2';
  await store.run(`DELETE FROM quota WHERE ${unused}`, [dayOf(now), String(now - MINUTE_MS)]);
  await restorePro(store, now);
}
