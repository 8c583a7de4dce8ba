import { Command, CommanderError } from 'commander';
import { exitOnClosedOutput } from '../../../scripts/core/lib/closed-output.ts';
import { CommandError } from '../../../scripts/core/lib/command-error.ts';
import { removeEmptyVariables } from '../../../scripts/core/lib/empty-variables.ts';
import { readVersion } from '../../../scripts/core/lib/version.ts';
import { redactKeys } from '../keys/api-key.ts';
import { StoreError } from '../store/store.ts';

const PROGRAM = 'gateway';

/** All commands. A command is loaded only if it is named on the command line; `--help` shows the summaries of the others. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  serve: {
    summary: 'serve the compiled data over HTTP',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  doctor: {
    summary: 'check this machine and the settings in the environment',
    load: async () => (await import('../../parts/doctor/commands/doctor.ts')).doctorCommand(),
  },
  keys: {
    summary: 'issue, list, show, set, revoke and rotate API keys',
    load: async () => (await import('./keys.ts')).keysCommand(),
  },
  accounts: {
    summary: 'show, grant, export, audit and delete accounts',
    load: async () => (await import('../../parts/people/commands/accounts.ts')).accountsCommand(),
  },
  links: {
    summary: 'make, list and revoke read-only addresses of accounts',
    load: async () => (await import('../../parts/people/commands/links.ts')).linksCommand(),
  },
  follows: {
    summary: 'list, add and remove what accounts follow',
    load: async () => (await import('../../parts/people/commands/follows.ts')).followsCommand(),
  },
  alerts: {
    summary: 'set on which channels accounts get alerts',
    load: async () => (await import('../../parts/people/commands/alerts.ts')).alertsCommand(),
  },
  members: {
    summary: 'list, import and revoke memberships',
    load: async () => (await import('../../parts/people/commands/members.ts')).membersCommand(),
  },
  store: {
    summary: 'initialise, back up, verify, restore and migrate a store',
    load: async () => (await import('../../parts/backup/commands/store.ts')).storeCommand(),
  },
  requests: {
    summary: 'add, list, accept, decline and finish game requests',
    load: async () => (await import('../../parts/people/commands/requests.ts')).requestsCommand(),
  },
};

/**
 * Runs `gateway`. It writes to this process's stdout and stderr. If one of them is closed, the process exits with 141, except while it
 * serves.
 *
 * @param words the arguments after `gateway` on the command line
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
 * Makes the command `gateway` with its options and their defaults.
 *
 * @param words the commands among these words are loaded; others have only a name and a summary
 */
export async function createProgram(words: string[]): Promise<Command> {
  const program = new Command(PROGRAM)
    .description('Serves compiled game data over HTTP to clients with a key.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(clean(text.replace(/^error:/, `${PROGRAM}:`))) });
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    program.addCommand(words.includes(name) ? await load() : new Command(name).description(summary));
  }
  settle(program, PROGRAM);
  return program;
}

/** Gives the commands below a command its settings, and a hint to their own help. */
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
  const expected = error instanceof CommandError || error instanceof StoreError;
  const text = expected
    ? `${PROGRAM}: ${error.message}`
    : error instanceof Error
      ? error.stack
      : String(error);
  process.stderr.write(`${clean(text ?? '')}\n`);
  return error instanceof CommandError ? error.exitCode : 1;
}

/** Removes whole keys and control characters from a message, which may repeat what was typed. */
function clean(text: string): string {
  return redactKeys(text).replace(/[^\P{Cc}\n\t]/gu, '?');
}
