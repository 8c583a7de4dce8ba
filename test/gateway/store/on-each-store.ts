import { suite, type Test } from 'uvu';
import { type Place, sqlitePlace } from './engines.ts';

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
