import { Command, CommanderError } from 'commander';
import type { StartWorkers } from '../compile/workers.ts';
import {
  CommandError,
  describeLimit,
  exitOnClosedOutput,
  readVersion,
  removeEmptyVariables,
} from '../system.ts';

/** All commands. The module of a command is loaded only if it runs, because loading all would take longer than most commands. */
const COMMANDS: Readonly<Record<string, (start?: StartWorkers) => Promise<Command>>> = {
  build: async (start) => (await import('./build.ts')).buildCommand(start),
  check: async (start) => (await import('./check.ts')).checkCommand(start),
  new: async () => (await import('../upstream/new/new.ts')).newCommand(),
  add: async () => (await import('../upstream/add/add.ts')).addCommand(),
  pull: async (start) => (await import('../upstream/pull/pull.ts')).pullCommand(start),
  rollback: async (start) => (await import('../upstream/pull/pull.ts')).rollbackCommand(start),
  try: async (start) => (await import('../upstream/try/try.ts')).tryCommand(start),
  diff: async (start) => (await import('../upstream/review/diff.ts')).diffCommand(start),
  review: async (start) => (await import('../upstream/review/review.ts')).reviewCommand(start),
  renumber: async (start) => (await import('../upstream/add/renumber.ts')).renumberCommand(start),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  prune: async () => (await import('./verify.ts')).pruneCommand(),
  publish: async () => (await import('./publish.ts')).publishCommand(),
  types: async () => (await import('./types.ts')).typesCommand(),
};

/**
 * Makes `gamedata` with its options and their defaults.
 *
 * @param name the only command to load; if it is absent or unknown, all are loaded
 */
export async function createProgram(name?: string, start?: StartWorkers): Promise<Command> {
  const named = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const program = new Command('gamedata')
    .description('Compiles raw game data into the files that the gateway serves.')
    .version(readVersion())
    .showHelpAfterError('(see gamedata --help)');
  const loaded = await Promise.all((named ? [named] : Object.values(COMMANDS)).map((load) => load(start)));
  for (const command of loaded) program.addCommand(command);
  for (const command of [program, ...program.commands]) command.exitOverride();
  return program;
}

/**
 * Runs `gamedata`, which writes to stdout and stderr of this process. The process exits with 141 if one of them is closed.
 *
 * @param words the arguments after `gamedata`
 * @param start starts the workers that compile; processes by default
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export async function runGamedata(words: string[], start?: StartWorkers): Promise<number> {
  removeEmptyVariables(process.env);
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
