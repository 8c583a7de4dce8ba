import { existsSync } from 'node:fs';
import path from 'node:path';
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

/** How a suite registers tests; `skip` where what they need is not there. */
export type Register<T> = (name: string, test: Callback<T>) => void;

/** Programs that some tests run, and not every machine has. */
export type Program = 'redis-server' | 'nginx' | 'swift-proxy-server' | 'prlimit' | 'chromium' | 'python3';

/** The path of an installed program; undefined without one. */
export function findProgram(program: Program): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file));
}

/** How a suite registers tests that need other programs; on a machine without one they are skipped, and say so. */
export function withPrograms<T>(suite: Test<T>, ...programs: Program[]): Register<T> {
  const missing = programs.find((program) => findProgram(program) === undefined);
  if (missing === undefined) return suite;
  return (name, test) => {
    process.stdout.write(`skipped for want of ${missing}: ${name}\n`);
    suite.skip(name, test);
  };
}

/** How a suite registers tests that need a redis-server. */
export function withRedis<T>(suite: Test<T>): Register<T> {
  return withPrograms(suite, 'redis-server');
}
