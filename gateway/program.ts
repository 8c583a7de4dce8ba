import { Command, CommanderError } from 'commander';
import { CommandError, exitOnClosedOutput, readVersion, removeEmptyVariables } from '../scripts/system.ts';
import { DistError } from './data/dist-files.ts';
import { redactKeys } from './http/log.ts';
import { InputError } from './http/problem.ts';
import { StoreError } from './store/sql.ts';

const PROGRAM = 'gateway';

/** The commands with their summaries. A command is loaded only if the command line names it. */
const COMMANDS: Readonly<Record<string, [summary: string, load: () => Promise<Command>]>> = {
  serve: ['serve the compiled data over HTTP', async () => (await import('./serve.ts')).serveCommand()],
  keys: [
    'issue, list, show, set, revoke and rotate API keys',
    async () => (await import('./commands/keys.ts')).keysCommand(),
  ],
  accounts: [
    'show, grant, export, audit and delete accounts',
    async () => (await import('./people/commands/accounts.ts')).accountsCommand(),
  ],
  links: [
    'make, list and revoke read-only addresses of accounts',
    async () => (await import('./people/commands/accounts.ts')).linksCommand(),
  ],
  follows: [
    'list, add and remove what accounts follow',
    async () => (await import('./people/commands/alerts.ts')).followsCommand(),
  ],
  alerts: [
    'set on which channels accounts get alerts',
    async () => (await import('./people/commands/alerts.ts')).alertsCommand(),
  ],
  members: [
    'list, import and revoke memberships',
    async () => (await import('./people/commands/members.ts')).membersCommand(),
  ],
  requests: [
    'add, list, accept, decline and finish game requests',
    async () => (await import('./people/commands/requests.ts')).requestsCommand(),
  ],
  store: ['back up and restore a store', async () => (await import('./commands/store.ts')).storeCommand()],
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
 * @param words commands among these are loaded; the others have only a name and a summary
 */
export async function createProgram(words: string[]): Promise<Command> {
  const program = new Command(PROGRAM)
    .description('Serves compiled game data over HTTP to clients with a key.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(clean(text.replace(/^error:/, `${PROGRAM}:`))) });
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = words.includes(name) ? await load() : new Command(name);
    program.addCommand(command.description(summary));
  }
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
  const expected = [CommandError, StoreError, InputError, DistError].some((each) => error instanceof each);
  const text =
    expected && error instanceof Error
      ? `${PROGRAM}: ${error.message}`
      : error instanceof Error
        ? error.stack
        : String(error);
  process.stderr.write(`${clean(text ?? '')}\n`);
  if (error instanceof InputError) return 2;
  return error instanceof CommandError ? error.exitCode : 1;
}

/** Removes complete keys and control characters from a message, which may quote what was typed. */
function clean(text: string): string {
  return redactKeys(text).replace(/[^\P{Cc}\n\t]/gu, '?');
}
