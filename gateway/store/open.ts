// Opens a store, updates its tables, and removes what has ended.
import { readFileSync } from 'node:fs';
import type { Log } from '../http/log.ts';
import { keyedName } from './secrets.ts';
import { type Sql, type Store, StoreError, type StoreOptions } from './sql.ts';

const KEY_FORM = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Opens a store, and updates its tables. Loads only the engine that the address needs.
 *
 * @param address a folder, or postgres://user:password@host:port/database
 * @throws StoreError
 */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  const secretKey = options.secretKey ?? (process.env.GATEWAY_SECRET_KEY || undefined);
  if (secretKey !== undefined && !KEY_FORM.test(secretKey))
    throw new StoreError(
      'GATEWAY_SECRET_KEY is not 32 bytes as base64; make one with openssl rand -base64 32',
    );
  const store = await openEngine(address, { ...options, secretKey });
  try {
    await migrate(store);
    await checkKey(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Whether an address is that of a PostgreSQL server; otherwise it is a folder. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

async function openEngine(address: string, options: StoreOptions): Promise<Store> {
  if (isPostgres(address)) return await (await import('./postgres.ts')).openPostgres(address, options);
  if (/^\w+:\/\//.test(address))
    throw new StoreError(
      `${JSON.stringify(address.replace(/\/\/.*@/, '//'))} is not the address of a store; expected a folder, or postgres://user@host/database`,
    );
  return await (await import('./sqlite.ts')).openSqlite(address, options);
}

const META = 'CREATE TABLE IF NOT EXISTS meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)';

/** The version of the tables in schema.sql. No release had an older one. */
const FIRST_VERSION = 2;

/** Updates the tables. Writes nothing if they are current. @throws StoreError if they are newer than this version, or too old */
async function migrate(store: Store): Promise<void> {
  // A new store has no table `meta` yet.
  const version = await readVersion(store).catch(() => 0);
  if (version > 0 && version < FIRST_VERSION)
    throw new StoreError(
      `the tables of the store ${store.name} are from before the first release (version ${version}); delete the store, or restore a newer backup`,
    );
  if (version > 0 && readMigration(version) === undefined)
    throw new StoreError(
      `the store ${store.name} was written by a newer version (its tables are version ${version}); use that version`,
    );
  if (version > 0 && readMigration(version + 1) === undefined) return;
  await store.migrate(async (sql, exec) => {
    await exec(META);
    let reached = Math.max(await readVersion(sql), FIRST_VERSION - 1);
    for (let text = readMigration(reached + 1); text !== undefined; text = readMigration(reached + 1)) {
      await exec(text);
      reached += 1;
    }
    await setMeta(sql, 'version', String(reached));
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

/** Returns the statements that lead from the previous version to this one; undefined if there are none. */
function readMigration(version: number): string | undefined {
  const file = version === FIRST_VERSION ? 'schema.sql' : `migrations/${version}.sql`;
  try {
    return readFileSync(new URL(file, import.meta.url), 'utf8');
  } catch (error) {
    if (version === FIRST_VERSION) throw error;
    return undefined;
  }
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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The statements that remove rows, and for how long after the row's time the row is kept, in ms. */
const ENDED: readonly [statement: string, age: number][] = [
  ['DELETE FROM revisions WHERE at < $1', HOUR_MS],
  ['DELETE FROM sessions WHERE ends_at < $1', 0],
  ['DELETE FROM links WHERE ends_at < $1', 0],
  ['DELETE FROM audit WHERE at < $1', 90 * DAY_MS],
  ['DELETE FROM events WHERE raised_at < $1', 90 * DAY_MS],
  ['DELETE FROM deliveries WHERE done_at < $1 OR failed_at < $1', 30 * DAY_MS],
  ['DELETE FROM mails WHERE done_at < $1', DAY_MS],
  ['DELETE FROM mails WHERE failed_at < $1', 30 * DAY_MS],
  ['DELETE FROM limits WHERE free_at < $1', 0],
];

export async function sweep(store: Store): Promise<void> {
  const now = store.now();
  for (const [statement, age] of ENDED) await store.run(statement, [now - age]);
  // Rows of yesterday are kept: the last minute before midnight counts on the next day.
  await store.run('DELETE FROM quota WHERE day < $1', [Math.floor(now / DAY_MS) - 1]);
}

/** Sweeps now and once an hour. */
export function startSweeping(store: Store, log: Log): NodeJS.Timeout {
  const run = () =>
    sweep(store).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      log.error('what has ended could not be removed from the store', { error: error.message });
    });
  void run();
  return setInterval(run, HOUR_MS).unref();
}
