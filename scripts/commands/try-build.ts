import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { forgetNeedlessRemoved } from '../add/insert-build.ts';
import { readPathsOf } from '../add/present-files.ts';
import type { Finding } from '../findings/findings.ts';
import { CommandError } from '../lib/command-error.ts';
import { createProgress } from '../lib/progress.ts';
import { makePrivateFolder } from '../lib/private-files.ts';
import { replaceFile } from '../lib/replace-file.ts';
import type { Notify } from '../notify/notifier.ts';
import { type HeldBuild, type HeldBuilds, hashTrial } from '../pull/held.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import type { GameUpstream } from '../pull/upstream.ts';
import { readBuilds, readGameFile } from '../read/read-game.ts';
import type { UpstreamOptions } from '../read/reference.ts';
import { editJsonFile } from '../recorded/edit-json-file.ts';
import { renderHtml } from '../review/render-html.ts';
import { renderMarkdown } from '../review/render-markdown.ts';
import { DEFAULT_LIMITS } from '../watchdog/limits.ts';
import type { Compiler } from '../workers/compiler.ts';
import type { StartWorkers } from '../workers/workers.ts';
import { addOne, type PulledGame } from './pulled-game.ts';
import { reviewOne } from './review.ts';

/** Where builds that are tried are compiled and reported. */
export interface TryOptions {
  data: string;
  out: string;
  /** The folder that remembers what builds were compiled from. */
  buildCache: string;
  /** The folder for reviews. */
  reviews: string;
  notify: Notify;
  upstream: UpstreamOptions;
  /** Whether builds name the files by reference, whatever `source` says. */
  references: boolean;
  compiler: Compiler;
  /** Starts the workers that compile reviews. */
  start?: StartWorkers | undefined;
}

/** The folder of a build that is being removed; hidden, so that it does not count as a build. */
const REMOVING = '.removing';
const SILENT = { step() {}, done() {}, clear() {} };

/** Finds the errors of a game, as `gamedata check` does; builds that dist/ has are not compiled again. */
export async function findErrors(
  slug: string,
  { data, out, buildCache, compiler, upstream }: TryOptions,
): Promise<Finding[]> {
  const reuse = { out, cache: buildCache };
  const options = { keep: { in: 'nothing' as const }, reuse, upstream, now: Date.now() };
  const { findings } = await compiler.compile(data, [slug], SILENT, options);
  return findings.filter(({ severity }) => severity === 'error');
}

/** Removes what a killed process left in a game's folder: a build that it was checking. */
export async function recover(folder: string, held: HeldBuilds): Promise<void> {
  await rm(path.join(folder, REMOVING), { recursive: true, force: true });
  await held.removeLeftovers();
  const { trying } = held;
  if (trying === undefined) return;
  await takeOut(folder, trying);
  await held.endTrying(trying, held.find(trying));
}

/** Removes a build; those after it are again as they were before it came. */
async function takeOut(folder: string, build: string): Promise<void> {
  await removeBuild(folder, build);
  const raw = await readGameFile(folder, []);
  if (raw) await forgetNeedlessRemoved(await readBuilds(folder, raw, []), readPathsOf(raw));
}

/** In one step, so that a build is there as a whole or not at all. */
async function removeBuild(folder: string, build: string): Promise<void> {
  const target = path.join(folder, REMOVING);
  await rm(target, { recursive: true, force: true });
  await rename(path.join(folder, build), target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(target, { recursive: true, force: true });
}

/**
 * Adds a build, checks the game with it, and takes it out again if the check finds errors; then it is reviewed and reported.
 *
 * @returns whether the game has it now
 */
export async function tryBuild(
  game: PulledGame,
  upstream: GameUpstream,
  build: UpstreamBuild,
  held: HeldBuilds,
  options: TryOptions,
): Promise<'added' | 'held' | 'empty'> {
  const { slug, folder } = game;
  const known = held.find(build.build);
  const tried = await hashTrial(folder, namesOf(game), { ...known, commit: build.commit });
  await held.beginTrying(build.build);
  const isAdded = await addOne(
    game,
    upstream,
    build,
    { ...options.upstream, references: options.references },
    true,
  ).catch(async (error: unknown) => {
    // Nothing was added, so a folder with this name is not the service's: `recover` must not remove it.
    if (error instanceof CommandError) await held.endTrying(build.build, known);
    throw error;
  });
  if (!isAdded) {
    await held.endTrying(build.build, known);
    return 'empty';
  }
  const { overrides } = known ?? {};
  if (overrides) await editJsonFile(path.join(folder, build.build, 'build.json'), 'overrides', overrides);
  const errors = await findErrors(slug, options);
  if (errors.length === 0) {
    await held.endTrying(build.build, undefined);
    return 'added';
  }
  await writeReview(slug, build.build, options);
  await takeOut(folder, build.build);
  const earlier = game.builds.filter(
    ({ released_at }) => Date.parse(released_at) < Date.parse(build.released_at),
  );
  const before = earlier.at(-1)?.build;
  const entry: HeldBuild = {
    commit: build.commit,
    at: new Date().toISOString(),
    ...(before !== undefined && { before }),
    errors: errors.map(describeError),
    tried,
    reported: isSameReport(known, build.commit, errors),
    ...(overrides && { overrides }),
  };
  await held.endTrying(build.build, entry);
  process.stderr.write(describeHeld(slug, build.build, entry, options));
  return 'held';
}

function isSameReport(known: HeldBuild | undefined, commit: string, errors: readonly Finding[]): boolean {
  const same = known?.commit === commit && known.errors?.join('\n') === errors.map(describeError).join('\n');
  return same && known?.reported === true;
}

function describeError({ check, place, found, expected }: Finding): string {
  return `${check} in ${place.file}: ${found}; expected ${expected}`;
}

function describeHeld(slug: string, build: string, { errors = [] }: HeldBuild, options: TryOptions): string {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  return `${slug}: build ${build} is held back: ${count}; review: ${reviewFile(slug, build, options)}\n`;
}

/** The names of a game's builds, oldest first. */
export function namesOf({ builds }: PulledGame): string[] {
  return builds.map(({ build }) => build);
}

function reviewFile(slug: string, build: string, { reviews }: TryOptions): string {
  return path.join(reviews, `${slug}-${build}.html`);
}

async function writeReview(slug: string, build: string, options: TryOptions): Promise<void> {
  const { data, out, reviews, start, upstream } = options;
  const { seconds: timeLimit, mebibytes: memoryLimit } = DEFAULT_LIMITS;
  const progress = createProgress(process.stderr);
  const { cache, allowLocal } = upstream;
  const limits = { jobs: 1, timeLimit, memoryLimit };
  const reviewed = { data, out, upstream: cache, allowLocal, ...limits };
  const review = await reviewOne(slug, reviewed, { progress, start });
  progress.clear();
  await makePrivateFolder(reviews);
  const file = reviewFile(slug, build, options);
  await replaceFile(file, Buffer.from(renderHtml([review])));
  await replaceFile(file.replace(/html$/, 'md'), Buffer.from(renderMarkdown([review])));
}

/** Reports the builds that are held back and were not reported yet. Returns how many reports failed. */
export async function reportHeld(slug: string, held: HeldBuilds, options: TryOptions): Promise<number> {
  let failed = 0;
  for (const [build, entry] of held.builds) {
    const { errors, commit = '', at = '', before, reported, skip } = entry;
    if (errors === undefined || reported || skip) continue;
    const review = reviewFile(slug, build, options);
    const notice = { game: slug, build, before, version: commit, errors, review };
    const failures = await options.notify(notice, at);
    for (const failure of failures)
      process.stderr.write(`${slug}: build ${build} is not reported: ${failure}\n`);
    if (failures.length > 0) failed++;
    else await held.set(build, { ...entry, reported: true });
  }
  return failed;
}
