import { Command, CommanderError } from 'commander';
import {
  CommandError,
  errorOf,
  exitOnClosedOutput,
  readVersion,
  removeEmptyVariables,
} from '../scripts/system.ts';
import { DistError } from './data/dist-files.ts';
import { redactKeys } from './http/log.ts';
import { InputError } from './http/problem.ts';
import { StoreError } from './store/sql.ts';

const PROGRAM = 'gateway';

/** The commands. One is loaded only if the command line names it, or none. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  accounts: async () => (await import('./people/commands/accounts.ts')).accountsCommand(),
  links: async () => (await import('./people/commands/accounts.ts')).linksCommand(),
  follows: async () => (await import('./people/commands/alerts.ts')).followsCommand(),
  alerts: async () => (await import('./people/commands/alerts.ts')).alertsCommand(),
  members: async () => (await import('./people/commands/members.ts')).membersCommand(),
  requests: async () => (await import('./people/commands/requests.ts')).requestsCommand(),
  store: async () => (await import('./commands/store.ts')).storeCommand(),
};

/**
 * Runs `gateway`. It writes to stdout and stderr of this process. If one of them is closed, the process exits with 141, except while it serves.
 *
 * @param words the arguments after `gateway`
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export async function runGateway(words: string[]): Promise<number> {
  const ignoreClosedOutput = exitOnClosedOutput(process);
  removeEmptyVariables(process.env);
  try {
    const program = await createProgram(words);
    program.hook('preAction', (_, command) => {
      if (command.name() === 'serve') ignoreClosedOutput();
    });
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

/**
 * Makes the command `gateway`, with the options and their defaults.
 *
 * @param words if commands are among these, the others have only a name
 */
export async function createProgram(words: string[]): Promise<Command> {
  const program = new Command(PROGRAM)
    .description('Serves compiled game data over HTTP to clients with a key.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(clean(text.replace(/^error:/, `${PROGRAM}:`))) });
  const isNamed = words.some((word) => Object.hasOwn(COMMANDS, word));
  for (const [name, load] of Object.entries(COMMANDS))
    program.addCommand(!isNamed || words.includes(name) ? await load() : new Command(name));
  settle(program, PROGRAM);
  return program;
}

/** Applies the parent's settings to subcommands, and adds a hint to their help. */
function settle(command: Command, path: string): void {
  command.showHelpAfterError(`(see ${path} --help)`);
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    settle(child, `${path} ${child.name()}`);
  }
}

/** Prints an error and returns its exit code: 1 failure, 2 wrong usage. A bug is printed with its stack. */
function reportError(error: unknown): number {
  // Commander has already printed its message. Its exit code is 0 for --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isExpected = [CommandError, StoreError, InputError, DistError].some((each) => error instanceof each);
  const { message, stack = message } = errorOf(error);
  process.stderr.write(`${clean(isExpected ? `${PROGRAM}: ${message}` : stack)}\n`);
  if (error instanceof InputError) return 2;
  return error instanceof CommandError ? error.exitCode : 1;
}

/** Removes complete keys and control characters from a message, which may quote what was typed. */
function clean(text: string): string {
  return redactKeys(text).replace(/[^\P{Cc}\n\t]/gu, '?');
}
