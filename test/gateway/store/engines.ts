import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite, type Test } from 'uvu';
import { openStore } from '../../../gateway/store/open.ts';
import type { Store, StoreOptions } from '../../../gateway/store/sql.ts';
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts';

/** A key for the stores of tests. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

// For commands and gateways in other processes.
process.env.GATEWAY_SECRET_KEY ??= SECRET_KEY;

/** An empty place for a store. */
export interface Place {
  /** The value for `--store`. */
  address: string;
  open(options?: StoreOptions): Promise<Store>;
  remove(): Promise<void>;
}

/** What a test of `onEachEngine` gets. */
export interface StoreContext {
  place: Place;
  store: Store;
  /** The clock of the store; a test may set it. */
  clock: { now: number };
}

/** Which engines the suites of this process run on: `postgres.process.test.ts` runs them on PostgreSQL. */
let engine: 'sqlite' | 'postgres' = 'sqlite';

/** Makes suites that are defined from now on run on PostgreSQL. */
export function usePostgres(): void {
  engine = 'postgres';
}

/** Makes an empty folder. */
export function sqlitePlace(): Place {
  const address = path.join(mkdtempSync(path.join(tmpdir(), 'store-')), 'store');
  return {
    address,
    open: (options) => openStore(address, { secretKey: SECRET_KEY, ...options }),
    remove: async () => rmSync(path.dirname(address), { recursive: true, force: true }),
  };
}

let server: Promise<PostgresServer> | undefined;
/** A database with all tables, which is copied: that is faster than to make them. */
let original: Promise<string> | undefined;

/** Makes an empty database on a server that all tests of this process share. */
export async function postgresPlace(): Promise<Place> {
  server ??= startPostgres('fsync=off');
  const running = await server;
  original ??= running.createDatabase().then(async (address) => {
    await (await openStore(address, { secretKey: SECRET_KEY })).close();
    return address;
  });
  const address = await running.createDatabase(await original);
  return {
    address,
    // Far longer than usual, because with that a busy machine would fail tests.
    open: (options) => openStore(address, { secretKey: SECRET_KEY, waitMs: 60_000, ...options }),
    async remove() {},
  };
}

/** Ends the server of this process. */
export async function endPostgres(): Promise<void> {
  await (await server)?.remove();
}

/** Defines a suite that runs on SQLite, and on PostgreSQL in `postgres.process.test.ts`. Each test gets an open store. */
export function onEachEngine<T extends StoreContext = StoreContext>(
  subject: string,
  define: (test: Test<T>) => void,
): void {
  const test = suite<T>(`${subject} on ${engine}`);
  const makePlace = engine === 'sqlite' ? sqlitePlace : postgresPlace;
  if (engine === 'postgres' && !hasPostgres) {
    process.stdout.write(`skipped without PostgreSQL: ${subject}\n`);
    return;
  }
  test.before.each(async (context) => {
    context.clock = { now: Date.parse('2030-05-01T12:00:00Z') };
    context.place = await makePlace();
    context.store = await context.place.open({ now: () => context.clock.now });
  });
  test.after.each(async ({ store, place }) => {
    await store.close();
    await place.remove();
  });
  define(test);
  test.run();
}
