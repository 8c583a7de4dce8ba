import path from 'node:path';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { editJsonFile } from '../../check/recorded.ts';
import { vendorGame } from '../references/vendor.ts';
import { ACCEPT_AFTER, findKept } from './accept.ts';
import { describeChanged, findChangedFiles, takeHotfix } from './corrections.ts';
import type { UpstreamBuild } from './group-builds.ts';
import {
  describeFaults,
  describeFound,
  findQuiet,
  namesOf,
  type PulledGame,
  readPulledGame,
} from './pulled-game.ts';
import type { Item } from './report.ts';
import { type GameState, hashTrial } from './state.ts';
import { findErrors, type TryOptions, tryBuild, tryKept } from './try-build.ts';
import type { GameUpstream } from './upstream.ts';

/** The builds of upstream that are to be added, and why others are not. */
export interface Choice {
  /** To add, oldest first. */
  chosen: UpstreamBuild[];
  /** Released before the newest build that visitors see, and not in the game. */
  older: UpstreamBuild[];
  /** Complete only after their settling time. */
  waiting: UpstreamBuild[];
  beyond: UpstreamBuild[];
}

/** What a round knows of a game, and what it can do with it. */
export interface Turn {
  state: GameState;
  since: number;
  limit: number;
  dryRun: boolean;
  trying: TryOptions;
  reviewFile(slug: string, build: string): string;
  isEnding(): boolean;
  /** Whether the builds that the game has were checked as they are, without errors. */
  isChecked(slug: string): boolean;
  /** Builds the game with a correction; undefined if this pull builds nothing. */
  accept?: ((game: PulledGame, build: string, reason: string) => Promise<void>) | undefined;
  say(subject: string, text: string): void;
}

const DAY_MS = 86_400_000;
/** A release that is further ahead, and further than the game ever announced one, is probably a wrong date. */
const MAX_AHEAD_MS = 60 * DAY_MS;

/** Chooses the builds of upstream to add. Builds are added in order: one that is not complete yet holds back those after it. */
export function chooseBuilds(
  all: readonly UpstreamBuild[],
  { builds: own, source }: Pick<PulledGame, 'builds' | 'source'>,
  { state, since, limit }: Pick<Turn, 'state' | 'since' | 'limit'>,
): Choice & { far: UpstreamBuild[] } {
  const now = Date.now();
  const at = ({ released_at }: { released_at: string }) => Date.parse(released_at);
  const present = new Set(own.map(({ build }) => build));
  // A build that nobody has seen leaves none out.
  const newest = own.filter((build) => at(build) <= now).at(-1);
  const settle = (source.settle_minutes ?? 60) * 60_000;
  const leads = all
    .filter(({ build, settledAt }) => present.has(build) && settledAt > 0)
    .map((build) => at(build) - build.settledAt + settle);
  const furthest = Math.max(MAX_AHEAD_MS, ...leads.map((lead) => 1.5 * lead));
  const isAhead = (build: UpstreamBuild) => at(build) - now > furthest;
  const isFar = (build: UpstreamBuild) => isAhead(build) && state.find(build.build)?.take !== true;
  // A date that upstream corrects counts, if nobody has seen the build.
  const builds = all.map((build) =>
    build.corrected_at !== undefined && !present.has(build.build) && isAhead(build)
      ? { ...build, released_at: build.corrected_at, commit: build.newestCommit }
      : build,
  );
  const missing = builds.filter(
    (build) => !present.has(build.build) && state.find(build.build)?.skip !== true && at(build) >= since,
  );
  const far = missing.filter(isFar);
  const fresh = missing.filter((build) => !isFar(build) && (newest === undefined || at(build) > at(newest)));
  const unsettled = fresh.findIndex(({ settledAt }) => settledAt > now);
  const ready = unsettled === -1 ? fresh : fresh.slice(0, unsettled);
  return {
    chosen: ready.slice(0, limit),
    older: missing.filter((build) => newest !== undefined && at(build) <= at(newest)),
    waiting: unsettled === -1 ? [] : fresh.slice(unsettled),
    beyond: ready.slice(limit),
    far,
  };
}

/**
 * Takes in what upstream has of a game: tries new builds, accepts what upstream keeps, and compares what is served with what upstream has now.
 *
 * @returns what a person should know
 */
export async function takeTurn(game: PulledGame, upstream: GameUpstream, turn: Turn): Promise<Item[]> {
  const { state, trying } = turn;
  const { slug } = game;
  const items: Item[] = [];
  const choice = chooseBuilds(upstream.builds, game, turn);
  turn.say(slug, describeFound(game, upstream, choice));
  if (turn.dryRun) {
    for (const { build, released_at, commit, subject } of choice.chosen) {
      const from =
        game.source.git === undefined ? `from ${subject}` : `commit ${commit.slice(0, 10)} ("${subject}")`;
      process.stdout.write(`  ${build}, released at ${released_at}: ${from}\n`.replace(/[^\P{Cc}\n]/gu, ' '));
    }
    return [];
  }
  const quiet = findQuiet(game, upstream, choice, Date.now());
  if (quiet !== undefined)
    items.push({ key: `quiet ${slug}`, kind: 'quiet', game: slug, text: quiet, remedy: '' });
  await forgetGone(game, upstream, state);
  items.push(...(await compareServed(game, upstream, turn)));
  let current = game;
  const empty: string[] = [];
  let isChecked = game.builds.length === 0 || trying.asIs || turn.isChecked(slug);
  // One that a person accepted or took may be released before others that passed in the meantime.
  const late = choice.older.filter(({ build }) => state.find(build)?.overrides ?? state.find(build)?.take);
  for (const chosen of [...late, ...choice.chosen]) {
    if (turn.isEnding()) break;
    const held = state.find(chosen.build);
    // Of a build that is held back, the last commit counts: it may be the correction.
    const build = held?.commit === undefined ? chosen : { ...chosen, commit: chosen.newestCommit };
    if (
      held?.tried !== undefined &&
      held.tried === (await hashTrial(current.folder, namesOf(current), { ...held, commit: build.commit }))
    )
      if (!trying.asIs) continue;
    if (!isChecked) await checkPresent(slug, trying);
    isChecked = true;
    const { outcome, accepted } = await tryBuild(current, upstream, build, state, trying);
    if (outcome === 'empty') empty.push(build.build);
    // What was added after it says that upstream goes on.
    if (outcome === 'added') empty.length = 0;
    if (outcome === 'added') await note(state, build);
    if (accepted) items.push(acceptedItem(slug, build.build, accepted));
    current = (await readPulledGame(slug, trying.data, false)) ?? current;
    if (trying.asIs && (await findErrors(slug, trying)).length > 0)
      throw new CommandError(
        `build ${build.build} was added as it is, and its check finds errors; the builds after it wait: run gamedata check ${slug}, correct or acknowledge them, and pull again`,
      );
  }
  const { accept_after = ACCEPT_AFTER } = game.source;
  const newest = Date.parse(
    current.builds.filter(({ released_at }) => Date.parse(released_at) <= Date.now()).at(-1)?.released_at ??
      '',
  );
  const kept =
    accept_after === false ? [] : findKept(state, upstream.builds, accept_after, { newest, now: Date.now() });
  for (const acceptable of kept) {
    if (turn.isEnding()) break;
    if (!(await tryKept(current, upstream, acceptable, state, trying))) continue;
    current = (await readPulledGame(slug, trying.data, false)) ?? current;
    for (const name of [acceptable.build, ...acceptable.by]) {
      const build = upstream.builds.find((each) => each.build === name);
      if (build && namesOf(current).includes(name)) await note(state, build);
    }
    // What is held back after them is tried again.
    return [
      acceptedItem(slug, acceptable.build, acceptable.questions),
      ...(await takeTurn(current, upstream, turn)),
    ];
  }
  const fault = describeFaults(game, upstream, empty);
  if (fault !== undefined)
    items.push({
      key: `fault ${slug} ${fault.message}`,
      kind: 'failing',
      game: slug,
      text: fault.message,
      remedy: '',
    });
  return [...items, ...describeWaiting(current, upstream, choice, turn)];
}

/** Notes the commit of a build as that which is served. */
async function note(
  state: GameState,
  { build, newestCommit, commit, corrections }: UpstreamBuild,
): Promise<void> {
  await state.change((content) => {
    content.seen = { ...content.seen, [build]: corrections > 0 ? commit : newestCommit };
  });
}

function acceptedItem(slug: string, build: string, questions: readonly string[]): Item {
  const text = `build ${build} is accepted, as upstream keeps its change: ${questions.join(', ')}`;
  const remedy = 'if it is wrong, run gamedata rollback, and set "accept_after": false in "source"';
  return {
    key: `accepted ${slug} ${build} ${questions.join()}`,
    kind: 'accepted',
    game: slug,
    build,
    text,
    remedy,
  };
}

async function checkPresent(slug: string, trying: TryOptions): Promise<void> {
  const errors = await findErrors(slug, trying);
  if (errors.length > 0)
    throw new CommandError(
      `the builds that it has have ${countOf(errors.length, 'error')}: run gamedata check ${slug}, and correct or acknowledge them; new builds wait`,
    );
}

/** Forgets held builds that upstream does not have any more; what a maintainer wrote stays. */
async function forgetGone(game: PulledGame, { builds }: GameUpstream, state: GameState): Promise<void> {
  const names = namesOf(game);
  const has = (name: string) => builds.some(({ build }) => build === name);
  await state.change(({ builds: held }) => {
    for (const [build, { skip, overrides }] of Object.entries(held)) {
      if (names.includes(build) && skip === undefined) delete held[build];
      else if (!skip && overrides === undefined && builds.length > 0 && !has(build)) delete held[build];
    }
  });
}

/** Compares the builds that are served with what upstream has of them now. */
async function compareServed(game: PulledGame, upstream: GameUpstream, turn: Turn): Promise<Item[]> {
  const { state, accept, trying } = turn;
  const { slug, folder, source } = game;
  const items: Item[] = [];
  const { seen = {} } = state.content;
  const newest = game.builds.at(-1)?.build;
  const ask = (build: string, text: string, remedy: string) =>
    items.push({ key: `changed ${slug} ${build} ${text}`, kind: 'changed', game: slug, build, text, remedy });
  const keep = (build: string) => `to keep it as it is for good, run gamedata pull ${slug} --skip ${build}`;
  for (const { build, released_at } of game.builds) {
    // Files at addresses and packages have only their newest content.
    if (
      state.find(build)?.skip ||
      upstream.builds.length === 0 ||
      (source.git === undefined && build !== newest)
    )
      continue;
    const now = upstream.builds.find((each) => each.build === build);
    if (now === undefined) {
      if (seen[build] === undefined || source.git === undefined) continue;
      await copyReferences(game, build, turn);
      ask(
        build,
        `build ${build}, which is served, is gone upstream`,
        `take it back with gamedata rollback ${slug} ${build}, or ${keep(build)}`,
      );
      continue;
    }
    // What nobody has seen yet follows upstream's date.
    if (Date.parse(released_at) > Date.now() && now.released_at !== released_at)
      await editJsonFile(path.join(folder, build, 'build.json'), 'released_at', now.released_at);
    const known = seen[build];
    const isSame =
      known === undefined ? build !== newest || now.corrections === 0 : known === now.newestCommit;
    if (isSame || now.settledAt > Date.now()) {
      if (known === undefined && source.git !== undefined)
        await state.change((content) => {
          content.seen = {
            ...content.seen,
            [build]: now.corrections > 0 && build === newest ? now.commit : now.newestCommit,
          };
        });
      continue;
    }
    if (known !== undefined && (await upstream.hasCommit?.(known)) === false)
      await copyReferences(game, build, turn);
    const files = await findChangedFiles(game, upstream, now);
    if (files === undefined || files.length === 0) {
      await state.change((content) => {
        content.seen = { ...content.seen, [build]: now.newestCommit };
      });
      continue;
    }
    const text = describeChanged(now, files);
    if (build === newest && source.later_commits === 'take' && accept) {
      const failure = await takeHotfix(game, upstream, now, (reason) => accept(game, build, reason)).catch(
        (error: unknown) => error,
      );
      if (failure === undefined) {
        process.stdout.write(`${slug}: build ${build} is corrected as upstream did\n`);
        await state.change((content) => {
          content.seen = { ...content.seen, [build]: now.newestCommit };
        });
        continue;
      }
      if (!(failure instanceof CommandError)) throw failure;
      ask(build, `${text}; it is not taken: ${failure.message}`, keep(build));
      continue;
    }
    const take =
      build === newest
        ? `"later_commits": "take" in "source" takes such changes with --build`
        : `take it with gamedata add --replace`;
    ask(build, text, `${take}; ${keep(build)}`);
  }
  return items;

  /** Copies files that a build names by references, while the cache has them: upstream may not have them for long. */
  async function copyReferences({ builds }: PulledGame, build: string, { say }: Turn): Promise<void> {
    const references = builds.find((each) => each.build === build)?.references ?? [];
    if (references.length === 0) return;
    const done = await vendorGame(folder, [build], trying.upstream, () => {}).then(
      () => 'its files are copied to it',
      (error: unknown) => {
        if (error instanceof CommandError) return `its files cannot be copied: ${error.message}`;
        throw error;
      },
    );
    say(
      `vendor ${slug} ${build}`,
      `${slug}: upstream does not have the commit of ${build} any more; ${done}\n`,
    );
  }
}

/** What waits for a person: builds that are held back, datasets that are carried, and builds with odd dates. */
function describeWaiting(
  game: PulledGame,
  upstream: GameUpstream,
  { far, older }: Choice & { far: UpstreamBuild[] },
  turn: Turn,
): Item[] {
  const { state } = turn;
  const { slug, folder } = game;
  const order = (name: string) => upstream.builds.findIndex(({ build }) => build === name);
  const newest = Math.max(-1, ...namesOf(game).map(order));
  const items: Item[] = far.map(({ build, released_at }) => ({
    ...{ key: `far ${slug} ${build} ${released_at}`, kind: 'held', game: slug, build },
    text: `build ${build} is held back: its release, ${released_at}, is further ahead than the game ever announced one`,
    remedy: `if the date is right, run gamedata pull ${slug} --take ${build}; if not, wait for upstream or --skip ${build}`,
  }));
  const { seen = {} } = state.content;
  // Builds before the first that was ever taken were left out on purpose.
  const first = Math.min(
    ...Object.keys(seen)
      .map(order)
      .filter((at) => at >= 0),
  );
  for (const { build, released_at } of older) {
    const isTaken = namesOf(game).includes(build) || state.find(build)?.commit !== undefined;
    if (!(order(build) > first) || isTaken) continue;
    items.push({
      ...{ key: `late ${slug} ${build}`, kind: 'held', game: slug, build },
      text: `build ${build} came late: it is released at ${released_at}, before builds that are served`,
      remedy: `take it with gamedata pull ${slug} --take ${build}, or leave it out with --skip ${build}`,
    });
  }
  const told = new Set<string>();
  for (const [build, { errors = [], questions = [], skip, commit = '' }] of state.builds) {
    // A later build passed: upstream took back what was strange.
    if (skip || errors.length === 0 || order(build) < newest || namesOf(game).includes(build)) continue;
    const asked = questions.join();
    const review = turn.reviewFile(slug, build);
    const more = errors.length > 3 ? `, and ${errors.length - 3} more` : '';
    items.push({
      // What several builds ask is told once.
      ...{
        key: `held ${slug} ${questions.length > 0 ? asked : `${build} ${commit}`}`,
        kind: 'held',
        game: slug,
        build,
        review,
      },
      text: told.has(asked)
        ? `build ${build} is held back for the same`
        : `build ${build} is held back: ${errors.slice(0, 3).join('; ')}${more}`,
      remedy: `correct the mapping, or accept ("overrides") or skip the build in ${folder}/${'held.json'}`,
    });
    told.add(asked);
  }
  for (const [dataset, questions] of Object.entries(state.content.carried ?? {})) {
    const all = Object.entries(questions);
    const since = all.map(([, { at }]) => at).sort()[0];
    const builds = [...new Set(all.flatMap(([, { builds: of }]) => of))];
    items.push({
      ...{
        key: `carried ${slug} ${dataset} ${all.map(([question]) => question).join()}`,
        kind: 'carried',
        game: slug,
        build: builds.at(-1),
      },
      text: `${dataset} is kept as it was before ${builds[0]}, since ${since}, in ${countOf(builds.length, 'build')}: ${all.map(([question]) => question).join(', ')}`,
      remedy: `to take it up, remove "carried" from ${folder}/${builds.at(-1)}/build.json, add the overrides of the review, and run gamedata build --amend`,
      review: turn.reviewFile(slug, builds[0] ?? ''),
    });
  }
  return items;
}
