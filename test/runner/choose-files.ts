/** What is run: the tests of `npm test`, all tests, or those that only `npm run test:all` runs. */
export type Scope = 'core' | 'all' | 'rest';

/** Files of this folder start processes or servers, and `npm test` runs them nevertheless. */
const CORE = 'end-to-end/core/';

/** Whether a test file's name says that it starts processes or servers. */
function startsProcesses(file: string): boolean {
  return file.endsWith('.process.test.ts');
}

/**
 * Chooses test files.
 *
 * @param files paths in test/
 * @param parts what a path has to contain, one of them; without any, all files of the scope are chosen
 */
export function chooseFiles(files: readonly string[], scope: Scope, parts: readonly string[]): string[] {
  if (parts.length > 0) return files.filter((file) => parts.some((part) => file.includes(part)));
  const isCore = (file: string) => !startsProcesses(file) || file.startsWith(CORE);
  if (scope === 'core') return files.filter(isCore);
  if (scope === 'rest') return files.filter((file) => !isCore(file));
  return [...files];
}
