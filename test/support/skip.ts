import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Callback, Test } from 'uvu';

/** The folder of the real dumps that some tests compile. Without the folder, those tests are skipped. */
export const UPSTREAM = process.env.GAMEDATA_UPSTREAM ?? '../shared/upstream';

/** Registers a test that needs the real dumps. Without them it is skipped, and a line says why. */
export function testUpstream(suite: Test, name: string, test: () => Promise<void>): void {
  if (existsSync(UPSTREAM)) {
    suite(name, test);
    return;
  }
  process.stdout.write(`skipped without ${UPSTREAM}: ${name}\n`);
  suite.skip(name, test);
}

/** Registers a test: as `suite`, or as `suite.skip` if what it needs is missing. */
export type Register<T> = (name: string, test: Callback<T>) => void;

/** Programs that some tests run and that may not be installed. */
export type Program = 'nginx' | 'nsenter' | 'git' | 'chromium' | 'python3';

/** The path of an installed program; undefined if it is not installed. */
export function findProgram(program: Program): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file));
}

/** Returns a function that registers tests which need programs. If one is not installed, they are skipped, and a line says why. */
export function withPrograms<T>(suite: Test<T>, ...programs: Program[]): Register<T> {
  const missing = programs.find((program) => findProgram(program) === undefined);
  if (missing === undefined) return suite;
  return (name, test) => {
    process.stdout.write(`skipped without ${missing}: ${name}\n`);
    suite.skip(name, test);
  };
}
