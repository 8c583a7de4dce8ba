import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { holdDist } from '../dist/dist-lock.ts';
import { CommandError } from '../lib/command-error.ts';
import { LastRun } from '../reuse/last-run.ts';
import type { StartWorkers } from '../workers/workers.ts';
import { type BuildOptions, summarise } from './build-options.ts';
import { chooseGames, limitsOf, takeGames } from './games.ts';

/** `gamedata build`, by workers that `start` starts. */
export function buildCommand(start?: StartWorkers): Command {
  return takeGames(new Command('build'))
    .description('compile raw game data into dist/')
    .option('--out <folder>', 'where the compiled files go', 'dist')
    .option('--cache <folder>', 'where it is remembered what builds were compiled from', 'var/cache')
    .option('--no-cache', 'compile every build, also those that are as they were')
    .option('--watch', 'build again what changes, until you end it')
    .option('--amend <reason>', 'record that released builds are corrected, and why', reason)
    .addHelpText(
      'after',
      `
What is built is recorded in its game's builds.lock.json. From a build's recorded release on, one that would change is an error: undo
the change, or say with --amend why it is a correction. With --watch it is a warning, and nothing is recorded.

Exit code: 0 done, 1 errors were found and nothing was written, 2 wrong usage.

Examples:
  gamedata build                          compile every game in data/ into dist/
  gamedata build arknights --out /srv/d   compile one; the others in /srv/d stay as they are
  gamedata build --watch                  while you work on a mapping, beside a running gateway
  gamedata build --amend "hp of 2 units"  correct builds that are released already`,
    )
    .action((slugs: string[], options: BuildOptions) => build(slugs, options, start));
}

async function build(slugs: string[], options: BuildOptions, start?: StartWorkers): Promise<void> {
  const { data, out, cache, watch, amend } = options;
  const games = await chooseGames(slugs, data);
  refuseOutInData(out, data);
  if (watch && amend !== undefined) throw new CommandError('--amend is for one build, not for --watch', 2);
  if (watch) {
    const { watchAndBuild } = await import('./build-games.ts');
    await watchAndBuild(slugs, options);
    return;
  }
  const keepOthers = slugs.length > 0;
  await holdDist(out, async (lease) => {
    const started = performance.now();
    const run = { data, out, cache: cache || '', slugs: games, keepOthers };
    const lastRun = cache !== false && amend === undefined ? new LastRun(run, Date.now()) : undefined;
    const known = await lastRun?.find();
    if (known) {
      if (known.warnings !== '') process.stderr.write(known.warnings);
      process.stdout.write(summarise(known.totals, 0, started));
      return;
    }
    // What compiles takes longer to load than it takes to see that there is nothing to do.
    const { startCompiler } = await import('../workers/compiler.ts');
    const compiler = startCompiler(options.jobs, limitsOf(options), games.length, start);
    // While its workers start.
    const { buildOnce } = await import('./build-games.ts');
    const { plans, told } = await buildOnce(compiler, games, keepOthers, options, lease);
    await lastRun?.remember(plans, told);
  });
}

/** What is written into the data folder would be taken for a game, or for a build's file, the next time. */
function refuseOutInData(out: string, data: string): void {
  const inside = !path.relative(data, out).startsWith('..');
  if (inside)
    throw new CommandError(`--out ${out} lies in the data folder ${data}: name a folder outside it`, 2);
}

function reason(text: string): string {
  if (text.trim() !== '' && text.length <= 2000) return text;
  throw new InvalidArgumentError('expected the reason, as the history is to show it.');
}
