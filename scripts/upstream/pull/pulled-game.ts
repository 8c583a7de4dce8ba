import path from 'node:path';
import { type Finding, hasErrors } from '../../findings.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import type { RawGameDefinition } from '../../read/definition.ts';
import { type FoundBuild, readBuilds, readGameFile } from '../../read/game.ts';
import { matchPattern } from '../../read/patterns.ts';
import { type AddedBuild, addBuild, refusal } from '../add/add-build.ts';
import { limitsOfSource } from '../add/limits.ts';
import { describeMissed } from '../add/missed-files.ts';
import type { DumpScope } from '../add/plan-addition.ts';
import type { Choice } from './take-turn.ts';
import type { UpstreamBuild } from './group-builds.ts';
import { describeQuiet } from './silence.ts';
import { type RawSource, sourceOf } from './source-definition.ts';
import type { GameUpstream } from './upstream.ts';
import { describeAdded, describeIdle } from '../add/describe-added.ts';

/** A game with a source, as it is before the pull. */
export interface PulledGame {
  slug: string;
  folder: string;
  raw: RawGameDefinition;
  source: RawSource;
  /** Oldest first. */
  builds: FoundBuild[];
}

/** Reads a game and its builds. @param isNamed whether it has to have a source @returns undefined for a game without a source that was not named */
export async function readPulledGame(
  slug: string,
  data: string,
  isNamed: boolean,
): Promise<PulledGame | undefined> {
  const folder = path.posix.join(data, slug);
  const findings: Finding[] = [];
  const raw = await readGameFile(folder, findings);
  const builds = await readBuilds(folder, raw, findings);
  if (raw === undefined || hasErrors(findings)) throw await refusal(findings);
  const source = sourceOf(raw);
  if (source !== undefined) return { slug, folder, raw, source, builds };
  if (!isNamed) return undefined;
  throw new CommandError(
    `${folder}/game.json has no "source": add the repository that the builds come from, or add dumps with gamedata add`,
  );
}

/** Adds a build of upstream as `gamedata add` does. @param insert whether it may come before others @returns undefined if upstream has no file of it */
export async function addOne(
  { slug, folder, source }: PulledGame,
  upstream: GameUpstream,
  build: UpstreamBuild,
  { cache, references }: { cache: string; references: boolean },
  insert = false,
): Promise<AddedBuild | undefined> {
  const { build: name, released_at, commit } = build;
  const made = { insert, package: build.package };
  const wanted = { game: folder, build: name, into: '', released_at, note: undefined, ...made };
  const isNamed = references || source.keep === 'references';
  const added = await upstream.withDump(build, (dump, files) =>
    addBuild(
      dump,
      { ...wanted, limits: limitsOfSource(source), origin: isNamed && files ? { files, cache } : undefined },
      { into: '', partial: false, ...coverageOf(source) },
      released_at,
    ),
  );
  if (added === undefined) {
    const where = source.paths ? 'that "paths" names and the game reads' : 'of the tables';
    process.stderr.write(
      `warning: ${name} is left out: ${source.git === undefined ? 'upstream' : `commit ${shorten(commit)}`} has no file ${where}\n`,
    );
    return undefined;
  }
  const idle = describeIdle(added, path.posix.join(folder, name));
  if (idle !== undefined) process.stderr.write(`${idle}\n`);
  process.stdout.write(
    `${describeAdded(added, { game: folder, into: '', assumed: false, isNamed: isNamed && source.git !== undefined })}\n`,
  );
  const missed = (await upstream.findMissed?.(build, added.builds.length === 0)) ?? [];
  if (missed.length > 0)
    process.stderr.write(`${plain(`${slug}: ${name}: ${describeMissed(missed, folder)}`)}\n`);
  return added;
}

/** The names of a game's builds, oldest first. */
export function namesOf({ builds }: PulledGame): string[] {
  return builds.map(({ build }) => build);
}

/** The files that a source with `paths` can have: those of other regions are the maintainer's. */
export function coverageOf(source: RawSource): Pick<DumpScope, 'covers'> {
  if (source.parts !== undefined) {
    const patterns = Object.values(source.parts).flatMap(Object.keys).map(matchPattern);
    return { covers: (file) => patterns.some((matches) => matches(file)) };
  }
  if (source.paths === undefined) return {};
  const all = [source, ...(source.others ?? [])].flatMap(({ paths = {} }) => Object.values(paths));
  const targets = all.map((target) => target.replace(/\/$/, ''));
  return { covers: (file) => targets.some((target) => file === target || file.startsWith(`${target}/`)) };
}

const SHORT_HASH = 10;

function shorten(commit: string): string {
  return commit.slice(0, SHORT_HASH);
}

/** What upstream has: how many builds are new, and why others are not added. */
export function describeFound(
  { slug, source, raw }: PulledGame,
  { builds, problems, warning, silence }: GameUpstream,
  { chosen, older, waiting, beyond }: Choice,
): string {
  const [problem] = problems;
  const [next] = waiting;
  const lines = [
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
    `${slug}: ${countOf(builds.length, 'build')} in ${source.git ?? source.npm ?? source.archive ?? countOf(Object.keys(source.files ?? {}).length, 'file')}, ${chosen.length} to add`,
    ...(problem === undefined
      ? []
      : [
          `  ${countOf(problems.length, source.git === undefined ? 'build' : 'commit')} left out, such as: ${problem}`,
        ]),
    ...(older.length > 0
      ? [`  ${countOf(older.length, 'build')} left out, older than the newest that the game has`]
      : []),
    ...(beyond.length > 0 ? [`  ${countOf(beyond.length, 'build')} left out because of --limit`] : []),
    ...(next === undefined
      ? []
      : [
          `  ${next.build} waits until ${new Date(next.settledAt).toISOString()}, when its commits are complete`,
        ]),
    ...(raw.successor === undefined || chosen.length > 0
      ? []
      : [`  the game has ended, and ${raw.successor} continues it ("successor" in game.json)`]),
    ...(silence.elsewhere === 0
      ? []
      : [`  ${countOf(silence.elsewhere, 'later commit')} without files of the game`]),
  ];
  return `${lines.map(plain).join('\n')}\n`;
}

/**
 * Says that a game gets no builds any more although nobody says that it has ended; undefined if that is not so.
 *
 * @param now ms since 1970
 */
export function findQuiet(
  { raw, source }: PulledGame,
  { builds, silence, problems }: GameUpstream,
  { chosen, waiting, beyond }: Choice,
  now: number,
): string | undefined {
  // A version of a package that "versions" lacks is reported by itself.
  const isKnown = source.npm !== undefined && problems.length > 0;
  const isGoingOn = isKnown || chosen.length + waiting.length + beyond.length > 0;
  return raw.successor !== undefined || isGoingOn ? undefined : describeQuiet(builds, silence.elsewhere, now);
}

/**
 * Says why builds of upstream are not found or cannot be added, although no step failed; undefined if nothing is wrong.
 *
 * @param empty the names of builds that have no file of the game
 */
export function describeFaults(
  { slug, source }: PulledGame,
  { silence, problems }: Pick<GameUpstream, 'silence' | 'problems'>,
  empty: readonly string[],
): CommandError | undefined {
  const [first] = empty;
  const where = source.paths ? 'that "paths" of "source" names' : 'of its tables';
  const faults = [
    ...silence.faults,
    ...(first === undefined || silence.faults.length > 0
      ? []
      : [
          `${empty.join(', ')} upstream has no file ${where}: correct "source" in game.json, or leave it out for good (gamedata pull ${slug} --skip ${first})`,
        ]),
    ...(silence.faults.length > 0 ? problems.slice(0, 1) : []),
  ];
  return faults.length === 0 ? undefined : new CommandError(plain(faults.join('; ')));
}

/** Subjects come from strangers: their control characters could change what a terminal shows. */
function plain(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ');
}
