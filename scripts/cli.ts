#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { CommandError } from './command-error.ts';
import { addCommand } from './commands/add.ts';
import { buildCommand } from './commands/build.ts';
import { checkCommand } from './commands/check.ts';
import { diffCommand } from './commands/diff.ts';
import { newCommand } from './commands/new.ts';
import { pruneCommand } from './commands/prune.ts';
import { publishCommand } from './commands/publish.ts';
import { tryCommand } from './commands/try.ts';
import { verifyCommand } from './commands/verify.ts';

const packageFile = ['../package.json', '../../package.json'].map((file) => new URL(file, import.meta.url));

function readVersion(): string {
  for (const file of packageFile) {
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    } catch {}
  }
  return 'unknown';
}

async function main(): Promise<number> {
  const program = new Command('gamedata')
    .description('Compiles raw game data into the files that the gateway serves.')
    .version(readVersion())
    .showHelpAfterError('(see gamedata --help)')
    .addCommand(newCommand())
    .addCommand(addCommand())
    .addCommand(buildCommand())
    .addCommand(checkCommand())
    .addCommand(tryCommand())
    .addCommand(diffCommand())
    .addCommand(verifyCommand())
    .addCommand(pruneCommand())
    .addCommand(publishCommand());
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
