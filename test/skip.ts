import { existsSync } from 'node:fs';
import type { Test } from 'uvu';

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
