import { readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CoverageChoice } from '../check/coverage.ts';
import { CommandError } from '../lib/command-error.ts';
import { findNearest } from '../lib/nearest.ts';
import { DEFAULT_UPSTREAM_CACHE, type UpstreamOptions } from '../read/reference.ts';
import { DEFAULT_LIMITS, type Limits } from '../compile/workers.ts';

/** The options of every command that reads the files of builds, some of which may have to be fetched. */
export interface UpstreamChoice {
  upstream: string;
  allowLocal: boolean;
}

/** The options of every command that compiles games. */
export interface CompileOptions extends UpstreamChoice {
  data: string;
  jobs: number;
  timeLimit: number;
  memoryLimit: number;
}

/** The option of every command that shows what the newest build has. */
export interface CoverageOptions {
  coverage: CoverageChoice;
}

const COVERAGE_CHOICES: readonly CoverageChoice[] = ['moved', 'all', 'none'];

/** Adds the option that says which attributes the tables of coverage list. */
export function addCoverageOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--coverage <which>',
      'which attributes to list: those that moved since the build before, all or none',
    )
      .choices(COVERAGE_CHOICES)
      .default('moved'),
  );
}

/** The environment variable with the folder of copies of upstream repositories and files. */
export const UPSTREAM_VARIABLE = 'GAMEDATA_UPSTREAM';

/** Adds the options for fetching files that builds name by reference. */
export function addUpstreamOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--upstream <folder>', 'where copies of files are kept that builds name by reference')
        .env(UPSTREAM_VARIABLE)
        .default(DEFAULT_UPSTREAM_CACHE),
    )
    .option('--allow-local', 'allow repositories on this machine, in private networks and over http', false);
}

/** How files are fetched, as the options say. */
export function upstreamOf({ upstream, allowLocal }: UpstreamChoice): UpstreamOptions {
  return { cache: upstream, allowLocal };
}

/** Adds the games as arguments, and the options for compiling them. */
export function addGameOptions(command: Command): Command {
  return addUpstreamOptions(command)
    .argument('[slug...]', 'the games (default: all)')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .option('--jobs <number>', 'how many games are compiled at once', positiveInteger, availableParallelism())
    .option(
      '--time-limit <seconds>',
      'the maximum processor time for compiling a build',
      positiveInteger,
      DEFAULT_LIMITS.seconds,
    )
    .option(
      '--memory-limit <MiB>',
      'the maximum memory for compiling a game',
      positiveInteger,
      DEFAULT_LIMITS.mebibytes,
    );
}

/** The limits that the options set. */
export function limitsOf({ timeLimit, memoryLimit }: CompileOptions): Limits {
  return { seconds: timeLimit, mebibytes: memoryLimit };
}

/**
 * The games that the arguments name, in their order; all games if they name none.
 *
 * @throws CommandError if a game does not exist, or if there is no game
 */
export async function chooseGames(slugs: readonly string[], data: string): Promise<string[]> {
  const folder = await stat(data).catch(() => undefined);
  if (!folder?.isDirectory()) {
    throw new CommandError(`no folder ${data}/: set the folder with your game folders with --data`, 2);
  }
  const present = await listGames(data);
  const unknown = slugs.filter((slug) => !present.includes(slug));
  if (unknown.length > 0) {
    throw new CommandError(`no game ${unknown.join(', ')} in ${data}/; ${suggestGames(unknown, present)}`, 2);
  }
  if (present.length === 0) {
    throw new CommandError(
      `no game in ${data}/: a game is a folder with a game.json, such as ${data}/my-game/game.json`,
      2,
    );
  }
  return slugs.length > 0 ? [...new Set(slugs)] : present;
}

/** The games that may be intended by unknown slugs, if any, and all games. */
function suggestGames(unknown: readonly string[], present: readonly string[]): string {
  const near = present.filter((slug) =>
    unknown.some((other) => slug.startsWith(other) || findNearest(other, [slug]) !== undefined),
  );
  const all = `t has ${present.join(', ') || 'none'}`;
  return near.length > 0 ? `did you mean ${near.join(' or ')}? I${all}` : `i${all}`;
}

/** The names of all folders in order, including links to folders, which are reported as not being games. */
async function listGames(data: string): Promise<string[]> {
  const names = (await readdir(data)).filter((name) => !name.startsWith('.')).sort();
  const facts = await Promise.all(names.map((name) => stat(path.join(data, name)).catch(() => undefined)));
  return names.filter((_, index) => facts[index]?.isDirectory());
}

/** Reads an option that is a positive integer. */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number, 1 or more.');
}
