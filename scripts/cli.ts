#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { CommandError } from './lib/command-error.ts';

const packageFile = ['../package.json', '../../package.json'].map((file) => new URL(file, import.meta.url));

function readVersion(): string {
  for (const file of packageFile) {
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    } catch {}
  }
  return 'unknown';
}

/** Each command's module is loaded when the command is run: what one of them needs would be most of the time of another. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  new: async () => (await import('./commands/new.ts')).newCommand(),
  add: async () => (await import('./commands/add.ts')).addCommand(),
  build: async () => (await import('./commands/build.ts')).buildCommand(),
  check: async () => (await import('./commands/check.ts')).checkCommand(),
  try: async () => (await import('./commands/try.ts')).tryCommand(),
  diff: async () => (await import('./commands/diff.ts')).diffCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  prune: async () => (await import('./commands/prune.ts')).pruneCommand(),
  publish: async () => (await import('./commands/publish.ts')).publishCommand(),
};

/** The command that the arguments name; all of them where they name none, for the help. */
async function loadCommands(name: string | undefined): Promise<Command[]> {
  const named = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return await Promise.all((named ? [named] : Object.values(COMMANDS)).map((load) => load()));
}

async function main(): Promise<number> {
  const program = new Command('gamedata')
    .description('Compiles raw game data into the files that the gateway serves.')
    .version(readVersion())
    .showHelpAfterError('(see gamedata --help)');
  for (const command of await loadCommands(process.argv[2])) program.addCommand(command);
  for (const command of [program, ...program.commands]) command.exitOverride();
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`gamedata: ${error.message}\n`);
    return error.exitCode;
  }
}

process.exitCode = await main();
