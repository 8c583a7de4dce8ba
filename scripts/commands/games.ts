import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../command-error.ts';
import { DEFAULT_LIMITS, type Limits } from '../workers/limits.ts';

/** The options of every command that compiles games. */
export interface CompileOptions {
  data: string;
  jobs: number;
  timeLimit: number;
  memoryLimit: number;
}

/** Adds the games as arguments, and the options of compiling them. */
export function takeGames(command: Command): Command {
  return command
    .argument('[slug...]', 'the games; all of them when none is named')
    .option('--data <folder>', 'where the game folders are', 'data')
    .option('--jobs <number>', 'how many games at once', positiveInteger, availableParallelism())
    .option(
      '--time-limit <seconds>',
      'the longest that a build may take to compile',
      positiveInteger,
      DEFAULT_LIMITS.seconds,
    )
    .option(
      '--memory-limit <MiB>',
      'the memory that a game may take to compile',
      positiveInteger,
      DEFAULT_LIMITS.mebibytes,
    );
}

/** The limits that the options set. */
export function limitsOf({ timeLimit, memoryLimit }: CompileOptions): Limits {
  return { seconds: timeLimit, mebibytes: memoryLimit };
}

/**
 * The games that the arguments choose, in order.
 *
 * @throws CommandError when there is no such game, or none at all
 */
export async function chooseGames(slugs: readonly string[], data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    throw new CommandError(`no folder ${data}/: name the one with your game folders by --data`, 2);
  }
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const present = folders.map(({ name }) => name).sort();
  const unknown = slugs.filter((slug) => !present.includes(slug));
  if (unknown.length > 0) {
    throw new CommandError(
      `no game ${unknown.join(', ')} in ${data}/; it has ${present.join(', ') || 'none'}`,
      2,
    );
  }
  if (present.length === 0) {
    throw new CommandError(
      `no game in ${data}/: a game is a folder with a game.json, as ${data}/my-game/game.json`,
      2,
    );
  }
  return slugs.length > 0 ? [...new Set(slugs)] : present;
}

/** Reads an option that is a whole number from 1 on. */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number from 1 on.');
}
