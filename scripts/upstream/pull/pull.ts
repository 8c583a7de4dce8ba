import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseFormats } from '../../commands/build.ts';
import { chooseGames, positiveInteger, slugArgument, UPSTREAM_VARIABLE } from '../../commands/options.ts';
import { type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { BUILD_NAME, BULK_FORMATS } from '../../format/dist-format.ts';
import { publishDist } from '../../publish/publish.ts';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE } from '../../publish/targets.ts';
import { CommandError, createProgress, DEFAULT_LIMITS, DEFAULT_UPSTREAM_CACHE } from '../../system.ts';
import { instant } from '../add/add.ts';
import { readOrRefuse } from '../add/add-build.ts';
import { buildOne, Puller, type PullOptions, withPullLock } from './round.ts';
import { GameState } from './state.ts';
import { takeOut } from './try-build.ts';

const HELP = `
Repositories need git 2.37 or later. New builds are added oldest first, each as gamedata add adds it, and the game is checked after each. A build with
errors is taken out again, reviewed and noted with its questions in held.json in the game's folder; those after it are checked beside the last one that
passed. To accept it, add "overrides" to it in held.json, as build.json has them. One round of --watch and one that cron starts are the same: it can be
killed and repeated at any time.

Exit code: 0 nothing needs a person; 1 a build is held back, a dataset is kept as it was, upstream changed a build that is served, or a game could not be
pulled, built, published or reported; 2 wrong usage. With --watch: 0 after SIGTERM.

Examples:
  gamedata pull                                  every game that has a source
  gamedata pull my-game --dry-run                shows what is new
  gamedata pull my-game --since 2026-01-01 --limit 3
  gamedata pull my-game --allow-local            "source" names file:///srv/mirror/dumps.git
  gamedata pull --build                          also builds dist/
  gamedata pull --watch --every 5m --build --publish s3://games/dist --webhook https://example.org/hook
  gamedata pull --references                     names the files instead of copying them
  gamedata pull my-game --skip 1.1               1.1 stays out, or as it is, for good
  gamedata pull my-game --take 1.1               takes 1.1 after all, although its date is odd or it was rolled back`;

/** `gamedata pull`. @param start starts the workers that compile games */
export function pullCommand(start?: StartWorkers): Command {
  return new Command('pull')
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
    .option(
      '--as-is',
      'add the next build although checks hold it back, to correct the mapping beside it',
      false,
    )
    .option('--watch', 'do it again and again, until you stop it', false)
    .option('--every <time>', 'how often, with --watch: such as 30s, 5m or 1h', duration, 300_000)
    .option('--build', 'build each game that changed', false)
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
      'post what needs a person once, and what still waits once a day; signed with GAMEDATA_WEBHOOK_SECRET if that is set',
    )
    .option(
      '--report-after <time>',
      'how long a game has to fail until it is reported: such as 30m or 2h',
      duration,
      1_800_000,
    )
    .option('--reviews <folder>', 'the folder for reviews of builds that are held back', 'var/reviews')
    .option('--skip <build>', 'note that this build of upstream is never added, or stays as it is')
    .option('--take <build>', 'note that this build of upstream is taken after all')
    .addHelpText('after', HELP)
    .action(async (slugs: string[], options: PullOptions & { skip?: string; take?: string }) => {
      const { skip, take, data, publish, build, dryRun, watch } = options;
      await chooseGames(slugs, data);
      if (skip !== undefined || take !== undefined) return await decide(slugs, options);
      if (publish !== undefined && !build)
        throw new CommandError('--publish needs --build: only what was built can be published', 2);
      if (dryRun && (watch || build))
        throw new CommandError('use either --dry-run, or --watch and --build', 2);
      await new Puller(slugs, options, start).run();
    });
}

/** Records a person's decision about a build. */
async function decide(
  slugs: readonly string[],
  { data, skip, take }: PullOptions & { skip?: string; take?: string },
): Promise<void> {
  const [slug, ...more] = slugs;
  const build = skip ?? take ?? '';
  const option = skip === undefined ? '--take' : '--skip';
  if (slug === undefined || more.length > 0)
    throw new CommandError(`${option} needs one game: gamedata pull my-game ${option} 1.1`, 2);
  if (!new RegExp(BUILD_NAME).test(build)) throw new CommandError(`${build} is not the name of a build`, 2);
  const folder = path.posix.join(data, slug);
  const state = await GameState.read(folder);
  await state.change(({ builds }) => {
    const { [build]: now } = builds;
    const { overrides } = now ?? {};
    builds[build] =
      skip === undefined ? { take: true, ...(overrides && { overrides }) } : { ...now, skip: true };
  });
  process.stdout.write(
    `${slug}: build ${build} is ${skip === undefined ? 'taken in the next round' : 'skipped'}, as ${folder}/held.json says\n`,
  );
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const MAX_EVERY_MS = 7 * 24 * 3_600_000;

/** Parses an option that is a duration, such as 5m. @returns ms */
export function duration(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (number !== '' && ms >= 1000 && ms <= MAX_EVERY_MS) return ms;
  throw new InvalidArgumentError(
    'expected a number of seconds, minutes or hours, such as 30s, 5m or 1h; at most 7 days.',
  );
}

interface RollbackOptions {
  data: string;
  out: string;
  cache: string;
  allowLocal: boolean;
  publish?: string;
  endpoint?: string;
  reason: string;
}

/** `gamedata rollback`: removes a build that is served. */
export function rollbackCommand(start?: StartWorkers): Command {
  return new Command('rollback')
    .description(
      'take the newest build of a game back, build dist/ without it, and keep pull from taking it again',
    )
    .argument('<slug>', 'the game', slugArgument)
    .argument('[build]', 'the newest build, to be sure which one is taken back')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .addOption(
      new Option('--cache <folder>', 'where copies of upstream files are kept')
        .env(UPSTREAM_VARIABLE)
        .default(DEFAULT_UPSTREAM_CACHE),
    )
    .option('--allow-local', 'allow repositories on this machine, in private networks and over http', false)
    .option('--publish <target>', 'publish it to a folder or s3://bucket/prefix')
    .addOption(new Option('--endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE))
    .option('--reason <text>', 'why, for the history', 'It was published by mistake.')
    .addHelpText(
      'after',
      `
The build is recorded as withdrawn. Running gateways follow. gamedata pull <slug> --take <build> lets pull take it again.

Exit code: 0 done, 1 the game cannot be built without it, and it stays; 2 wrong usage.

Example:
  gamedata rollback my-game --publish s3://games/dist`,
    )
    .action((slug: string, build: string | undefined, options: RollbackOptions) =>
      withPullLock(options.data, () => rollback(slug, build, options, start)),
    );
}

async function rollback(
  slug: string,
  wanted: string | undefined,
  options: RollbackOptions,
  start?: StartWorkers,
): Promise<void> {
  const { data, out, cache, publish: target, endpoint, reason } = options;
  const folder = path.posix.join(data, slug);
  const { builds } = await readOrRefuse(folder, cache);
  const [before, newest] = [builds.at(-2), builds.at(-1)];
  if (newest === undefined || before === undefined)
    throw new CommandError(
      `${slug} has no build before ${newest?.build ?? 'it'}: remove its folder to serve nothing of it`,
      2,
    );
  const { build } = newest;
  if (wanted !== undefined && wanted !== build)
    throw new CommandError(
      `${wanted} is not the newest build of ${slug}, which is ${build}: later builds inherit from it; take those back first`,
      2,
    );
  const state = await GameState.read(folder);
  await state.change((content) => {
    content.builds[build] = { ...content.builds[build], skip: true };
    delete content.seen?.[build];
    delete content.carried;
  });
  await takeOut(folder, build);
  const compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  // A build that nobody has seen is not recorded as withdrawn.
  const amend = Date.parse(newest.released_at) <= Date.now() ? reason : undefined;
  await buildOne(compiler, slug, { ...options, formats: [] }, amend).finally(() => compiler.close());
  if (target !== undefined) {
    const done = await publishDist({ dist: out, target, endpoint }, createProgress(process.stderr));
    process.stdout.write(`${target}: ${done}\n`);
  }
  process.stdout.write(
    `${slug}: ${before.build} is served again; ${build} is withdrawn, and pull leaves it out until gamedata pull ${slug} --take ${build}\n`,
  );
}
