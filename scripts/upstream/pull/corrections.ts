import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { countOf } from '../../text.ts';
import type { RawAmendment } from '../../read/game.ts';
import { editJsonFile, lockFileOf } from '../../check/recorded.ts';
import { addBuild, compareDump } from '../add/add-build.ts';
import { limitsOfSource } from '../add/limits.ts';
import type { UpstreamBuild } from './group-builds.ts';
import type { GameUpstream } from './upstream.ts';
import { coverageOf, type PulledGame } from './pulled-game.ts';

/** The folder in a game's folder that keeps a build while it is corrected, and the lock as it was; hidden, so that it does not count as a build. */
const CORRECTING = '.correcting';
const LOCK = 'lock.json';
const MAX_NAMED = 5;
const SHORT_HASH = 10;

/**
 * Finds the files of a build that the game has and that upstream has otherwise now. Trimmed files are compared with trimmed ones.
 *
 * @returns undefined if upstream has no file of it, or the game took this commit already
 */
export async function findChangedFiles(
  { folder, raw, source, builds }: PulledGame,
  upstream: GameUpstream,
  build: UpstreamBuild,
): Promise<string[] | undefined> {
  const amended = await readAmended(path.join(folder, build.build));
  if (amended.some(({ commit }) => commit === build.newestCommit)) return undefined;
  const until = builds.slice(0, builds.findIndex((each) => each.build === build.build) + 1);
  const isNamed = until.at(-1)?.references.length !== 0;
  const scope = { into: '', partial: false, ...coverageOf(source) };
  const addition = await upstream.withDump({ ...build, commit: build.newestCommit }, (dump) =>
    compareDump(dump, { game: folder, raw, builds: until, isTrimmed: !isNamed }, scope),
  );
  return (
    addition && [...[...addition.added, ...addition.changed].map((file) => file.path), ...addition.removed]
  );
}

/** Says which files of a build are other ones now. */
export function describeChanged({ build, newestCommit }: UpstreamBuild, files: readonly string[]): string {
  const few = `${files.slice(0, MAX_NAMED).join(', ')}${files.length > MAX_NAMED ? ', …' : ''}`;
  return `${build}, which is served, is not what upstream has now: ${countOf(files.length, 'file')} changed (${few}) by ${newestCommit.slice(0, SHORT_HASH)}`;
}

/**
 * Takes a hotfix as a correction of its build: replaces its files, and lets `accept` check and record the game. If that fails, the build is as it was.
 *
 * @param accept gets the reason
 */
export async function takeHotfix(
  { folder, source }: PulledGame,
  upstream: GameUpstream,
  newest: UpstreamBuild,
  accept: (reason: string) => Promise<void>,
): Promise<void> {
  const build = { ...newest, commit: newest.newestCommit };
  const last = build.commit.slice(0, SHORT_HASH);
  const reason = `Upstream corrected it: the last commit is ${last}.`;
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
