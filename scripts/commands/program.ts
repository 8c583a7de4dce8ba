import { Command, CommanderError } from 'commander';
import { exitOnClosedOutput } from '../lib/closed-output.ts';
import { CommandError } from '../lib/command-error.ts';
import { removeEmptyVariables } from '../lib/empty-variables.ts';
import { findFileLimit } from '../lib/open-files.ts';
import { describeLimit } from '../lib/system-error.ts';
import { readVersion } from '../lib/version.ts';
import type { Doors } from '../lib/port.ts';
import { openParts } from '../workers/parts.ts';
import type { StartWorkers } from '../workers/workers.ts';
import type { Door, LoadCommand } from './door.ts';

/** If a process may open fewer files at once, workers cannot be started. */
const MIN_FILES = 128;
const RECOMMENDED_FILES = 1024;

/** The commands of the core. A command's module is loaded only if the command runs, because loading all of them would take longer than most commands. */
const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  build: async (start) => (await import('./build.ts')).buildCommand(start),
};

/**
 * Makes `gamedata`, with its options and their defaults.
 *
 * @param doors the parts that are installed
 * @param name the command that is needed; without it, or if there is none of this name, all are loaded
 */
export async function createProgram(
  doors: readonly Door[],
  name?: string,
  start?: StartWorkers,
): Promise<Command> {
  const commands = new Map(
    [COMMANDS, ...doors.map(({ commands = {} }) => commands)].flatMap((some) => Object.entries(some)),
  );
  const named = name === undefined ? undefined : commands.get(name);
  const program = new Command('gamedata')
    .description('Compiles raw game data into the files that the gateway serves.')
    .version(readVersion())
    .showHelpAfterError('(see gamedata --help)');
  const loaded = await Promise.all((named ? [named] : [...commands.values()]).map((load) => load(start)));
  for (const command of loaded) program.addCommand(command);
  for (const command of [program, ...program.commands]) command.exitOverride();
  return program;
}

/**
 * Runs `gamedata`, which writes to this process's stdout and stderr. The process exits with 141 if one of them is closed.
 *
 * @param words the arguments after `gamedata` on the command line
 * @param doors the doors of the parts, which `module` exports as `DOORS`
 * @param module the address of this module
 * @param start starts the workers that compile (default: as processes)
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export async function runGamedata(
  words: string[],
  doors: Doors<Door>,
  module: string,
  start?: StartWorkers,
): Promise<number> {
  removeEmptyVariables(process.env);
  const limit = findFileLimit() ?? MIN_FILES;
  if (limit < MIN_FILES) {
    process.stderr.write(
      `gamedata: at most ${limit} files may be open at once, and gamedata needs ${MIN_FILES}: raise the limit (ulimit -n ${RECOMMENDED_FILES})\n`,
    );
    return 1;
  }
  const opened = await openParts(doors, module);
  const missing = Object.keys(doors).filter((name) => !opened.some((door) => door.name === name));
  const program = await createProgram(opened, words[0], start);
  exitOnClosedOutput(process);
  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'commander.unknownCommand' && missing.length > 0)
        process.stderr.write(
          `gamedata: these parts, which have further commands, are not installed: ${missing.join(', ')}\n`,
        );
      return error.exitCode === 0 ? 0 : 2;
    }
    const reached = error instanceof Error ? describeLimit(error) : undefined;
    if (reached !== undefined) {
      process.stderr.write(`gamedata: ${reached}\n`);
      return 1;
    }
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`gamedata: ${error.message}\n`);
    return error.exitCode;
  }
}
