import { suite, type Test } from 'uvu';
import type { Store } from '../../../gateway/store/store.ts';
import { type Register, withRedis } from '../../support/skip.ts';
import { clusterPlace, redisPlace, type StorePlace, sqlitePlace } from './places.ts';

/** A driver of the store, as tests need it. */
export interface Driver {
  name: string;
  /** Makes an empty place. */
  makePlace(): Promise<StorePlace>;
  /** Returns a function that registers tests which need it. */
  register<T>(suite: Test<T>): Register<T>;
}

export const SQLITE: Driver = { name: 'sqlite', makePlace: sqlitePlace, register: (suite) => suite };
export const REDIS: Driver = { name: 'redis', makePlace: redisPlace, register: withRedis };

export const CLUSTER: Driver = { name: 'a redis cluster', makePlace: clusterPlace, register: withRedis };

/** The usual drivers, for tests that start processes anyway. */
export const ALL_DRIVERS: readonly Driver[] = [SQLITE, REDIS];

/** The default drivers of tests: SQLITE, which needs no server. `on-redis.process.test.ts` runs the same tests on Redis. */
const usual: { drivers: readonly Driver[] } = { drivers: [SQLITE] };

/** Sets the default drivers of tests. */
export function useDrivers(drivers: readonly Driver[]): void {
  usual.drivers = drivers;
}

/**
 * Runs a suite once on each driver. If what a driver needs is not installed, its tests are skipped, and a line says why.
 *
 * @param subject what the suite is about
 * @param define sets up the suite, and registers tests with `test`
 */
export function onEachDriver<T>(
  subject: string,
  define: (test: Register<T>, all: Test<T>, makePlace: () => Promise<StorePlace>) => void,
  drivers = usual.drivers,
): void {
  for (const { name, makePlace, register } of drivers) {
    const all = suite<T>(`${subject} on ${name}`);
    define(register(all), all, makePlace);
    all.run();
  }
}

/** The context of a test of `onEachStore`. */
export interface StoreContext {
  place: StorePlace;
  /** An open store, which is closed after the test. */
  store: Store;
}

/**
 * Runs a suite once on each driver, with an empty store for each test.
 *
 * @param now the clock of the store
 */
export function onEachStore<T extends StoreContext = StoreContext>(
  subject: string,
  now: () => number,
  define: (test: Register<T>, all: Test<T>) => void,
): void {
  onEachDriver<T>(subject, (test, all, makePlace) => {
    all.before.each(async (context) => {
      context.place = await makePlace();
      context.store = await context.place.open(now);
    });
    all.after.each(async ({ place, store }) => {
      await store.close();
      await place.remove();
    });
    define(test, all);
  });
}
