import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'commander';
import { readBuildsLock } from '../../check/recorded.ts';
import * as common from '../../commands/options.ts';
import { type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { readWithdrawn, replaceWithdrawn } from '../../corrections/withdrawn.ts';
import { ownValue } from '../../format/dist-format.ts';
import { publishDist } from '../../publish/publish.ts';
import { ENDPOINT_HELP, ENDPOINT_VARIABLE } from '../../publish/targets.ts';
import { CommandError, DEFAULT_LIMITS, DEFAULT_UPSTREAM_CACHE, errorOf, isAbsent } from '../../system.ts';
import { readOrRefuse } from '../add/add-build.ts';
import type { Folders, PullOptions } from './report.ts';
import { buildOne, Puller, withPullLock } from './round.ts';
import { GameState, overridesOfPerson } from './state.ts';

const HELP = `
Needs git 2.37 or later. A build with errors is taken out again, reviewed, and noted with its questions in held.json in the game's folder. One round of --watch and one
that cron starts are the same: it can be killed and repeated at any time.

Exit code: 0 nothing needs a person; 1 a build is held back, a dataset is kept as it was, upstream changed a build that is served, or a game could not be
pulled, built, published or reported; 2 wrong usage. With --watch: 0 after SIGTERM.`;

/** The options of `pull` and `rollback` about folders and hosts. */
function addPlaces(command: Command): Command {
  return command
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addOption(
      new Option('--cache <folder>', 'where copies of upstream repositories and files are kept')
        .env(common.UPSTREAM_VARIABLE)
        .default(DEFAULT_UPSTREAM_CACHE),
    )
    .option('--allow-local', 'allow repositories on this machine, in private networks and over http', false)
    .option('--out <folder>', 'the folder for the compiled files', 'dist')
    .option(
      '--publish <target>',
      'publish what was built to a folder or s3://bucket/prefix',
      common.targetArgument,
    )
    .addOption(new Option('--endpoint <address>', ENDPOINT_HELP).env(ENDPOINT_VARIABLE));
}

/** `gamedata pull`. @param start starts the workers that compile games */
export function pullCommand(start?: StartWorkers): Command {
  return common
    .addCoverageOption(addPlaces(new Command('pull')), 'none')
    .description(
      'add the new builds of upstream repositories and files, as "source" in game.json describes them',
    )
    .argument('[slug...]', 'the games (default: all that have a source)')
    .option('--dry-run', 'show which builds would be added, and add none', false)
    .option('--as-is', 'add the next build although checks hold it back, to correct the mapping', false)
    .option('--watch', 'do it again and again, until you stop it', false)
    .option('--every <seconds>', 'how often, with --watch', common.positiveInteger, 300)
    .option('--build', 'build each game that changed', false)
    .option('--reviews <folder>', 'the folder for reviews of builds that are held back', 'var/reviews')
    .option(
      '--webhook <address>',
      'post what needs a person once, and what still waits once a day; signed with GAMEDATA_WEBHOOK_SECRET if that is set',
    )
    .option(
      '--skip <build>',
      'note that this build of upstream is never added, or stays as it is',
      common.buildArgument,
    )
    .option('--take <build>', 'note that this build is accepted as upstream has it', common.buildArgument)
    .addHelpText('after', HELP)
    .action(async (slugs: string[], options: PullOptions) => {
      const { skip, take, data, publish, build, dryRun, watch } = options;
      await common.chooseGames(slugs, data, build ? options.out : undefined);
      if (publish !== undefined && !build)
        throw new CommandError('--publish needs --build: only what was built can be published', 2);
      if ([dryRun, watch || build, skip, take].filter(Boolean).length > 1)
        throw new CommandError('use either --dry-run, or --watch and --build, or --take, or --skip', 2);
      if (skip ?? take) return await decide(slugs, options);
      await new Puller(slugs, options, start).run();
    });
}

/** Records a person's decision about a build. The accepted questions are those that it is held back for now. */
async function decide(slugs: readonly string[], { data, skip, take }: PullOptions): Promise<void> {
  const [slug, ...more] = slugs;
  const build = skip ?? take ?? '';
  const option = skip === undefined ? '--take' : '--skip';
  if (slug === undefined || more.length > 0)
    throw new CommandError(`${option} needs one game: gamedata pull my-game ${option} 1.1`, 2);
  const folder = path.posix.join(data, slug);
  const state = await GameState.read(folder);
  const isWithdrawn = (await readWithdrawn(folder)).some((each) => each.build === build);
  if (!isWithdrawn && !state.find(build) && (await isAbsent(path.join(folder, build))))
    process.stderr.write(`warning: no pull has seen a build ${build} of ${slug}: is its name right?\n`);
  if (take !== undefined && isWithdrawn)
    await withPullLock(data, () => replaceWithdrawn(folder, [], [build]));
  await state.change(({ builds }) => {
    const { skip: _, ...now } = builds[build] ?? {};
    const all = [...overridesOfPerson(now.questions ?? []), ...(now.overrides ?? [])];
    const overrides = [...new Map(all.map((each) => [`${each.check} ${each.of}`, each])).values()];
    const taken = { ...now, take: true, ...(overrides.length > 0 && { overrides }) };
    builds[build] = skip === undefined ? taken : { ...now, skip: true };
  });
  const done = skip === undefined ? 'taken in the next round' : 'skipped';
  process.stdout.write(`${slug}: build ${build} is ${done}, as ${folder}/held.json says\n`);
}

/** `gamedata rollback`: removes a build that is served. */
export function rollbackCommand(start?: StartWorkers): Command {
  return addPlaces(new Command('rollback'))
    .description('take the newest build of a game back, and keep pull from taking it again')
    .argument('<slug>', 'the game', common.slugArgument)
    .argument('[build]', 'the newest build, to be sure which one is taken back')
    .option('--reason <text>', 'why, for the history', 'It was published by mistake.')
    .addHelpText(
      'after',
      `
The build is recorded as withdrawn. gamedata pull <slug> --take <build> lets pull take it again. If it was killed, run it again.

Exit code: 0 done, 1 the game cannot be built without it, and it stays, or it is taken back here and could not be published; 2 wrong usage.`,
    )
    .action(async (slug: string, build: string | undefined, options: Taking) => {
      await common.chooseGames([slug], options.data, options.out);
      await withPullLock(options.data, () => rollback(slug, build, options, start));
    });
}

type Taking = Folders & { reason: string };

async function rollback(slug: string, wanted: string | undefined, options: Taking, start?: StartWorkers) {
  const { data, cache, reason, publish } = options;
  const folder = path.posix.join(data, slug);
  const { builds } = await readOrRefuse(folder, cache);
  const aside = path.join(folder, '.taken-back');
  const names = builds.map((each) => each.build);
  // One that was killed is continued.
  const [left] = (await readdir(aside).catch(() => [])).filter((name) => !names.includes(name));
  if (left !== undefined) names.push(left);
  const [earlier, build = ''] = [names.at(-2), names.at(-1)];
  if (earlier === undefined)
    throw new CommandError(`${slug} has no earlier build: remove its folder to serve nothing of it`, 2);
  if (wanted !== undefined && wanted !== build)
    throw new CommandError(`${wanted} is not the newest build of ${slug}, which is ${build}`, 2);
  const state = await GameState.read(folder);
  const before = structuredClone(state.content);
  const lock = await readBuildsLock(folder);
  const recorded = 'value' in lock ? ownValue(lock.value, build) : undefined;
  // A build that nobody has seen is not recorded as withdrawn.
  const amend = recorded && Date.parse(recorded.released_at) <= Date.now() ? reason : undefined;
  const compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  try {
    if (left === undefined) {
      await rm(aside, { recursive: true, force: true });
      await mkdir(aside);
      await rename(path.join(folder, build), path.join(aside, build));
    }
    await state.change((content) => {
      content.builds[build] = { ...content.builds[build], skip: true };
      delete content.seen?.[build];
      delete content.carried;
    });
    await buildOne(compiler, slug, options, amend);
  } catch (error) {
    const place = path.join(folder, build);
    if (await isAbsent(place)) await rename(path.join(aside, build), place);
    await rmdir(aside).catch(() => {});
    await replaceWithdrawn(folder, [], [build]);
    await state.change((content) => Object.assign(content, before));
    throw error;
  } finally {
    await compiler.close();
  }
  process.stdout.write(
    `${slug}: ${earlier} is served again; ${build} is withdrawn, and pull leaves it out until gamedata pull ${slug} --take ${build}\n`,
  );
  const faults = await publishDist(options).catch((error: unknown) => [errorOf(error).message]);
  // Not before: if this process is killed while it publishes, the next one continues with this build.
  await rm(aside, { recursive: true });
  const what = `${build} is taken back here, but ${publish} may still have it: run gamedata publish ${publish}`;
  if (faults.length > 0) throw new CommandError([what, ...faults].join('\n'));
}
