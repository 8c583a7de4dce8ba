/**
 * What is run: the tests of `npm test`, all tests, or the rest: what `npm run test:all` runs and `npm test` does not, or not as
 * thoroughly.
 */
export type Scope = 'core' | 'all' | 'rest';

/** Files of this folder start other processes, and `npm test` runs them nevertheless. */
const CORE = 'end-to-end/core/';

/** Files of this folder compile the real dumps, where they are there, which takes long. */
const UPSTREAM = 'upstream/';

/** Whether a test file's name says that it starts other processes. */
export function startsProcesses(file: string): boolean {
  return file.endsWith('.process.test.ts');
}

/**
 * Chooses test files by their names: `.process.test.ts` starts other processes, such as commands, Redis or nginx; `.long.test.ts` tries
 * much, of which `npm test` tries a tenth.
 *
 * @param files paths in test/
 * @param parts what a path has to contain, one of them; without any, all files of the scope are chosen
 */
export function chooseFiles(files: readonly string[], scope: Scope, parts: readonly string[]): string[] {
  if (parts.length > 0) return files.filter((file) => parts.some((part) => file.includes(part)));
  const isCore = (file: string) =>
    file.startsWith(CORE) || !(startsProcesses(file) || file.startsWith(UPSTREAM));
  if (scope === 'core') return files.filter(isCore);
  if (scope === 'rest') return files.filter((file) => !isCore(file) || file.endsWith('.long.test.ts'));
  return [...files];
}
