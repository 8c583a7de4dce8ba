import { cp } from 'node:fs/promises';
import { inspect } from 'node:util';
import { suite, type Test } from 'uvu';
import { hasHistory } from '../../../support/version-before.ts';
import { OldWorld } from './old-world.ts';

/** The context of a test of `testOldFolder`. */
export interface OldContext {
  world: OldWorld;
  /** Makes a folder of the old version with the keys of ada@ and bob@, which no process has open. */
  makeStore(): Promise<string>;
}

/** The keys of such a folder. */
export const EMAILS = ['ada@example.org', 'bob@example.org'];

const isHere = await hasHistory();
if (!isHere) process.stdout.write('skipped without the history of git: taking over a folder\n');

/**
 * Runs a suite on folders of an old version.
 *
 * @param commit of that version; version 0.1.0 by default
 * @param define registers the tests
 */
export function testOldFolder(name: string, define: (test: Test<OldContext>) => void, commit?: string): void {
  const all = suite<OldContext>(`${name} is taken over`);
  all.before(async (context) => {
    if (!isHere) return;
    // uvu says nothing of what fails before the tests.
    const world = await OldWorld.open(commit).catch((error: unknown) => {
      process.stderr.write(`${inspect(error)}\n`);
      throw error;
    });
    const old = world.newStore();
    for (const email of EMAILS) await world.issueKey('old', old, email);
    context.world = world;
    context.makeStore = async () => {
      const store = world.newStore();
      await cp(old, store, { recursive: true });
      return store;
    };
  });
  all.after(({ world }) => world?.close());
  define(isHere ? all : (all.skip as Test<OldContext>));
  all.run();
}

/** The arguments that list the keys of a store. */
export function listing(store: string): string[] {
  return ['keys', 'list', '--json', '--store', store];
}
