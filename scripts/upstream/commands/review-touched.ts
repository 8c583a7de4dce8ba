import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { limitsOf, upstreamOf } from '../../commands/games.ts';
import type { Finding } from '../../findings/findings.ts';
import type { BuildContent } from '../../format/build-content.ts';
import { CommandError } from '../../lib/command-error.ts';
import { countOf } from '../../lib/count-of.ts';
import { findChangedBuilds, recordBuilds } from '../../recorded/builds-lock.ts';
import { countFindings } from '../../report/report.ts';
import { startCompiler } from '../../workers/compiler.ts';
import { type StartWorkers, startWorkers } from '../../workers/workers.ts';
import { copyGameAtRef, type DataAtRef } from '../../git/data-at-ref.ts';
import type { NewGame, NewGameTask } from '../review/new-game.ts';
import { type GameReview, reviewGame } from '../review/review.ts';
import { type Builds, compileBuilds, findRenames } from './builds-of-game.ts';
import type { ReviewOne, Tools } from './review-options.ts';

/** So many of the newest builds are shown in full; of the others only what changed. */
const MAX_FULL = 3;

/** A build that a change touches. */
interface Touched {
  build: string;
  before: BuildContent | undefined;
  place: string;
  notes: string[];
}

/**
 * Reviews every build of a game that is not as it was at a commit, the newest first, also past ones.
 *
 * @param isNamed whether the game is shown although no build differs
 * @throws CommandError if the game as it was cannot be compiled
 */
export async function reviewTouched(
  slug: string,
  options: ReviewOne,
  tools: Tools & { ref: DataAtRef },
  isNamed: boolean,
): Promise<GameReview[]> {
  const { data, against = '' } = options;
  const { progress, start, ref } = tools;
  const compiling = { progress, upstream: upstreamOf(options), limits: limitsOf(options), start };
  const compiler = startCompiler(1, compiling.limits, 1, start);
  const { findings, coverage } = await compiler
    .compile(
      data,
      [slug],
      { ...progress, done() {} },
      {
        ...{ keep: { in: 'nothing' }, now: Date.now(), upstream: compiling.upstream },
      },
    )
    .finally(() => compiler.close());
  const base = await withGameAtRef(ref, slug, (copy) => compileBuilds(copy, slug, compiling));
  if (base && base.builds === undefined) {
    throw new CommandError(
      `the data of ${slug} at ${against} has ${countOf(countFindings(base.findings).errors, 'error')}, which cannot be compared: see gamedata check there, or compare with another commit`,
    );
  }
  const { builds: head } = await compileBuilds(data, slug, compiling);
  if (head === undefined) {
    const before = await readNewest(base?.builds);
    const place = placeOf(ref, against);
    const failed = { after: undefined, coverage: coverage[0], renamed: {} };
    return [await reviewGame({ game: slug, findings, before, place, ...failed })];
  }
  const place = placeOf(ref, against);
  const touched = await findTouched(head, base?.builds, place);
  if (touched.length === 0 && findings.length === 0 && !isNamed) return [];
  const shown = touched.length > 0 ? touched : [await unchanged(head, base?.builds, place)];
  const newGame = base === undefined ? await readNewGame(slug, options, start) : undefined;
  return await reviewAll(path.posix.join(data, slug), head, shown, findings, newGame);
}

/** Describes a game that was not there before, in a worker; undefined if its files or its mapping keep it from that. */
export async function readNewGame(
  slug: string,
  options: ReviewOne,
  start: StartWorkers = startWorkers,
): Promise<NewGame | undefined> {
  const { data } = options;
  const workers = start(1, limitsOf(options));
  const task: NewGameTask = { newGame: { data, slug, upstream: upstreamOf(options).cache } };
  const folder = path.posix.join(data, slug);
  const outcome = await workers.run<NewGame>('evaluate', task, folder).finally(() => workers.close());
  return 'value' in outcome ? outcome.value : undefined;
}

/** @param folder the game's folder */
async function reviewAll(
  folder: string,
  head: Builds,
  shown: readonly Touched[],
  findings: readonly Finding[],
  newGame: NewGame | undefined,
): Promise<GameReview[]> {
  const game = path.posix.basename(folder);
  const reviews: GameReview[] = [];
  for (const [index, { build, before, place, notes }] of shown.entries()) {
    const entry = head.manifest.builds.find((each) => each.build === build);
    const after = entry && (await head.read(entry));
    const isNew = before !== undefined && before.build !== build;
    const renamed = isNew ? await findRenames(folder, before.build, build) : {};
    const ofBuild = (finding: Finding) => finding.build === build;
    reviews.push(
      await reviewGame({
        ...{ game, before, place, notes, after, renamed, coverage: undefined },
        // Findings are those of the game: the first review has them all.
        findings: index === 0 ? findings : findings.filter(ofBuild),
        isBrief: index >= MAX_FULL,
        newGame: index === 0 ? newGame : undefined,
      }),
    );
  }
  return reviews;
}

function placeOf(ref: DataAtRef, against: string): string {
  return `${against}, commit ${ref.commit.slice(0, 10)}`;
}

async function unchanged(head: Builds, base: Builds | undefined, place: string): Promise<Touched> {
  return {
    build: head.names.at(-1) ?? '',
    before: await readNewest(base),
    place,
    notes: ['no build differs'],
  };
}

async function readNewest(builds: Builds | undefined): Promise<BuildContent | undefined> {
  const entry = builds?.manifest.builds.at(-1);
  return entry && (await builds?.read(entry));
}

/** Finds the builds that are new, or not as they were, the newest first. A build that is gone is a note of the first one. */
async function findTouched(head: Builds, base: Builds | undefined, place: string): Promise<Touched[]> {
  const [now, then] = [head.manifest.builds, base?.manifest.builds ?? []];
  const always = Number.POSITIVE_INFINITY;
  const changed = findChangedBuilds(recordBuilds(then), now, always);
  const gone = changed.filter(({ missing }) => missing).map(({ build }) => `build ${build} was removed`);
  const touched: Touched[] = [];
  for (const [index, { build }] of now.entries()) {
    const entry = then.find((each) => each.build === build);
    const parts = changed.find((each) => each.build === build)?.parts;
    if (entry && parts && base)
      touched.push({
        build,
        before: await base.read(entry),
        place,
        notes: [`differs in ${parts.join(', ')}`],
      });
    if (entry) continue;
    const previous = now[index - 1];
    const notes = then.length === 0 ? [] : ['a new build'];
    const before = previous && (await head.read(previous));
    touched.push({ build, before, place: 'the build before', notes });
  }
  const first = touched.at(-1) ?? (gone.length > 0 ? await unchanged(head, base, place) : undefined);
  if (first === undefined) return [];
  const newestFirst = touched.length > 0 ? touched.reverse() : [{ ...first, notes: [] }];
  newestFirst[0]?.notes.push(...gone);
  return newestFirst;
}

/** @returns undefined if the game was not there */
async function withGameAtRef<T>(
  ref: DataAtRef,
  slug: string,
  use: (data: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-review-'));
  try {
    return (await copyGameAtRef(ref, slug, path.join(folder, slug))) ? await use(folder) : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
