import { readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CoverageChoice } from '../check/coverage.ts';

import { BUILD_NAME, type BulkFormat, SLUG } from '../format/dist-format.ts';
import type { UpstreamOptions } from '../read/game.ts';
import { CommandError, DEFAULT_LIMITS, DEFAULT_UPSTREAM_CACHE, type Limits } from '../system.ts';
import { findNearest, megabytes } from '../text.ts';

export function slugArgument(text: string): string {
  if (new RegExp(SLUG).test(text)) return text;
  throw new InvalidArgumentError('expected at most 64 lowercase letters, digits and single hyphens.');
}

export function buildArgument(text: string): string {
  if (new RegExp(BUILD_NAME).test(text)) return text;
  throw new InvalidArgumentError(
    'expected a URL-safe name of at most 64 letters, digits, ".", "_", "~" and "-", starting with a letter or digit, other than "latest".',
  );
}

/** Parses the address of a target, which is empty if a service passes a variable that is not set. */
export function targetArgument(text: string): string {
  if (text !== '' && /^(s3:|(?!.*:\/\/))/i.test(text)) return text;
  throw new InvalidArgumentError('expected a folder, or s3://bucket/prefix.');
}

/** The options of every command that reads files of builds, some of which may have to be downloaded. */
export interface UpstreamChoice {
  upstream: string;
  allowLocal: boolean;
}

export interface GameOptions extends UpstreamChoice {
  data: string;
  jobs: number;
  timeLimit: number;
  memoryLimit: number;
}

/** The option of commands that show the contents of the newest build. */
export interface CoverageOptions {
  coverage: CoverageChoice;
}

const COVERAGE_CHOICES: readonly CoverageChoice[] = ['moved', 'all', 'none'];

export function addCoverageOption(command: Command, byDefault: CoverageChoice = 'moved'): Command {
  return command.addOption(
    new Option(
      '--coverage <which>',
      'which attributes to list: those that moved since the build before, all or none',
    )
      .choices(COVERAGE_CHOICES)
      .default(byDefault),
  );
}

/** The folder for copies of upstream repositories and files. */
export const UPSTREAM_VARIABLE = 'GAMEDATA_UPSTREAM';

/** Adds the options for downloading files that builds reference. */
export function addUpstreamOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--upstream <folder>', 'where copies of files are kept that builds name by reference')
        .env(UPSTREAM_VARIABLE)
        .default(DEFAULT_UPSTREAM_CACHE),
    )
    .option('--allow-local', 'allow repositories on this machine, in private networks and over http', false);
}

export function upstreamOf({ upstream, allowLocal }: UpstreamChoice): UpstreamOptions {
  return { cache: upstream, allowLocal };
}

/** Adds the games as arguments, and the options of compiling commands. */
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

export function limitsOf({ timeLimit, memoryLimit }: GameOptions): Limits {
  return { seconds: timeLimit, mebibytes: memoryLimit };
}

/**
 * Returns the games that the arguments name, in their order; all games if there are none.
 *
 * @param out the folder for compiled files, if there is one
 * @throws CommandError if a game does not exist, if there are no games, or if `out` is inside the data folder
 */
export async function chooseGames(slugs: readonly string[], data: string, out?: string): Promise<string[]> {
  const folder = await stat(data).catch(() => undefined);
  if (!folder?.isDirectory()) {
    throw new CommandError(`no folder ${data}/: set the folder with your game folders with --data`, 2);
  }
  const present = await listGames(data);
  if (present.length === 0) {
    throw new CommandError(
      `no game in ${data}/: a game is a folder with a game.json, such as ${data}/my-game/game.json`,
      2,
    );
  }
  // The next run would read it as a game or a build.
  if (out !== undefined && !path.relative(data, out).startsWith('..'))
    throw new CommandError(`--out ${out} is inside the data folder ${data}: choose a folder outside it`, 2);
  const unknown = slugs.filter((slug) => !present.includes(slug));
  if (unknown.length === 0) return slugs.length > 0 ? [...new Set(slugs)] : present;
  const near = unknown.flatMap((slug) => findNearest(slug, present) ?? []);
  const meant = near.length > 0 ? `did you mean ${near.join(' or ')}? I` : 'i';
  throw new CommandError(`no game ${unknown.join(', ')} in ${data}/; ${meant}t has ${present.join(', ')}`, 2);
}

/** Returns the names of all folders, sorted, including links to folders, which are reported as not being games. */
async function listGames(data: string): Promise<string[]> {
  const names = (await readdir(data)).filter((name) => !name.startsWith('.')).sort();
  const facts = await Promise.all(names.map((name) => stat(path.join(data, name)).catch(() => undefined)));
  return names.filter((_, index) => facts[index]?.isDirectory());
}

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number, 1 or more.');
}

export interface BuildOptions extends GameOptions, CoverageOptions {
  out: string;
  cache: string | false;
  watch: boolean;
  amend?: string;
  formats: readonly BulkFormat[];
  formatsOf?: number;
}

/**
 * The last line of a build's output.
 *
 * @param totals the text about what was built
 * @param newBytes how many bytes were written
 * @param started `performance.now()` at the start
 */
export function summariseBuild(totals: string, newBytes: number, started: number): string {
  const seconds = (performance.now() - started) / 1000;
  return `${totals} (${megabytes(newBytes)} new) in ${seconds.toFixed(1)} s\n`;
}
