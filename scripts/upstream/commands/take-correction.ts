import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { CommandError } from '../../lib/command-error.ts';
import { countOf } from '../../lib/count-of.ts';
import type { RawAmendment } from '../../read/game/amendments.ts';
import { editJsonFile } from '../../recorded/edit-json-file.ts';
import { lockFileOf } from '../../recorded/builds-lock.ts';
import { addBuild } from '../add/add-build.ts';
import { limitsOfSource } from '../add/limits.ts';
import { planAddition } from '../add/plan-addition.ts';
import { findPresentFiles, readPathsOf } from '../add/present-files.ts';
import { listDump } from '../add/list-files.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import type { HeldBuilds } from '../pull/held.ts';
import type { GameUpstream } from '../pull/upstream.ts';
import { coverageOf, type PulledGame } from './pulled-game.ts';

/** A build of the game that upstream changed after it was taken. */
export interface Hotfix {
  /** With the commit that changed it last. */
  build: UpstreamBuild;
  /** The files that are other ones, by their paths in the folder of the build. */
  files: readonly string[];
  /** Why the build is corrected, for the history. */
  reason: string;
}

/** The folder in a game's folder that keeps a build while it is corrected, and the lock as it was; hidden, so that it does not count as a build. */
const CORRECTING = '.correcting';
const LOCK = 'lock.json';
/** What to do about a correction that is held. */
const HOW_TO_TAKE =
  '"later_commits": "take" in "source" lets gamedata pull --build take such changes as corrections';
const MAX_NAMED = 5;
const SHORT_HASH = 10;

/**
 * Finds what upstream changed in the newest build of a game since it was taken.
 *
 * @param corrected as `chooseBuilds` returns it
 * @returns undefined if the game has the same content, took it already, or a maintainer skips it
 */
export async function findHotfix(
  { folder, raw, source, builds }: PulledGame,
  upstream: GameUpstream,
  corrected: UpstreamBuild | undefined,
  held: HeldBuilds,
): Promise<Hotfix | undefined> {
  if (corrected === undefined || held.find(corrected.build)?.skip) return undefined;
  const { newestCommit, build: name, corrections } = corrected;
  const amended = await readAmended(path.join(folder, name));
  if (amended.some(({ commit }) => commit === newestCommit)) return undefined;
  const commit = newestCommit.slice(0, SHORT_HASH);
  const build = { ...corrected, commit: newestCommit };
  const paths = readPathsOf(raw);
  const addition = await upstream.withDump(build, async (dump) =>
    planAddition(await listDump(dump), findPresentFiles(builds, paths).value, paths, {
      ...{ into: '', partial: false },
      ...coverageOf(source),
    }),
  );
  if (addition === undefined) return undefined;
  const files = [...[...addition.added, ...addition.changed].map((file) => file.path), ...addition.removed];
  if (files.length === 0) return undefined;
  const commits = countOf(corrections, 'later commit');
  return { build, files, reason: `Upstream corrected it: ${commits}, the last one is commit ${commit}.` };
}

/**
 * Takes what upstream changed in the newest build of a game, if `source` says so.
 *
 * @param accept checks and records the game; undefined if this pull builds nothing
 * @returns why a person has to decide, and whether it was tried to take the change
 */
export async function takeCorrection(
  game: PulledGame,
  upstream: GameUpstream,
  corrected: UpstreamBuild,
  held: HeldBuilds,
  accept: ((reason: string) => Promise<void>) | undefined,
): Promise<{ refusal?: CommandError; isFailed?: boolean }> {
  const hotfix = await findHotfix(game, upstream, corrected, held);
  if (hotfix === undefined) return {};
  if (game.source.later_commits !== 'take' || accept === undefined)
    return { refusal: describeHotfix(game, hotfix, HOW_TO_TAKE) };
  const failure = await takeHotfix(game, upstream, hotfix, accept).catch((error: unknown) => error);
  if (failure instanceof CommandError)
    return { refusal: describeHotfix(game, hotfix, `it is not taken: ${failure.message}`), isFailed: true };
  if (failure !== undefined) throw failure;
  process.stdout.write(`${game.slug}: build ${corrected.build} is corrected as upstream did\n`);
  return {};
}

/** Says that a hotfix waits for a person. */
export function describeHotfix({ slug }: PulledGame, { build, files }: Hotfix, why: string): CommandError {
  const few = `${files.slice(0, MAX_NAMED).join(', ')}${files.length > MAX_NAMED ? ', …' : ''}`;
  return new CommandError(
    `${build.build}, which the game has, was corrected upstream by ${countOf(build.corrections, 'later commit')}, the last one is ${build.commit.slice(0, SHORT_HASH)}: ${countOf(files.length, 'file')} changed (${few}); ${why}; to leave the build as it is for good, run gamedata pull ${slug} --skip ${build.build}`,
  );
}

/**
 * Takes a hotfix as a correction of its build: replaces its files, and lets `accept` check and record the game. If that fails, the build is as it was.
 *
 * @param accept gets the reason
 */
async function takeHotfix(
  { folder, source }: PulledGame,
  upstream: GameUpstream,
  { build, reason }: Hotfix,
  accept: (reason: string) => Promise<void>,
): Promise<void> {
  const copy = path.join(folder, CORRECTING);
  await rm(copy, { recursive: true, force: true });
  const buildFolder = path.join(folder, build.build);
  await cp(buildFolder, path.join(copy, build.build), { recursive: true, verbatimSymlinks: true });
  // The lock comes last: without it, the copy is not complete, and nothing was replaced.
  await writeFile(path.join(copy, LOCK), await readLock(folder));
  try {
    await upstream.withDump(build, (dump) =>
      addBuild(
        dump,
        {
          game: folder,
          build: build.build,
          into: '',
          released_at: undefined,
          note: undefined,
          replace: true,
          limits: limitsOfSource(source),
        },
        { into: '', partial: false, ...coverageOf(source) },
        build.released_at,
      ),
    );
    const before = await readAmended(buildFolder);
    await accept(reason);
    await recordCommit(buildFolder, before.length, build.newestCommit);
    await rm(copy, { recursive: true, force: true });
  } catch (error) {
    await undoHotfix(folder);
    throw error;
  }
}

/** Puts a build back that was being corrected, unless the correction was recorded; also after the process was killed. */
export async function undoHotfix(folder: string): Promise<void> {
  const copy = path.join(folder, CORRECTING);
  const names = await readdir(copy).catch(() => []);
  const build = names.find((name) => name !== LOCK);
  const before = await readFile(path.join(copy, LOCK)).catch(() => undefined);
  if (build !== undefined && before?.equals(await readLock(folder))) {
    await rm(path.join(folder, build), { recursive: true, force: true });
    await rename(path.join(copy, build), path.join(folder, build));
  }
  await rm(copy, { recursive: true, force: true });
}

async function readAmended(folder: string): Promise<RawAmendment[]> {
  const text = await readFile(path.join(folder, 'build.json'), 'utf8').catch(() => '{}');
  return (parse(text) as { amended?: RawAmendment[] } | undefined)?.amended ?? [];
}

/** Records the commit in the amendment that was made of it, if there is one. */
async function recordCommit(folder: string, before: number, commit: string): Promise<void> {
  const amended = await readAmended(folder);
  const last = amended.at(-1);
  if (last === undefined || amended.length === before) return;
  const file = path.join(folder, 'build.json');
  await editJsonFile(file, 'amended', [...amended.slice(0, -1), { ...last, commit }]);
}

async function readLock(folder: string): Promise<Buffer> {
  return await readFile(lockFileOf(folder)).catch(() => Buffer.alloc(0));
}
