import { readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../lib/command-error.ts';
import { DEFAULT_LIMITS, type Limits } from '../watchdog/limits.ts';

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
  const folder = await stat(data).catch(() => undefined);
  if (!folder?.isDirectory()) {
    throw new CommandError(`no folder ${data}/: name the one with your game folders by --data`, 2);
  }
  const present = await listGames(data);
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

/** The folders that may be games, in order; links to folders among them, so that they are told to be no games. */
async function listGames(data: string): Promise<string[]> {
  const names = (await readdir(data)).filter((name) => !name.startsWith('.')).sort();
  const facts = await Promise.all(names.map((name) => stat(path.join(data, name)).catch(() => undefined)));
  return names.filter((_, index) => facts[index]?.isDirectory());
}

/** Reads an option that is a whole number from 1 on. */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number from 1 on.');
}
