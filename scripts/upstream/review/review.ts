import path from 'node:path';
import { type DataAtRef, copyGameAtRef, openDataAtRef } from '../../check/git.ts';
import { findChangedBuilds, recordBuilds } from '../../check/recorded.ts';
import { countFindings } from '../../check/report.ts';
import {
  type CompileOptions,
  addGameOptions,
  chooseGames,
  limitsOf,
  upstreamOf,
} from '../../commands/options.ts';
import { type StartWorkers, startCompiler, startWorkers } from '../../compile/workers.ts';
import type { BuildDiff } from '../../diff/diff-builds.ts';
import { diffGame } from '../../diff/fold.ts';
import type { BuildContent } from '../../format/build-content.ts';
import {
  type Json,
  type JsonObject,
  eachAttribute,
  isObject,
  parseRecord,
} from '../../format/dist-format.ts';
import { pointerTo } from '../../format/json.ts';
import { coverBuild, renderCoverage } from '../../check/coverage.ts';
import { CommandError, type Progress, createProgress } from '../../system.ts';
import { countOf } from '../../text.ts';
import { type Builds, compileBuilds, findInDist, findRenames } from './builds-of-game.ts';
import { type BuildReview, type GameReview, needsApproval, renderReviews } from './markdown.ts';
import type { NewGame, NewGameTask } from './new-game.ts';
import { Command } from 'commander';
import { parse } from 'jsonc-parser';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';

/** The options of a review. */
export interface ReviewOptions extends CompileOptions {
  against?: string;
  out: string;
}

/** `gamedata review`, which compiles games by workers that `start` starts. */
export function reviewCommand(start?: StartWorkers): Command {
  return addGameOptions(new Command('review'))
    .description(
      'show what a person needs to approve the newest build of a game, or all builds that a change touches',
    )
    .option(
      '--against <what>',
      'compare with the newest build in dist/ ("dist"), or every build that differs with what it is at a branch, tag or commit of the git repository that holds the data (default: the build before)',
    )
    .option('--out <folder>', 'the folder with the compiled files, for --against dist', 'dist')
    .option('--approved', 'a person approved that released builds say something else', false)
    .addHelpText(
      'after',
      `
Prints Markdown for a pull request, of at most about 60,000 characters. First comes what changes in what is published without a person, and which
released builds say something else; then, build by build, the findings, what the records have, what changed, and some records as the API will serve
them. A build that checks hold back is shown too. Of a new game it shows records beside the raw rows that they come from.

Exit code: 0 done, also if there are findings; 1 released builds say something else and --approved is not given, or a build to compare with cannot be
read; 2 wrong usage.

Examples:
  gamedata review my-game                            the newest build beside the one before it
  gamedata review --against origin/main              every build that a pull request touches, of all games
  gamedata review my-game --against dist             what the next gamedata build would publish`,
    )
    .action(async (slugs: string[], options: ReviewOptions & { approved: boolean }) => {
      const { data, against, approved } = options;
      const games = await chooseGames(slugs, data);
      const ref =
        against === undefined || against === 'dist' ? undefined : await openDataAtRef(data, against);
      const progress = createProgress(process.stderr);
      const reviews: GameReview[] = [];
      for (const slug of games) {
        const review = await reviewGame(slug, options, { progress, start, ref });
        if (
          review.builds.length > 0 ||
          review.findings.length > 0 ||
          review.deciding.length > 0 ||
          slugs.length > 0
        )
          reviews.push(review);
      }
      progress.clear();
      process.stdout.write(renderReviews(reviews));
      if (ref !== undefined && !approved && needsApproval(reviews))
        throw new CommandError(
          'released builds say something else: read why above, and pass --approved when a person has approved it',
        );
    });
}

interface Tools {
  progress: Progress;
  start?: StartWorkers | undefined;
  /** The commit to compare all builds with. */
  ref?: DataAtRef | undefined;
}

/** Two contents of a build to show, the newest build first. */
interface Pair {
  build: string;
  before: BuildContent | undefined;
  place: string;
  notes: string[];
  isRewritten?: boolean;
}

/** Reviews a game: its newest build, or all builds that differ from a commit. Checks it as `gamedata check` does. @throws CommandError */
export async function reviewGame(slug: string, options: ReviewOptions, tools: Tools): Promise<GameReview> {
  const { data, against = '', out } = options;
  const { progress, start, ref } = tools;
  const [limits, upstream] = [limitsOf(options), upstreamOf(options)];
  const compiler = startCompiler(1, limits, 1, start);
  const silent = { ...progress, done() {} };
  const { findings } = await compiler
    .compile(data, [slug], silent, { keep: { in: 'nothing' }, now: Date.now(), upstream })
    .finally(() => compiler.close());
  const compiling = { progress, upstream, limits, start };
  const newest = ref ? undefined : { names: [], newest: against === '' ? 2 : 1 };
  const { builds: head } = await compileBuilds(data, slug, { ...compiling, only: newest });
  const review: GameReview = {
    game: slug,
    title: slug,
    deciding: [],
    findings,
    newGame: undefined,
    builds: [],
  };
  const place = ref
    ? `${against}, commit ${ref.commit.slice(0, 10)}`
    : against === ''
      ? 'the build before'
      : `${out}/`;
  let pairs: Pair[] = [];
  if (ref)
    await withGameAtRef(ref, slug, async (copy) => {
      const now = await readDefinition(path.join(data, slug));
      const base = copy === undefined ? undefined : await compileBuilds(copy, slug, compiling);
      if (copy) review.deciding = describeDefinitionChanges(await readDefinition(path.join(copy, slug)), now);
      if (base && base.builds === undefined)
        throw new CommandError(
          `the data of ${slug} at ${against} has ${countOf(countFindings(base.findings).errors, 'error')}, which cannot be compared: see gamedata check there, or compare with another commit`,
        );
      if (head) pairs = await findTouched(head, base?.builds, place);
      if (head && !base) review.newGame = await describeNew(slug, options, start);
      review.builds = head ? await reviewBuilds(path.posix.join(data, slug), head, pairs) : [];
    });
  else if (head) {
    const entry = head.manifest.builds.at(-1);
    const inDist = against === '' ? undefined : await findInDist(out, slug);
    const earlier = against === '' ? head.manifest.builds.at(-2) : inDist?.manifest.builds.at(-1);
    const before = earlier && (await (inDist ?? head).read(earlier));
    if (entry)
      review.builds = await reviewBuilds(path.posix.join(data, slug), head, [
        { build: entry.build, before, place, notes: [] },
      ]);
    if (entry && !before) review.newGame = await describeNew(slug, options, start);
  }
  review.title = head?.manifest.title ?? slug;
  return review;
}

/** game.json, with the corrections beside it. */
async function readDefinition(folder: string) {
  const [game, corrected] = await Promise.all(
    ['game.json', 'corrections.json'].map((file) =>
      readFile(path.join(folder, file), 'utf8').catch(() => ''),
    ),
  );
  return { ...parse(game ?? ''), corrections: parse(corrected ?? '')?.corrections };
}

/** Finds the builds that are new, or not as they were, the newest first. */
async function findTouched(head: Builds, base: Builds | undefined, place: string): Promise<Pair[]> {
  const [now, then] = [head.manifest.builds, base?.manifest.builds ?? []];
  const changed = findChangedBuilds(recordBuilds(then), now, Number.POSITIVE_INFINITY);
  const pairs: Pair[] = [];
  for (const [index, { build }] of now.entries()) {
    const entry = then.find((each) => each.build === build);
    const parts = changed.find((each) => each.build === build)?.parts;
    if (entry && parts && base)
      pairs.push({
        build,
        before: await base.read(entry),
        place,
        notes: [`differs in ${parts.join(', ')}`],
        isRewritten: Date.parse(entry.released_at) <= Date.now(),
      });
    if (entry) continue;
    const previous = now[index - 1];
    const before = previous && (await head.read(previous));
    pairs.push({ build, before, place: 'the build before', notes: then.length === 0 ? [] : ['a new build'] });
  }
  const gone = changed.filter(({ missing }) => missing).map(({ build }) => `build ${build} was removed`);
  const last = now.at(-1);
  const entry = then.at(-1);
  if (pairs.length === 0 && gone.length > 0 && last && entry && base)
    pairs.push({ build: last.build, before: await base.read(entry), place, notes: [] });
  pairs.at(-1)?.notes.push(...gone);
  return pairs.reverse();
}

async function reviewBuilds(folder: string, head: Builds, pairs: readonly Pair[]): Promise<BuildReview[]> {
  const reviews: BuildReview[] = [];
  for (const { build, before, place, notes, isRewritten } of pairs) {
    const entry = head.manifest.builds.find((each) => each.build === build);
    const after = entry && (await head.read(entry));
    if (after === undefined) continue;
    const renamed = before && before.build !== build ? await findRenames(folder, before.build, build) : {};
    const diff = before && diffGame(before, after, renamed);
    const lists = recordsOf(after);
    const covered = coverBuild(
      path.posix.basename(folder),
      { build, lists },
      before && { build: before.build, lists: recordsOf(before) },
    );
    reviews.push({
      ...{ build, notes, diff, released_at: after.released_at },
      before: before && { build: before.build, place },
      rewritten:
        isRewritten && diff
          ? {
              reasons: (entry?.amended ?? []).map(({ reason }) => reason).slice(-3),
              values: countValues(diff),
            }
          : undefined,
      table: renderCoverage([covered], 'moved'),
      samples: chooseSamples(lists, diff),
      longTexts: findLongTexts(lists),
    });
  }
  return reviews;
}

type Lists = ReadonlyMap<string, { list: string; records: readonly JsonObject[] }>;

function recordsOf({ characters, datasets }: BuildContent): Lists {
  const texts = [
    ['characters', characters] as const,
    ...[...datasets].map(([key, of]) => [key, of.kind === 'list' ? of.records : [of.text]] as const),
  ];
  return new Map(texts.map(([list, records]) => [list, { list, records: records.map(parseRecord) }]));
}

function countValues({ characters, datasets }: BuildDiff): number {
  const count = (changed: readonly { changes: readonly unknown[] }[]) =>
    changed.reduce((sum, { changes }) => sum + changes.length, 0);
  const ofDatasets = Object.values(datasets).map((each) =>
    'changed' in each ? count(each.changed) + each.added.length + each.removed.length : each.changes.length,
  );
  return [
    count(characters.changed) + characters.added.length + characters.removed.length,
    ...ofDatasets,
  ].reduce((a, b) => a + b);
}

/** Of each list, the first record and the one that changed most. */
function chooseSamples(lists: Lists, diff: BuildDiff | undefined): BuildReview['samples'] {
  return [...lists.values()].flatMap(({ list, records }) => {
    const of = list === 'characters' ? diff?.characters : diff?.datasets[list];
    const [most] =
      of && 'changed' in of ? [...of.changed].sort((a, b) => b.changes.length - a.changes.length) : [];
    const changed = most && records.find(({ id }) => id === most.id);
    const sample = (record: JsonObject, why: string) => ({
      title: `${list}: ${[record.id, record.name].filter((each) => typeof each === 'string').join(' ')} (${why})`,
      record,
    });
    return [
      ...(records[0] ? [sample(records[0], 'the first')] : []),
      ...(changed && changed !== records[0] ? [sample(changed, 'changed most')] : []),
    ];
  });
}

/** Longer texts are stories, profiles or lines. */
const MAX_TEXT = 600;

function findLongTexts(lists: Lists): string[] {
  return [...lists.values()].flatMap(({ list, records }) => {
    const found = new Map<string, { count: number; first: string }>();
    for (const record of records)
      eachAttribute(record, (key, value) => {
        if (typeof value !== 'string' || value.length <= MAX_TEXT) return;
        const entry = found.get(key) ?? {
          count: 0,
          first: `${String(record.id ?? '')} has ${value.length} characters`,
        };
        found.set(key, { ...entry, count: entry.count + 1 });
      });
    return [...found].map(
      ([key, { count, first }]) =>
        `${list}.${key}: ${countOf(count, 'text')} of more than ${MAX_TEXT} characters; ${first}`,
    );
  });
}

/** Describes a game that was not there before, in a worker; undefined if its files or its mapping keep it from that. */
async function describeNew(
  slug: string,
  options: ReviewOptions,
  start: StartWorkers = startWorkers,
): Promise<NewGame | undefined> {
  const workers = start(1, limitsOf(options));
  const task: NewGameTask = { newGame: { data: options.data, slug, upstream: upstreamOf(options).cache } };
  const outcome = await workers
    .run<NewGame>('evaluate', task, path.posix.join(options.data, slug))
    .finally(() => workers.close());
  return 'value' in outcome ? outcome.value : undefined;
}

/** Calls `use` with a data folder that has the game as it was; with undefined if it was not there. */
async function withGameAtRef(
  ref: DataAtRef,
  slug: string,
  use: (data: string | undefined) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-review-'));
  try {
    const isThere = await copyGameAtRef(ref, slug, path.join(folder, slug));
    await use(isThere ? folder : undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What game.json says about publishing without a person: where builds come from, what holds them back, and what is corrected. */
const DECIDING = ['source', 'checks', 'corrections', 'successor', 'draft'];
/** Of `source`, what only leaves columns out of files. */
const HARMLESS = ['trim'];

/**
 * Says what a change of game.json changes in what is published without a person.
 *
 * @param before undefined for a new game, about which its review says where it comes from
 */
function describeDefinitionChanges(before: Json | undefined, after: Json | undefined): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  return DECIDING.flatMap((member) => {
    if (member === 'source' && isObject(before.source) && isObject(after.source)) {
      const [then, now] = [before.source, after.source];
      const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
      const deciding = names.filter((name) => !HARMLESS.includes(name));
      return deciding.flatMap((name) => changesIn(`/source${pointerTo('', name)}`, then[name], now[name]));
    }
    return changesIn(`/${member}`, before[member], after[member]);
  });
}

function changesIn(place: string, before: Json | undefined, after: Json | undefined): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changesIn(pointerTo(place, name), before[name], after[name]));
  }
  const text = (value: Json | undefined) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return [`${place}: ${text(before)} → ${text(after)}`];
}
