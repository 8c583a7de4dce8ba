import { Command, CommanderError } from 'commander';
import { exitOnClosedOutput } from '../../scripts/lib/closed-output.ts';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { removeEmptyVariables } from '../../scripts/lib/empty-variables.ts';
import type { Doors } from '../../scripts/lib/port.ts';
import { readVersion } from '../../scripts/lib/version.ts';
import { redactKeys } from '../http/log.ts';
import { StoreError } from '../store/store.ts';
import { type CommandEntry, type Door, KEY_TERMS, type ServedPart } from './door.ts';
import { openParts } from './parts-option.ts';

const PROGRAM = 'gateway';
/** The commands that read the options of `serve`. */
const SERVING = ['serve', 'doctor'];

/** The commands of the core. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'serve the compiled data over HTTP',
    load: async (parts) => (await import('./serve.ts')).serveCommand(parts),
  },
  keys: {
    summary: 'issue, list, show, set, revoke and rotate API keys',
    load: async () => (await import('./keys.ts')).keysCommand(await KEY_TERMS.load()),
  },
};

/**
 * Runs `gateway`. It writes to this process's stdout and stderr. If one of them is closed, the process exits with 141, except while it
 * serves.
 *
 * @param words the arguments after `gateway` on the command line
 * @param doors those of all parts
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export async function runGateway(words: string[], doors: Doors<Door>): Promise<number> {
  const ignoreClosedOutput = exitOnClosedOutput(process);
  removeEmptyVariables(process.env);
  try {
    const program = await createProgram(words, doors);
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
 * @throws CommandError if `words` name a part that does not exist
 */
export async function createProgram(words: string[], doors: Doors<Door>): Promise<Command> {
  const opened = await openParts(words, doors);
  const commands = Object.assign({}, COMMANDS, ...opened.map((door) => door.commands)) as typeof COMMANDS;
  const program = new Command(PROGRAM)
    .description('Serves compiled game data over HTTP to clients with a key.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(clean(text.replace(/^error:/, `${PROGRAM}:`))) });
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = words.includes(name) ? await load(await loadServed(name, opened)) : new Command(name);
    program.addCommand(command.description(summary));
  }
  settle(program, PROGRAM);
  return program;
}

/** Loads what the parts add to `serve`, for the commands that need it. */
async function loadServed(command: string, doors: readonly Door[]): Promise<ServedPart[]> {
  if (!SERVING.includes(command)) return [];
  const loaded = await Promise.all(doors.map((door) => door.loadServed?.()));
  return loaded.filter((part) => part !== undefined);
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
