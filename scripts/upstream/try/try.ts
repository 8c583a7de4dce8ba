import path from 'node:path';
import { Command } from 'commander';
import { countFindings, locateFindings, renderFindings } from '../../check/report.ts';
import {
  addUpstreamOptions,
  chooseGames,
  positiveInteger,
  slugArgument,
  type UpstreamChoice,
  upstreamOf,
} from '../../commands/options.ts';
import { type StartWorkers, startWorkers } from '../../compile/workers.ts';
import type { Finding } from '../../findings.ts';
import { CommandError, DEFAULT_LIMITS } from '../../system.ts';
import { provideReferences } from '../add/references.ts';
import type { Trial, TrialResult } from './evaluate.ts';

interface TryOptions extends UpstreamChoice, Omit<Trial, 'slug' | 'text' | 'upstream'> {
  timeLimit: number;
}

/** `gamedata try`. @param start starts the worker */
export function tryCommand(start: StartWorkers = startWorkers): Command {
  return addUpstreamOptions(new Command('try'))
    .description("print the result of a JSONata expression on the tables of a game's newest build")
    .argument('<slug>', 'the game', slugArgument)
    .argument('[expression]', 'an expression as in game.json; without it, the tables are listed')
    .option('--build <name>', 'a build (default: the newest)')
    .option(
      '--from <table>',
      'evaluate the expression for each row of a table, like an "entry": $ is the row, $key its key',
    )
    .option('--row <key>', 'only the row with this key')
    .option('--limit <number>', 'how many rows are printed', positiveInteger, 5)
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .option('--time-limit <seconds>', 'the maximum time', positiveInteger, DEFAULT_LIMITS.seconds)
    .addHelpText(
      'after',
      `
Exit code: 0 done, 1 the expression or the tables have errors, 2 wrong usage.

Examples:
  gamedata try genshin-impact                                         the list of tables
  gamedata try genshin-impact '$count($keys(characters))'             $ and $tables are all tables
  gamedata try genshin-impact '{"id": $key, "name": name}' --from characters
  gamedata try genshin-impact '$' --from characters --row hutao       one row, unmapped`,
    )
    .action((slug: string, text: string | undefined, options: TryOptions) =>
      run({ slug, text, ...options }, start),
    );
}

async function run(trial: Trial & TryOptions, start: StartWorkers): Promise<void> {
  const { slug, data, from, row } = trial;
  if (row !== undefined && from === undefined)
    throw new CommandError('--row is the key of a row: pass its table with --from', 2);
  await chooseGames([slug], data);
  const folder = path.posix.join(data, slug);
  refuse(await provideReferences(folder, upstreamOf(trial)));
  const workers = start(1, { ...DEFAULT_LIMITS, seconds: trial.timeLimit });
  const outcome = await workers.run<TrialResult>('evaluate', trial, folder).finally(() => workers.close());
  if ('findings' in outcome) return refuse(await locateFindings(outcome.findings));
  const { printed, said, failure } = outcome.value;
  process.stderr.write(said);
  process.stdout.write(printed);
  if (failure) throw new CommandError(failure.message, failure.exitCode);
}

function refuse(findings: Finding[]): void {
  if (findings.length === 0) return;
  process.stderr.write(`${renderFindings(findings)}\n`);
  throw new CommandError(`${countFindings(findings).errors} error found`);
}
