import { suite, type Test } from 'uvu';
import type { Store } from '../../../gateway/store/sql.ts';
import { type Place, sqlitePlace } from './engines.ts';

/** What a test of `onEachStore` gets. */
export interface StoreContext {
  place: Place;
  store: Store;
}

/** Runs a suite once on each kind of place. */
export function onEachDriver<T>(
  subject: string,
  define: (test: Test<T>, all: Test<T>, makePlace: () => Promise<Place>) => void,
  places: readonly (() => Place | Promise<Place>)[] = [sqlitePlace],
): void {
  for (const makePlace of places) {
    const test = suite<T>(subject);
    define(test, test, async () => makePlace());
    test.run();
  }
}

/** Runs a suite on SQLite, with an empty store for each test. @param now the clock of the store */
export function onEachStore<T extends StoreContext = StoreContext>(
  subject: string,
  now: () => number,
  define: (test: Test<T>, all: Test<T>) => void,
): void {
  onEachDriver<T>(subject, (test, all, makePlace) => {
    test.before.each(async (context) => {
      context.place = await makePlace();
      context.store = await context.place.open({ now });
    });
    test.after.each(async ({ place, store }) => {
      await store.close();
      await place.remove();
    });
    define(test, all);
  });
}
