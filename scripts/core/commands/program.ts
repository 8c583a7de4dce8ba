import { Command, CommanderError } from 'commander';
import { exitOnClosedOutput } from '../lib/closed-output.ts';
import { CommandError } from '../lib/command-error.ts';
import { removeEmptyVariables } from '../lib/empty-variables.ts';
import { findFileLimit } from '../lib/open-files.ts';
import { describeLimit } from '../lib/system-error.ts';
import { readVersion } from '../lib/version.ts';
import type { StartWorkers } from '../workers/workers.ts';

/** If a process may open fewer files at once, workers cannot be started. */
const MIN_FILES = 128;
const RECOMMENDED_FILES = 1024;

/** All commands. A command's module is loaded only if the command runs, because loading all of them would take longer than most commands. */
const COMMANDS: Record<string, (start?: StartWorkers) => Promise<Command>> = {
  new: async () => (await import('../../parts/upstream/commands/new.ts')).newCommand(),
  add: async (start) => (await import('../../parts/upstream/commands/add.ts')).addCommand(start),
  pull: async (start) => (await import('../../parts/upstream/commands/pull.ts')).pullCommand(start),
  vendor: async () => (await import('../../parts/upstream/commands/vendor.ts')).vendorCommand(),
  build: async (start) => (await import('./build.ts')).buildCommand(start),
  check: async (start) => (await import('./check.ts')).checkCommand(start),
  try: async (start) => (await import('../../parts/upstream/commands/try.ts')).tryCommand(start),
  review: async (start) => (await import('../../parts/upstream/commands/review.ts')).reviewCommand(start),
  renumber: async (start) =>
    (await import('../../parts/upstream/commands/renumber.ts')).renumberCommand(start),
  diff: async (start) => (await import('./diff.ts')).diffCommand(start),
  types: async () => (await import('../../parts/types/commands/types.ts')).typesCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  prune: async () => (await import('../../parts/publish/commands/prune.ts')).pruneCommand(),
  publish: async () => (await import('../../parts/publish/commands/publish.ts')).publishCommand(),
  keypair: async () => (await import('../../parts/publish/commands/keypair.ts')).keypairCommand(),
};

/** Loads the command that the arguments name; all commands, for the help, if they name none. */
async function loadCommands(name: string | undefined, start?: StartWorkers): Promise<Command[]> {
  const named = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return await Promise.all((named ? [named] : Object.values(COMMANDS)).map((load) => load(start)));
}

/**
 * Makes `gamedata`, with its options and their defaults.
 *
 * @param name the command that is needed; without it, all are loaded
 */
export async function createProgram(name?: string, start?: StartWorkers): Promise<Command> {
  const program = new Command('gamedata')
    .description('Compiles raw game data into the files that the gateway serves.')
    .version(readVersion())
    .showHelpAfterError('(see gamedata --help)');
  for (const command of await loadCommands(name, start)) program.addCommand(command);
  for (const command of [program, ...program.commands]) command.exitOverride();
  return program;
}

/**
 * Runs `gamedata`, which writes to this process's stdout and stderr. The process exits with 141 if one of them is closed.
 *
 * @param words the arguments after `gamedata` on the command line
 * @param start starts the workers that compile (default: as processes)
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export async function runGamedata(words: string[], start?: StartWorkers): Promise<number> {
  removeEmptyVariables(process.env);
  const limit = findFileLimit() ?? MIN_FILES;
  if (limit < MIN_FILES) {
    process.stderr.write(
      `gamedata: at most ${limit} files may be open at once, and gamedata needs ${MIN_FILES}: raise the limit (ulimit -n ${RECOMMENDED_FILES})\n`,
    );
    return 1;
  }
  const program = await createProgram(words[0], start);
  exitOnClosedOutput(process);
  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
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
