/**
 * Which tests run. `core`: those of `npm test`. `all`: all. `rest`: those that `npm test` leaves out, with as few inputs.
 */
export type Scope = 'core' | 'all' | 'rest';

/** Files in this folder compile the real dumps, if they exist, which is slow. */
const UPSTREAM = 'upstream/';

/** Whether a test file's name says that it starts other processes. */
export function startsProcesses(file: string): boolean {
  return file.endsWith('.process.test.ts');
}

/** Whether `npm test` runs a file. */
function isCore(file: string): boolean {
  return !(startsProcesses(file) || file.startsWith(UPSTREAM));
}

/**
 * Chooses test files by their names. A `.process.test.ts` starts other processes, such as commands, Redis or nginx. A `.long.test.ts`
 * tries many inputs; in `npm test`, a thirtieth of them.
 *
 * @param files paths in test/
 * @param parts a path, with or without `test/`, has to contain one of them; if there are none, all files of the scope are chosen
 */
export function chooseFiles(files: readonly string[], scope: Scope, parts: readonly string[]): string[] {
  if (parts.length > 0) return files.filter((file) => parts.some((part) => `test/${file}`.includes(part)));
  if (scope === 'core') return files.filter(isCore);
  if (scope === 'rest') return files.filter((file) => !isCore(file));
  return [...files];
}

/** So many successive samples run every file that `npm test` leaves out. */
export const SAMPLES = 3;

/**
 * Of these files, those that are in every sample. They guard against lost data, code of strangers and secrets that leak, and hold
 * what the product consists of. The package itself is tested with each sample too, on the next Node.js.
 */
export const IN_EVERY_SAMPLE: readonly string[] = [
  'end-to-end/core-alone.process.test.ts',
  'gateway/store/accounts/accounts.process.test.ts',
  'gateway/commands/serve.process.test.ts',
  'gateway/http/secrets.process.test.ts',
  'gateway/store/shared-store.process.test.ts',
  'gateway/store/sqlite-signals.process.test.ts',
  'gateway/store/sqlite-store.process.test.ts',
  'gateway/backup/backup.process.test.ts',
  'gateway/backup/damage.process.test.ts',
  'packages.process.test.ts',
  'scripts/commands/full-disk.process.test.ts',
  'scripts/commands/interrupted.process.test.ts',
  'scripts/lib/replace-file.process.test.ts',
  'scripts/watchdog/time-limit.process.test.ts',
  'scripts/workers/guard.process.test.ts',
];

/** Leaves out the files of other samples. @param seed which sample it is: an integer from 0 on */
export function sampleFiles(files: readonly string[], seed: number): string[] {
  const sampled = files.filter((file) => !isCore(file) && !IN_EVERY_SAMPLE.includes(file));
  return files.filter((file) => {
    const at = sampled.indexOf(file);
    return at < 0 || at % SAMPLES === seed % SAMPLES;
  });
}

/** The files that take longest, the longest first. What this list lacks only makes a run longer. */
export const SLOWEST: readonly string[] = [
  'end-to-end/docs/gateway.process.test.ts',
  'end-to-end/docs/maintainers.process.test.ts',
  'gateway/site/browser.process.test.ts',
  'gateway/site/interactive.process.test.ts',
  'end-to-end/package.process.test.ts',
  'scripts/workers/compiler.process.test.ts',
  'scripts/jsonata/published.process.test.ts',
  'scripts/commands/interrupted.process.test.ts',
  'upstream/dumps.test.ts',
  'data/shipped-data.test.ts',
  'gateway/data/swap.long.test.ts',
  'gateway/data/views.long.test.ts',
  'scripts/game/mutations.long.test.ts',
  'upstream/new.test.ts',
  'upstream/proposals.test.ts',
];

/**
 * Orders files for several lanes: first those that start processes, and in both parts the slowest, so that no lane is still busy with a
 * long file when the others have ended.
 */
export function orderFiles(files: readonly string[]): string[] {
  const rankOf = (file: string) => {
    const place = SLOWEST.indexOf(file);
    return (startsProcesses(file) ? 0 : 2 * SLOWEST.length) + (place < 0 ? SLOWEST.length : place);
  };
  return [...files].sort((a, b) => rankOf(a) - rankOf(b));
}
