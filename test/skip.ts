import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Callback, Test } from 'uvu';

/** Where the real dumps are that some tests compile; they run only where the folder is there. */
export const UPSTREAM = process.env.GAMEDATA_UPSTREAM ?? '../shared/upstream';

/** Registers a test that needs the real dumps; without them it is skipped, and says so. */
export function testUpstream(suite: Test, name: string, test: () => Promise<void>): void {
  if (existsSync(UPSTREAM)) {
    suite(name, test);
    return;
  }
  process.stdout.write(`skipped for want of ${UPSTREAM}: ${name}\n`);
  suite.skip(name, test);
}

const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

/** How a suite registers tests that need a redis-server; on a machine without one they are skipped, and say so. */
export function withRedis<T>(suite: Test<T>): (name: string, test: Callback<T>) => void {
  if (HAS_REDIS) return suite;
  return (name, test) => {
    process.stdout.write(`skipped for want of redis-server: ${name}\n`);
    suite.skip(name, test);
  };
}
