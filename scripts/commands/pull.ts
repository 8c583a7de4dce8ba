import path from 'node:path';
import { Command } from 'commander';
import { addBuild, refusal } from '../add/add-build.ts';
import type { Finding } from '../findings/findings.ts';
import { hasErrors } from '../findings/findings.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf } from '../lib/count-of.ts';
import { orCommandError } from '../lib/system-error.ts';
import { type ChosenBuilds, chooseBuilds } from '../pull/choose-builds.ts';
import { checkGit } from '../pull/git.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import { Upstream } from '../pull/upstream.ts';
import type { RawGameDefinition } from '../read/definition.ts';
import { type FoundBuild, readBuilds, readGameFile } from '../read/read-game.ts';
import type { RawSource } from '../read/source-definition.ts';
import type { StartWorkers } from '../workers/workers.ts';
import { instant } from './add.ts';
import { checkAdded, describeAdded, describeIdle } from './describe-added.ts';
import { addCoverageOption, type CoverageOptions, chooseGames, positiveInteger } from './games.ts';

interface PullOptions extends CoverageOptions {
  data: string;
  cache: string;
  since?: string;
  limit?: number;
  dryRun: boolean;
  allowLocal: boolean;
}

/** A game with a source, as it is before the pull. */
interface PulledGame {
  slug: string;
  folder: string;
  raw: RawGameDefinition;
  source: RawSource;
  /** Oldest first. */
  builds: FoundBuild[];
}

/** `gamedata pull`, which compiles games by workers that `start` starts. */
export function pullCommand(start?: StartWorkers): Command {
  return addCoverageOption(new Command('pull'))
    .description('add the new builds of upstream repositories, as "source" in game.json describes them')
    .argument('[slug...]', 'the games (default: all that have a source)')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .option('--cache <folder>', 'where copies of upstream repositories are kept', 'var/upstream')
    .option('--since <time>', 'only builds that are released at this time or later', instant)
    .option('--limit <number>', 'how many builds of each game are added at most', positiveInteger)
    .option('--dry-run', 'show which builds would be added, and add none', false)
    .option('--allow-local', 'allow repositories on this machine, in private networks and over http', false)
    .addHelpText(
      'after',
      `
Needs git 2.37 or later. Builds are added oldest first, each as gamedata add adds it, and the game is checked after each. If the check finds
errors, the builds after it wait: correct the mapping or acknowledge the change, and pull again. A pull that is interrupted can be repeated.

Exit code: 0 done, 1 a game could not be pulled or has errors, 2 wrong usage.

Examples:
  gamedata pull                                  every game that has a source
  gamedata pull my-game --dry-run                shows what is new
  gamedata pull my-game --since 2026-01-01 --limit 3
  gamedata pull my-game --allow-local            "source" names file:///srv/mirror/dumps.git`,
    )
    .action((slugs: string[], options: PullOptions) => pull(slugs, options, start));
}

async function pull(slugs: string[], options: PullOptions, start?: StartWorkers): Promise<void> {
  const games = await chooseGames(slugs, options.data);
  await checkGit();
  let failed = 0;
  let pulled = 0;
  for (const slug of games) {
    try {
      const game = await readGame(slug, options, slugs.length > 0);
      if (game === undefined) continue;
      pulled++;
      await pullGame(game, options, start);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      process.stderr.write(`${slug}: ${error.message}\n`);
      failed++;
    }
  }
  if (failed > 0) throw new CommandError(`${countOf(failed, 'game')} not pulled completely`);
  if (pulled === 0) {
    throw new CommandError(`no game in ${options.data}/ has a "source" in its game.json: add one`, 2);
  }
}

/** @returns undefined for a game without a source that was not named */
async function readGame(
  slug: string,
  { data }: PullOptions,
  isNamed: boolean,
): Promise<PulledGame | undefined> {
  const folder = path.posix.join(data, slug);
  const findings: Finding[] = [];
  const raw = await readGameFile(folder, findings);
  const builds = await readBuilds(folder, raw, findings);
  if (raw === undefined || hasErrors(findings)) throw await refusal(findings);
  const { source } = raw;
  if (source !== undefined) return { slug, folder, raw, source, builds };
  if (!isNamed) return undefined;
  throw new CommandError(
    `${folder}/game.json has no "source": add the repository that the builds come from, or add dumps with gamedata add`,
  );
}

async function pullGame(game: PulledGame, options: PullOptions, start?: StartWorkers): Promise<void> {
  const { raw, source, builds } = game;
  const work = Upstream.use(raw, source, options, async (upstream) => {
    const wanted = {
      present: new Set(builds.map(({ build }) => build)),
      newest: builds.at(-1),
      since: options.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(options.since),
      limit: options.limit ?? Number.POSITIVE_INFINITY,
      now: Date.now(),
    };
    const found = chooseBuilds(upstream.builds, wanted);
    process.stdout.write(describeFound(game, upstream, found));
    if (options.dryRun) process.stdout.write(found.chosen.map(describePlanned).join(''));
    else await addBuilds(game, upstream, found.chosen, options, start);
  });
  await orCommandError(work, (reason) => `${options.cache} cannot be written: ${reason}`);
}

async function addBuilds(
  game: PulledGame,
  upstream: Upstream,
  chosen: readonly UpstreamBuild[],
  options: PullOptions,
  start?: StartWorkers,
): Promise<void> {
  const { slug } = game;
  if (chosen.length > 0 && game.builds.length > 0) {
    const { errors } = await checkAdded(slug, options, start);
    if (errors > 0) throw waits(`the builds that it has have ${countOf(errors, 'error')}`, slug, chosen);
  }
  for (const [index, build] of chosen.entries()) {
    if (!(await addOne(game, upstream, build))) continue;
    const { text, errors } = await checkAdded(slug, options, start);
    process.stdout.write(text);
    if (errors > 0)
      throw waits(
        `with build ${build.build} it has ${countOf(errors, 'error')}`,
        slug,
        chosen.slice(index + 1),
      );
  }
}

function waits(found: string, slug: string, later: readonly UpstreamBuild[]): CommandError {
  const names = later.length === 0 ? '' : `; ${countOf(later.length, 'build')} after that: not added`;
  return new CommandError(
    `${found}${names}: run gamedata check ${slug}, correct or acknowledge them, and pull again`,
  );
}

/** @returns whether the build was added */
async function addOne(
  { folder, raw }: PulledGame,
  upstream: Upstream,
  build: UpstreamBuild,
): Promise<boolean> {
  const { build: name, released_at, commit } = build;
  const wanted = { game: folder, build: name, into: '', released_at, note: undefined };
  const added = await upstream.withDump(build, (dump) =>
    addBuild(dump, wanted, { into: '', partial: false }, released_at),
  );
  if (added === undefined) {
    const where = raw.source?.paths ? 'that "paths" names and the game reads' : 'of the tables';
    process.stderr.write(`warning: ${name} is left out: commit ${shorten(commit)} has no file ${where}\n`);
    return false;
  }
  const idle = describeIdle(added, path.posix.join(folder, name));
  if (idle !== undefined) process.stderr.write(`${idle}\n`);
  process.stdout.write(`${describeAdded(added, { game: folder, into: '', assumed: false })}\n`);
  return true;
}

const SHORT_HASH = 10;

function shorten(commit: string): string {
  return commit.slice(0, SHORT_HASH);
}

function describePlanned({ build, released_at, commit, subject }: UpstreamBuild): string {
  return `${plain(`  ${build}, released at ${released_at}: commit ${shorten(commit)} ("${subject}")`)}\n`;
}

/** What upstream has: how many builds are new, and why others are not added. */
function describeFound(
  { slug, source }: PulledGame,
  { builds, problems }: Upstream,
  { chosen, older, waiting, beyond, corrected }: ChosenBuilds,
): string {
  const [problem] = problems;
  const [next] = waiting;
  const lines = [
    `${slug}: ${countOf(builds.length, 'build')} in ${source.git}, ${chosen.length} to add`,
    ...(builds.length === 0
      ? ['  no commit names a build: check "build", "branch" and "paths" of "source" in game.json']
      : []),
    ...(problem === undefined
      ? []
      : [`  ${countOf(problems.length, 'commit')} left out, such as: ${problem}`]),
    ...(older.length > 0
      ? [`  ${countOf(older.length, 'build')} left out, older than the newest that the game has`]
      : []),
    ...(beyond.length > 0 ? [`  ${countOf(beyond.length, 'build')} left out because of --limit`] : []),
    ...(next === undefined
      ? []
      : [
          `  ${next.build} waits until ${new Date(next.settledAt).toISOString()}, when its commits are complete`,
        ]),
    ...(corrected === undefined
      ? []
      : [
          `  ${corrected.build} has ${countOf(corrected.corrections, 'later commit')} upstream, which pull does not add to it`,
        ]),
  ];
  return `${lines.map(plain).join('\n')}\n`;
}

/** Subjects come from strangers: their control characters could change what a terminal shows. */
function plain(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ');
}
