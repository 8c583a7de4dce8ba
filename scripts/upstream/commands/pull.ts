import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseFormats } from '../../commands/build.ts';
import { addCoverageOption, chooseGames, positiveInteger, UPSTREAM_VARIABLE } from '../../commands/games.ts';
import { BUILD_NAME, BULK_FORMATS } from '../../format/dist-format.ts';
import { CommandError, toCommandError } from '../../lib/command-error.ts';
import { countOf } from '../../lib/count-of.ts';
import { orCommandError } from '../../lib/system-error.ts';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE } from '../../publication/bucket-options.ts';
import { DEFAULT_UPSTREAM_CACHE } from '../../read/reference.ts';
import type { StartWorkers } from '../../workers/workers.ts';
import { chooseBuilds } from '../pull/choose-builds.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import { HeldBuilds } from '../pull/held.ts';
import { useUpstream } from '../pull/open-upstream.ts';
import type { RawSource } from '../pull/source-definition.ts';
import type { GameUpstream } from '../pull/upstream.ts';
import { instant } from './add.ts';
import { checkAdded } from './describe-added.ts';
import {
  addOne,
  describeFaults,
  describeFound,
  describePlanned,
  findQuiet,
  type PulledGame,
  type PullOptions,
  readPulledGame,
} from './pulled-game.ts';
import { describeHotfix, findHotfix } from './take-correction.ts';

const HELP = `
Repositories need git 2.37 or later. Builds are added oldest first, each as gamedata add adds it, and the game is checked after each. If the check finds
errors, the builds after it wait: correct the mapping or acknowledge the change, and pull again. A pull that is interrupted can be repeated.

With --build or --watch it needs no person: a build with errors is taken out again, reviewed and reported once, and noted in held.json in the game's
folder. The builds after it are checked beside the last one that passed. To accept it, add "overrides" to it in held.json, as build.json has them.
A game that cannot be pulled, built or published for half an hour (--report-after) is reported once, and once more when it works again.

Exit code: 0 done, 1 a game could not be pulled, has errors or has a build that is held back; 2 wrong usage. With --watch: 0 after SIGTERM.

Examples:
  gamedata pull                                  every game that has a source
  gamedata pull my-game --dry-run                shows what is new
  gamedata pull my-game --since 2026-01-01 --limit 3
  gamedata pull my-game --allow-local            "source" names file:///srv/mirror/dumps.git
  gamedata pull --build                          one round without a person
  gamedata pull --watch --every 5m --build --publish s3://games/dist --mail me@example.org
  gamedata pull --references                     names the files instead of copying them
  gamedata pull my-game --skip 1.1               1.1 stays out for good`;

/** `gamedata pull`, which compiles games by workers that `start` starts. */
export function pullCommand(start?: StartWorkers): Command {
  return addCoverageOption(new Command('pull'))
    .description(
      'add the new builds of upstream repositories and files, as "source" in game.json describes them',
    )
    .argument('[slug...]', 'the games (default: all that have a source)')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addOption(
      new Option('--cache <folder>', 'where copies of upstream repositories and files are kept')
        .env(UPSTREAM_VARIABLE)
        .default(DEFAULT_UPSTREAM_CACHE),
    )
    .option(
      '--references',
      'name the files of new builds by commit and SHA-256 instead of copying them, as "keep": "references" in "source" does; repositories only',
      false,
    )
    .option('--since <time>', 'only builds that are released at this time or later', instant)
    .option('--limit <number>', 'how many builds of each game are added at most', positiveInteger)
    .option('--dry-run', 'show which builds would be added, and add none', false)
    .option('--allow-local', 'allow repositories on this machine, in private networks and over http', false)
    .option('--watch', 'do it again and again, until you stop it; a build with errors is held back', false)
    .option('--every <time>', 'how often, with --watch: such as 30s, 5m or 1h', duration, 300_000)
    .option('--build', 'build each game that changed; a build with errors is held back', false)
    .option('--out <folder>', 'the folder for the compiled files, for --build', 'dist')
    .option(
      '--formats <list>',
      `for --build: also write each build in these formats, and in those that --out has: ${BULK_FORMATS.join(', ')}, or all`,
      parseFormats,
      [],
    )
    .option('--publish <target>', 'publish what was built to a folder or s3://bucket/prefix; needs --build')
    .addOption(new Option('--endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .option(
      '--webhook <address>',
      'post a notice about each build that is held back and each game that keeps failing, signed with GAMEDATA_WEBHOOK_SECRET',
    )
    .option(
      '--report-after <time>',
      'how long a game has to fail until a notice says so: such as 30m or 2h',
      duration,
      1_800_000,
    )
    .option('--mail <address>', 'mail the notice, over SMTP_URL from MAIL_FROM')
    .option('--reviews <folder>', 'the folder for reviews of builds that are held back', 'var/reviews')
    .option('--skip <build>', 'note that this build of upstream is never added')
    .addHelpText('after', HELP)
    .action((slugs: string[], options: PullOptions) => pull(slugs, options, start));
}

async function pull(slugs: string[], options: PullOptions, start?: StartWorkers): Promise<void> {
  const games = await chooseGames(slugs, options.data);
  if (options.skip !== undefined) return await skipBuild(slugs, options.skip, options.data);
  if (options.publish !== undefined && !options.build)
    throw new CommandError('--publish needs --build: only what was built can be published', 2);
  if (options.watch || options.build) {
    if (options.dryRun) throw new CommandError('use either --dry-run, or --watch and --build', 2);
    const { runService } = await import('./pull-service.ts');
    return await runService(slugs, options, start);
  }
  let failed = 0;
  let pulled = 0;
  for (const slug of games) {
    try {
      const game = await readPulledGame(slug, options.data, slugs.length > 0);
      if (game === undefined) continue;
      pulled++;
      await pullGame(game, options, start);
    } catch (error) {
      process.stderr.write(`${slug}: ${toCommandError(error).message}\n`);
      failed++;
    }
  }
  if (failed > 0) throw new CommandError(`${countOf(failed, 'game')} not pulled completely`);
  if (pulled === 0) {
    throw new CommandError(`no game in ${options.data}/ has a "source" in its game.json: add one`, 2);
  }
}

function describeAll(builds: readonly UpstreamBuild[], source: RawSource): string {
  return builds.map((build) => describePlanned(build, source)).join('');
}

async function skipBuild(slugs: readonly string[], build: string, data: string): Promise<void> {
  const [slug, ...more] = slugs;
  if (slug === undefined || more.length > 0)
    throw new CommandError('--skip needs one game: gamedata pull my-game --skip 1.1', 2);
  if (!validName.test(build)) throw new CommandError(`${build} is not the name of a build`, 2);
  const folder = path.posix.join(data, slug);
  const held = await HeldBuilds.read(folder);
  await held.revise(build, (now) => ({ ...now, skip: true }));
  process.stdout.write(`${slug}: build ${build} is skipped, as ${folder}/held.json says\n`);
}

const validName = new RegExp(BUILD_NAME);
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const MAX_EVERY_MS = 7 * 24 * 3_600_000;

/** Reads an option that is a duration, such as 5m. Returns ms. */
function duration(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (number !== '' && ms >= 1000 && ms <= MAX_EVERY_MS) return ms;
  throw new InvalidArgumentError(
    'expected a number of seconds, minutes or hours, such as 30s, 5m or 1h; at most 7 days.',
  );
}

async function pullGame(game: PulledGame, options: PullOptions, start?: StartWorkers): Promise<void> {
  const { builds } = game;
  const work = useUpstream(game, options, async (upstream) => {
    const held = await HeldBuilds.read(game.folder);
    const skipped = held.builds.flatMap(([build, { skip }]) => (skip ? build : []));
    const wanted = {
      present: new Set([...builds.map(({ build }) => build), ...skipped]),
      newest: builds.at(-1),
      since: options.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(options.since),
      limit: options.limit ?? Number.POSITIVE_INFINITY,
      now: Date.now(),
    };
    const choice = chooseBuilds(upstream.builds, wanted);
    process.stdout.write(describeFound(game, upstream, choice));
    const quiet = findQuiet(game, upstream, choice, wanted.now);
    if (quiet !== undefined) process.stderr.write(`${game.slug}: warning: ${quiet}\n`);
    if (options.dryRun) process.stdout.write(describeAll(choice.chosen, game.source));
    const empty = options.dryRun ? [] : await addBuilds(game, upstream, choice.chosen, options, start);
    const hotfix = await findHotfix(game, upstream, choice.corrected, held);
    const fault =
      describeFaults(game, upstream, empty) ??
      (hotfix &&
        describeHotfix(
          game,
          hotfix,
          'take it with gamedata add --replace, or see "later_commits" in the docs',
        ));
    if (fault !== undefined) throw fault;
  });
  await orCommandError(work, (reason) => `${options.cache} cannot be written: ${reason}`);
}

/** Adds builds. Returns the names of those that have no file of the game. */
async function addBuilds(
  game: PulledGame,
  upstream: GameUpstream,
  chosen: readonly UpstreamBuild[],
  options: PullOptions,
  start?: StartWorkers,
): Promise<string[]> {
  const { slug } = game;
  const empty: string[] = [];
  const checking = { ...options, upstream: options.cache };
  if (chosen.length > 0 && game.builds.length > 0) {
    const { errors } = await checkAdded(slug, checking, start);
    if (errors > 0) throw waits(`the builds that it has have ${countOf(errors, 'error')}`, slug, chosen);
  }
  for (const [index, build] of chosen.entries()) {
    if (!(await addOne(game, upstream, build, options))) {
      empty.push(build.build);
      continue;
    }
    // What was added after it says that upstream goes on.
    empty.length = 0;
    const { text, errors } = await checkAdded(slug, checking, start);
    process.stdout.write(text);
    if (errors > 0)
      throw waits(
        `with build ${build.build} it has ${countOf(errors, 'error')}`,
        slug,
        chosen.slice(index + 1),
      );
  }
  return empty;
}

function waits(found: string, slug: string, later: readonly UpstreamBuild[]): CommandError {
  const names = later.length === 0 ? '' : `; ${countOf(later.length, 'build')} after that: not added`;
  return new CommandError(
    `${found}${names}: run gamedata check ${slug}, correct or acknowledge them, and pull again`,
  );
}
