import { Command, CommanderError } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { readVersion } from '../../scripts/lib/version.ts';
import { redactKeys } from '../keys/api-key.ts';
import { StoreError } from '../store/store.ts';

const PROGRAM = 'gateway';

/** Loaded when named on the command line; the summary stands in for the others, in the list of `--help`. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  serve: {
    summary: 'answer requests over the compiled data',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  keys: {
    summary: 'issue, list, show, revoke and rotate API keys',
    load: async () => (await import('./keys.ts')).keysCommand(),
  },
  accounts: {
    summary: 'show, grant, export and delete accounts',
    load: async () => (await import('./accounts.ts')).accountsCommand(),
  },
  follows: {
    summary: 'list, add and remove what accounts follow',
    load: async () => (await import('./follows.ts')).followsCommand(),
  },
  alerts: {
    summary: 'set how accounts are told of what they follow',
    load: async () => (await import('./alerts.ts')).alertsCommand(),
  },
  members: {
    summary: 'list, import and revoke memberships',
    load: async () => (await import('./members.ts')).membersCommand(),
  },
  store: {
    summary: 'initialise a store',
    load: async () => (await import('./store.ts')).storeCommand(),
  },
  requests: {
    summary: 'add, list, accept, decline and finish requests for games',
    load: async () => (await import('./requests.ts')).requestsCommand(),
  },
};

/**
 * Runs `gateway`, which writes to this process's stdout and stderr.
 *
 * @param words what follows `gateway` on the command line
 * @returns the exit code: 0 done, 1 it could not be done, 2 wrong usage
 */
export async function runGateway(words: string[]): Promise<number> {
  try {
    await (await createProgram(words)).parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

/**
 * Makes `gateway`, with its options and their defaults.
 *
 * @param words those of the commands that are among them are loaded; of the others there is the name alone
 */
export async function createProgram(words: string[]): Promise<Command> {
  const program = new Command(PROGRAM)
    .description('Serves compiled game data over HTTP, to whoever has a key.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(clean(text.replace(/^error:/, `${PROGRAM}:`))) });
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    program.addCommand(words.includes(name) ? await load() : new Command(name).description(summary));
  }
  settle(program, PROGRAM);
  return program;
}

/** Gives all commands below one, wherever they were made, its settings, and a hint to their own help. */
function settle(command: Command, path: string): void {
  command.showHelpAfterError(`(see ${path} --help)`);
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    settle(child, `${path} ${child.name()}`);
  }
}

/** The one place where an error becomes an exit code: 1 could not be done, 2 was called wrongly; a bug shows its stack. */
function reportError(error: unknown): number {
  // Commander has written its own message by now; 0 is that of --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const expected = error instanceof CommandError || error instanceof StoreError;
  const text = expected
    ? `${PROGRAM}: ${error.message}`
    : error instanceof Error
      ? error.stack
      : String(error);
  process.stderr.write(`${clean(text ?? '')}\n`);
  return error instanceof CommandError ? error.exitCode : 1;
}

/** What was typed comes back in messages: no key is shown whole, and nothing in it may steer the terminal. */
function clean(text: string): string {
  return redactKeys(text).replace(/[^\P{Cc}\n\t]/gu, '?');
}
