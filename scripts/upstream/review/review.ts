import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { parse } from 'jsonc-parser';
import { copyGameAtRef, type DataAtRef, openDataAtRef, readAtRef } from '../../check/git.ts';
import { findChangedBuilds, recordBuilds } from '../../check/recorded.ts';
import { countFindings, escapeControls, renderFindings } from '../../check/report.ts';
import * as common from '../../commands/options.ts';
import { type StartWorkers, startCompiler, startWorkers } from '../../compile/workers.ts';
import { CORRECTIONS_FILE } from '../../corrections/corrections.ts';
import { compareValues } from '../../diff/compare.ts';
import type { BuildDiff } from '../../diff/diff-builds.ts';
import { diffGame } from '../../diff/fold.ts';
import type { Finding } from '../../findings.ts';
import type { BuildContent } from '../../format/build-content.ts';
import { eachAttribute, type Json, type JsonObject, parseRecord } from '../../format/dist-format.ts';
import { CommandError, createProgress, type Progress } from '../../system.ts';
import { countOf } from '../../text.ts';
import { HELD_FILE, type HeldBuild } from '../pull/state.ts';
import * as diffs from './diff.ts';
import type { NewGame, NewGameTask } from './new-game.ts';

interface BuildReview {
  build: string;
  released_at: string;
  /** The build that it is compared with, and its place; undefined for the first one. */
  before: { build: string; place: string } | undefined;
  /** What a reader should know first, as sentences. */
  notes: string[];
  /** Why a released build has changed; undefined if it has not. */
  rewritten: string[] | undefined;
  diff: BuildDiff | undefined;
  /** Texts long enough to be a story or a profile. */
  longTexts: string[];
}

/** What a person needs to approve the builds of a game. */
interface GameReview {
  game: string;
  title: string;
  /** Changes of what is published without a person. */
  deciding: string[];
  findings: readonly Finding[];
  newGame: NewGame | undefined;
  /** Newest first; empty if errors prevent the game from being compiled. */
  builds: BuildReview[];
}

/** `gamedata review`. @param start starts the workers that compile games */
export function reviewCommand(start?: StartWorkers): Command {
  return common
    .addGameOptions(new Command('review'))
    .description(
      'show what a person needs to approve the newest build of a game, or all builds that a change touches',
    )
    .option(
      '--against <ref>',
      'compare every build that differs with what it is at a branch, tag or commit of the git repository that holds the data (default: the newest with the build before)',
    )
    .option('--approved', 'a person approved that released builds say something else', false)
    .addHelpText(
      'after',
      `
Prints Markdown for a pull request, of at most about 60,000 characters. A build that checks hold back is shown too.

Exit code: 0 done, also if there are findings; 1 released builds say something else or were removed and --approved is not given, or a build to compare
with cannot be read; 2 wrong usage.`,
    )
    .action(
      async (slugs: string[], options: common.GameOptions & { against?: string; approved: boolean }) => {
        const { data, against, approved } = options;
        const games = await common.chooseGames(slugs, data);
        const ref = against === undefined ? undefined : await openDataAtRef(data, against);
        const gone = new Set<string>();
        const add = (file: string) => gone.add(path.posix.dirname(file));
        if (ref && slugs.length === 0) await readAtRef(ref, '', isDefinition, add);
        for (const slug of games) gone.delete(slug);
        const progress = createProgress(process.stderr);
        const reviews: GameReview[] = [];
        for (const slug of games) {
          const review = await reviewGame(slug, options, { progress, start, ref });
          const { builds, findings, deciding } = review;
          if (builds.length + findings.length + deciding.length + slugs.length > 0) reviews.push(review);
        }
        progress.clear();
        for (const slug of gone) process.stdout.write(`**Game ${diffs.code(slug)} was removed**\n\n`);
        process.stdout.write(renderReviews(reviews));
        const isRewritten = reviews.some(({ builds }) => builds.some(({ rewritten }) => rewritten));
        if ((isRewritten || gone.size > 0) && !approved)
          throw new CommandError(
            'released builds say something else, or were removed: read why above, and pass --approved when a person has approved it',
          );
      },
    );
}

const isDefinition = (file: string) => /^[^/]+\/game\.json$/.test(file);

/**
 * Reviews a game: its newest build, or all builds that differ from a commit. Checks it like `gamedata check`.
 *
 * @param tools with the commit that all builds are compared with
 * @throws CommandError
 */
export async function reviewGame(
  slug: string,
  options: common.GameOptions & { against?: string },
  tools: { progress: Progress; start?: StartWorkers | undefined; ref?: DataAtRef | undefined },
): Promise<GameReview> {
  const { progress, start, ref } = tools;
  const { data, against } = options;
  const [limits, upstream] = [common.limitsOf(options), common.upstreamOf(options)];
  const compiler = startCompiler(1, limits, 1, start);
  const { findings } = await compiler
    .compile(data, [slug], { ...progress, done() {} }, { keep: { in: 'nothing' }, now: Date.now(), upstream })
    .finally(() => compiler.close());
  const compiling = { progress, upstream, limits, start };
  const only = ref ? undefined : { names: [], newest: 2 };
  const { builds: head } = await diffs.compileBuilds(data, slug, { ...compiling, only });
  const title = head?.manifest.title ?? slug;
  const review: GameReview = { game: slug, title, deciding: [], findings, newGame: undefined, builds: [] };
  const copies = await mkdtemp(path.join(tmpdir(), 'gamedata-review-'));
  try {
    const [then, now] = [path.join(copies, slug), path.join(data, slug)];
    const isThere = ref !== undefined && (await copyGameAtRef(ref, slug, then));
    const base = isThere ? await diffs.compileBuilds(copies, slug, compiling) : undefined;
    if (base && base.builds === undefined)
      throw new CommandError(
        `the data of ${slug} at ${against} has ${countOf(countFindings(base.findings).errors, 'error')}, which cannot be compared: see gamedata check there, or compare with another commit`,
      );
    if (base) review.deciding = findDeciding(await readDefinition(then), await readDefinition(now));
    if (head === undefined) return review;
    const { manifest } = head;
    // Without a commit, only the newest build is new.
    const earlier = { ...head, manifest: { ...manifest, builds: manifest.builds.slice(0, -1) } };
    const place = `${against}, commit ${ref?.commit.slice(0, 10)}`;
    review.builds = await reviewBuilds(now, head, ref ? base?.builds : earlier, place);
    const isNew = ref ? !isThere : manifest.builds.length === 1;
    if (!isNew) return review;
    // In a worker, because its files and its mapping come from strangers.
    const workers = (start ?? startWorkers)(1, limits);
    const task: NewGameTask = { newGame: { data, slug, upstream: options.upstream } };
    const described = await workers.run<NewGame>('evaluate', task, now).finally(() => workers.close());
    if ('value' in described) review.newGame = described.value;
    else review.findings = [...findings, ...described.findings];
    return review;
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Reads game.json with its corrections, and with what is decided about builds of upstream. */
async function readDefinition(folder: string): Promise<JsonObject> {
  const read = async (file: string) =>
    parse(await readFile(path.join(folder, file), 'utf8').catch(() => '')) ?? {};
  const { corrections = [] } = await read(CORRECTIONS_FILE);
  const held = (await read(HELD_FILE)).builds ?? {};
  const decided = Object.entries<HeldBuild | null>(held).flatMap(([build, of]) => {
    const { overrides, take, skip } = of ?? {};
    return overrides || take || skip ? [[build, { overrides, take, skip }]] : [];
  });
  return { ...(await read('game.json')), corrections, held: Object.fromEntries(decided) };
}

/** Reviews the builds that are new or changed, newest first. @param place where the other versions are */
async function reviewBuilds(
  folder: string,
  head: diffs.Builds,
  base: diffs.Builds | undefined,
  place: string,
): Promise<BuildReview[]> {
  const [now, then] = [head.manifest.builds, base?.manifest.builds ?? []];
  const changed = findChangedBuilds(recordBuilds(then), now, Number.POSITIVE_INFINITY);
  const gone = changed.filter(({ missing }) => missing).map(({ build }) => `build ${build} was removed`);
  const released = changed.filter(({ recorded }) => Date.parse(recorded.released_at) <= Date.now());
  const reviews: BuildReview[] = [];
  for (const [index, entry] of now.entries()) {
    const { build, amended = [] } = entry;
    const reasons = amended.map(({ reason }) => reason);
    const known = then.find((each) => each.build === build);
    const parts = changed.find((each) => each.build === build)?.parts;
    const isNewest = index === now.length - 1;
    if (known && !parts && !(isNewest && gone.length > 0)) continue;
    const previous = known ?? now[index - 1];
    const before = previous && (await (known ? base : head)?.read(previous));
    const after = await head.read(entry);
    const renamed = before && !known ? await diffs.findRenames(folder, before.build, build) : {};
    const areGone = isNewest && released.some(({ missing }) => missing);
    const isRewritten = areGone || released.some((each) => each.build === build);
    reviews.unshift({
      build,
      released_at: after.released_at,
      longTexts: findLongTexts(after),
      notes: [...(parts ? [`differs in ${parts.join(', ')}`] : []), ...(isNewest ? gone : [])],
      diff: before && diffGame(before, after, renamed, await head.readContext(entry)),
      before: before && { build: before.build, place: known ? place : 'the build before' },
      rewritten: isRewritten ? [...(areGone ? gone : []), ...reasons.slice(-3)] : undefined,
    });
  }
  return reviews;
}

/** Longer texts are stories, profiles or lines. */
const MAX_TEXT = 600;

function findLongTexts({ characters, datasets }: BuildContent): string[] {
  const found = new Map<string, string[]>();
  const look = (list: string, records: BuildContent['characters']) => {
    for (const record of records.map(parseRecord))
      eachAttribute(record, (key, value) => {
        if (typeof value !== 'string' || value.length <= MAX_TEXT) return;
        const [place, text] = [`${list}.${key}`, `${record.id ?? ''} has ${value.length} characters`];
        found.set(place, [...(found.get(place) ?? []), text]);
      });
  };
  look('characters', characters);
  for (const [key, of] of datasets) look(key, of.kind === 'list' ? of.records : [of.text]);
  return [...found].map(
    ([place, texts]) =>
      `${place}: ${countOf(texts.length, 'text')} of more than ${MAX_TEXT} characters; ${texts[0]}`,
  );
}

/** The members of game.json that decide what is published without a person. Of `source`, `trim` only removes columns from files. */
const DECIDING = /^\/(source(?!\/trim)|checks|corrections|held|successor|draft)(\/|$)/;

function findDeciding(before: JsonObject, after: JsonObject): string[] {
  const text = (value: Json | undefined) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return compareValues(before, after)
    .changes.filter(({ path: place }) => DECIDING.test(place))
    .map(({ path: place, from, to }) => `${place}: ${text(from)} → ${text(to)}`);
}

/** A comment on GitHub has at most 65,536 characters. Games that do not fit are named besides. */
const MAX_CHARACTERS = 59_000;
const MAX_LINE = 600;

/**
 * Renders reviews as GitHub's Markdown for a pull request: what a reader must see first, then each build once. All text from data is in code spans
 * and fences, so that none of it becomes a link, a mention or HTML.
 */
export function renderReviews(reviews: readonly GameReview[]): string {
  if (reviews.length === 0) return 'No build differs.\n';
  const texts: string[] = [];
  const cut = new Set<string>();
  let left = MAX_CHARACTERS;
  const add = (game: string, text: string) => {
    if (text.length >= left) return cut.add(game);
    texts.push(text);
    left -= text.length + 1;
  };
  // Each game has up to three blocks of what must be seen.
  const most = Math.floor(MAX_CHARACTERS / 10 / reviews.length);
  for (const review of reviews) for (const text of renderFirst(review, most)) add(review.game, text);
  const parts = reviews.flatMap((review) =>
    (review.builds.length > 0 ? review.builds : [undefined]).map((build, at) => ({ review, build, at })),
  );
  for (const [index, { review, build, at }] of parts.entries())
    add(review.game, renderBuild(review, build, at === 0, Math.floor(left / (parts.length - index))));
  const more = diffs.code([...cut].join(' '), MAX_LINE);
  if (cut.size > 0)
    texts.unshift(`**${countOf(cut.size, 'game')} are not shown, or not all of them**: ${more}\n`);
  return texts.join('\n');
}

/** What a reader must see in the first minute. */
function renderFirst({ game, deciding, builds, newGame }: GameReview, most: number): string[] {
  const longTexts = new Set(builds.flatMap((build) => build.longTexts));
  const decided = deciding.map((line) => `- **${diffs.code(line, MAX_LINE)}**`);
  const concerns = [
    ...(newGame?.licence === '' ? ['no licence is stated: ask who contributes it before you approve'] : []),
    ...[...longTexts].map((each) => `${each}: stories and profiles of a game may not be copied`),
    ...(newGame?.doubts ?? []),
  ].map((line) => `- ${diffs.code(line, MAX_LINE)}`);
  const block = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`**${title}** (${diffs.code(game)}):\n\n${diffs.fit(lines, most)}\n`];
  return [
    ...block('This changes what is published without you', decided),
    ...block('Builds that are released say something else now', builds.flatMap(renderRewritten)),
    ...block('Look at this before you approve it', concerns),
  ];
}

function renderRewritten({ build, rewritten, diff }: BuildReview): string[] {
  if (rewritten === undefined || diff === undefined) return [];
  const values = [diff.characters, ...Object.values(diff.datasets)].flatMap((of): unknown[] =>
    'changed' in of
      ? [...of.added, ...of.removed, ...of.changed.flatMap(({ changes }) => changes)]
      : [...of.changes],
  );
  const samples = diffs.renderChanges(diff, 2400).filter((block) => block.startsWith('|'));
  const why = rewritten.map((each) => diffs.code(each)).join(', ') || '**no reason is stated**';
  const changed = `- ${diffs.code(build)}: ${countOf(values.length, 'value')} changed; ${why}`;
  return [changed, ...samples.map((each) => `\n${each}\n`)];
}

/** @param isFirst whether it also has what is about the game */
function renderBuild(
  { game, title, findings, newGame }: GameReview,
  build: BuildReview | undefined,
  isFirst: boolean,
  maxCharacters: number,
): string {
  const { errors, warnings } = countFindings(findings);
  const counts = `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  const { before, notes = [], diff } = build ?? {};
  const against = before ? `compared with ${before.place}` : 'a new game, compared with nothing';
  const released = build && `released at ${build.released_at}; ${against}; ${counts}.`;
  const part = (share: number) => Math.floor(maxCharacters * share);
  const shown = findings.map((finding) => diffs.cutShort(renderFindings([finding]), 2000));
  const blocks = [
    `## ${diffs.code(game)} ${before ? `${diffs.code(before.build)} → ` : ''}${diffs.code(build?.build ?? 'no build')}`,
    `${diffs.code(title)}, ${released ?? `${counts}. Its errors keep it from being compiled: the records cannot be shown.`}`,
    ...notes.map((note) => `- ${diffs.code(note)}`),
    ...(isFirst
      ? ['### Findings', shown.length > 0 ? diffs.fence(diffs.fit(shown, part(0.25))) : 'None.']
      : []),
    ...(isFirst && newGame ? renderNewGame(newGame, part(0.4)) : []),
    ...(diff ? ['### What changed', ...diffs.renderChanges(diff, part(0.5))] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function renderNewGame({ source, lists }: NewGame, maxCharacters: number): string[] {
  const shown = lists.flatMap(({ title, records }) => [
    `${diffs.code(title)}:`,
    diffs.fence(diffs.fit(records, Math.floor(maxCharacters / lists.length))),
  ]);
  const origin = diffs.fence(source.map(escapeControls).join('\n'));
  return ['### Where it comes from', origin, '### Records beside the raw rows that they come from', ...shown];
}
