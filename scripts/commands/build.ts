import { Command, InvalidArgumentError } from 'commander';
import { markRun } from '../compile/memo.ts';
import type { StartWorkers } from '../compile/workers.ts';
import { withDistLock } from '../dist/lock.ts';
import { BULK_FORMATS, type BulkFormat } from '../format/dist-format.ts';
import { CommandError } from '../system.ts';
import * as common from './options.ts';

/** `gamedata build`. @param start starts the workers that compile */
export function buildCommand(start?: StartWorkers): Command {
  return common
    .addCoverageOption(common.addGameOptions(new Command('build')))
    .description('compile raw game data into dist/')
    .option('--out <folder>', 'the folder for the compiled files', 'dist')
    .option('--cache <folder>', 'the folder that remembers what builds were compiled from', 'var/cache')
    .option('--no-cache', 'compile every build, also unchanged ones')
    .option('--watch', 'build again after each change, until you stop it')
    .option('--amend <reason>', 'record that released builds are corrected, and why', reason)
    .option(
      '--formats <list>',
      `also write each build in these formats: ${BULK_FORMATS.join(', ')}, or all`,
      parseFormats,
      [],
    )
    .option(
      '--formats-of <number>',
      'how many of the newest builds of a game are written in these formats (default: all)',
      common.positiveInteger,
    )
    .addHelpText(
      'after',
      `
Each build is recorded in its game's builds.lock.json. After its release, a change to a recorded build is an error: undo the change, or
give the reason for the correction with --amend. With --watch it is a warning, and nothing is recorded.

Exit code: 0 done, 1 errors were found and nothing was written, 2 wrong usage.

Examples:
  gamedata build                          compile every game in data/ into dist/
  gamedata build arknights --out /srv/d   compile one; the other games in /srv/d do not change
  gamedata build --watch                  while you work on a mapping, beside a running gateway
  gamedata build --formats csv,parquet    for spreadsheets and databases too
  gamedata build --amend "hp of 2 units"  correct builds that are already released`,
    )
    .action((slugs: string[], options: common.BuildOptions) => build(slugs, options, start));
}

async function build(slugs: string[], options: common.BuildOptions, start?: StartWorkers): Promise<void> {
  const { data, out, cache, watch, amend, formatsOf } = options;
  const games = await common.chooseGames(slugs, data, out);
  if (watch && amend !== undefined) throw new CommandError('use either --amend or --watch, not both', 2);
  if (watch) {
    const { watchAndBuild } = await import('./build-games.ts');
    await watchAndBuild(slugs, options);
    return;
  }
  const keepOthers = slugs.length > 0;
  await withDistLock(out, async () => {
    const started = performance.now();
    const formats = [...options.formats, ...(formatsOf === undefined ? [] : [`of ${formatsOf}`])];
    const run = { data, out, cache: cache || '', slugs: games, keepOthers, formats };
    const isRemembered = cache !== false && amend === undefined;
    const lastRun = isRemembered ? markRun(run, Date.now()) : undefined;
    const unchanged = await lastRun?.find();
    if (unchanged) {
      if (unchanged.warnings !== '') process.stderr.write(unchanged.warnings);
      process.stdout.write(common.summariseBuild(unchanged.totals, 0, started));
      return;
    }
    // Loading the compiler takes longer than finding that there is nothing to do.
    const { startCompiler } = await import('../compile/workers.ts');
    const compiler = startCompiler(options.jobs, common.limitsOf(options), games.length, start);
    // Loaded while the workers start.
    const { buildGames } = await import('./build-games.ts');
    const printed = await buildGames(compiler, games, keepOthers, options).finally(() => compiler.close());
    await lastRun?.remember(printed);
  });
}

/** Parses the option `--formats`. @returns the formats in canonical order */
export function parseFormats(text: string): BulkFormat[] {
  const names = text === 'all' ? BULK_FORMATS : text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !BULK_FORMATS.some((format) => format === name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `${JSON.stringify(unknown)} is no format; expected ${BULK_FORMATS.join(', ')}, or all.`,
    );
  return BULK_FORMATS.filter((format) => names.includes(format));
}

function reason(text: string): string {
  if (text.trim() !== '' && text.length <= 2000) return text;
  throw new InvalidArgumentError('expected the reason, which the history will show.');
}
