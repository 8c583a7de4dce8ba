import { suite, type Test } from 'uvu';
import type { Store } from '../../../gateway/store/store.ts';
import { type Register, withRedis } from '../../support/skip.ts';
import { lmdbPlace, redisPlace, type StorePlace } from './places.ts';

/** A driver of the store, as tests need it. */
export interface Driver {
  name: string;
  /** Makes an empty place. */
  makePlace(): Promise<StorePlace>;
  /** How a suite registers tests that need it. */
  register<T>(suite: Test<T>): Register<T>;
}

export const LMDB: Driver = { name: 'lmdb', makePlace: lmdbPlace, register: (suite) => suite };
export const REDIS: Driver = { name: 'redis', makePlace: redisPlace, register: withRedis };

/** For tests that start processes anyway. */
export const ALL_DRIVERS: readonly Driver[] = [LMDB, REDIS];

/** What tests run on that do not say on which: LMDB, which needs no server. `on-redis.process.test.ts` runs the same ones on Redis. */
const usual: { drivers: readonly Driver[] } = { drivers: [LMDB] };

/** Sets what tests run on that do not say on which. */
export function useDrivers(drivers: readonly Driver[]): void {
  usual.drivers = drivers;
}

/**
 * Runs a suite once on each driver; where what a driver needs is not installed, its tests are skipped, and say so.
 *
 * @param subject what the suite is about
 * @param define sets the suite up, and registers tests by `test`
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

/** What a test of `onEachStore` has. */
export interface StoreContext {
  place: StorePlace;
  /** Open, and closed after the test. */
  store: Store;
}

/**
 * As `onEachDriver`, with an empty store for each test.
 *
 * @param now what the store counts by
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
