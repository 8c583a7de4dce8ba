import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FoundErrors } from '../../commands/found-errors.ts';
import { chooseGames } from '../../commands/games.ts';
import { holdDist } from '../../dist/dist-lock.ts';
import { readManifestOf } from '../../dist/read-dist.ts';
import { BULK_FORMATS } from '../../format/dist-format.ts';
import { CommandError } from '../../lib/command-error.ts';
import { countOf } from '../../lib/count-of.ts';
import { createProgress } from '../../lib/progress.ts';
import { orCommandError } from '../../lib/system-error.ts';
import { publishDist } from '../../publish/publish.ts';
import { lockFileOf } from '../../recorded/builds-lock.ts';
import { markFolder } from '../../reuse/folder-marks.ts';
import { DEFAULT_LIMITS } from '../../watchdog/limits.ts';
import { type Compiler, startCompiler } from '../../workers/compiler.ts';
import type { StartWorkers } from '../../workers/workers.ts';
import { createNotifier, type Notify } from '../notify/notifier.ts';
import { ACCEPT_AFTER, type AcceptAfter, findKept } from '../pull/accept-kept.ts';
import { chooseBuilds } from '../pull/choose-builds.ts';
import { Failures, type Step } from '../pull/failures.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import { forgetGone, HELD_FILE, HeldBuilds, hashTrial } from '../pull/held.ts';
import { useUpstream } from '../pull/open-upstream.ts';
import { isAskedBefore } from '../pull/questions.ts';
import type { GameUpstream } from '../pull/upstream.ts';
import { Attempts } from './attempts.ts';
import {
  describeFaults,
  describeFound,
  findQuiet,
  type PulledGame,
  type PullOptions,
  readPulledGame,
} from './pulled-game.ts';
import { reportAccepted, reportHeld } from './report-held.ts';
import { takeCorrection } from './take-correction.ts';
import { recover } from './take-out-build.ts';
import { findErrors, holdsBack, namesOf, type TryOptions, tryBuild } from './try-build.ts';
import { tryKept } from './try-kept.ts';

/** The folder that remembers what builds were compiled from, as for `gamedata build`. */
const BUILD_CACHE = 'var/cache';

/**
 * Pulls, builds and publishes games without a person: a build whose check finds errors is taken out again and reported, and the builds after it
 * are tried without it. With `watch` it goes on until the process gets SIGINT or SIGTERM.
 */
export async function runService(slugs: string[], options: PullOptions, start?: StartWorkers): Promise<void> {
  const notify = createNotifier(options, process.env);
  const failures = await Failures.read(options.cache, options.reportAfter);
  const publish = options.publish === undefined ? undefined : publishDist;
  await new PatchService(slugs, options, { notify, failures, publish }, start).run();
}

type Publish = typeof publishDist;

interface Tools {
  notify: Notify;
  failures: Failures;
  publish: Publish | undefined;
}

class PatchService {
  readonly #slugs: string[];
  readonly #options: PullOptions;
  readonly #compiler: Compiler;
  readonly #trying: TryOptions;
  readonly #publish: Publish | undefined;
  readonly #ending = new AbortController();
  readonly #attempts: Attempts;
  /** The state of each game's folder when it was built last, and the errors that were found then. */
  readonly #built = new Map<string, { mark: string | undefined; error?: FoundErrors }>();
  /** The last commit of each game's newest build that was compared with it, the state of the game's folder then, and why a person has to decide. */
  readonly #compared = new Map<
    string,
    { commit: string; mark: string | undefined; refusal: CommandError | undefined }
  >();
  /** Of each game, the change that upstream has not kept as it was, and the state of the game's folder then. */
  readonly #unkept = new Map<string, string>();
  #isPublished = false;

  constructor(
    slugs: string[],
    options: PullOptions,
    { notify, failures, publish }: Tools,
    start: StartWorkers | undefined,
  ) {
    this.#slugs = slugs;
    this.#options = options;
    this.#publish = publish;
    this.#attempts = new Attempts(failures, notify);
    const { data, out, reviews, cache, allowLocal, references } = options;
    this.#compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
    const trying = { data, out, reviews, notify, buildCache: BUILD_CACHE, compiler: this.#compiler, start };
    this.#trying = { ...trying, upstream: { cache, allowLocal }, references };
  }

  async run(): Promise<void> {
    const { watch, every } = this.#options;
    const end = () => this.#ending.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
    try {
      let failed = await this.#round();
      if (watch) process.stdout.write(`pulling every ${every / 1000} s; end with Ctrl-C\n`);
      while (watch && !this.#ending.signal.aborted) {
        await wait(every, undefined, { signal: this.#ending.signal }).catch(() => {});
        if (!this.#ending.signal.aborted) failed = await this.#round();
      }
      if (!watch && failed > 0)
        throw new CommandError(`${countOf(failed, 'game')} held back, or not pulled, built or reported`);
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
      await this.#compiler.close();
    }
  }

  /** Pulls and builds each game, and publishes. Returns how many games need a person. */
  async #round(): Promise<number> {
    const failed = new Set<string>();
    const take = async (step: Step, slug: string | undefined, work: () => Promise<boolean>) => {
      if (!(await this.#attempts.take(step, slug, work))) failed.add(slug ?? '');
    };
    let games: string[] = [];
    await take('pull', undefined, async () => {
      games = await chooseGames(this.#slugs, this.#options.data);
      return true;
    });
    for (const slug of games) {
      if (this.#ending.signal.aborted) return failed.size;
      await take('pull', slug, () => this.#pull(slug));
      if (this.#options.build) await take('build', slug, () => this.#build(slug));
    }
    const publish = this.#publish;
    if (publish && !this.#isPublished) await take('publish', undefined, () => this.#publishWith(publish));
    return failed.size;
  }

  /** Returns whether nothing is held back and everything is reported. */
  async #pull(slug: string): Promise<boolean> {
    const { data, cache } = this.#options;
    const folder = path.posix.join(data, slug);
    const held = await HeldBuilds.read(folder);
    await recover(folder, held);
    const game = await readPulledGame(slug, data, false);
    if (game === undefined) return true;
    for (const build of namesOf(game))
      if (held.find(build)?.skip === undefined) await held.revise(build, () => undefined);
    const work = useUpstream(game, this.#options, (upstream) => this.#tryNew(game, upstream, held));
    const fault = await orCommandError(work, (reason) => `${data} or ${cache} cannot be written: ${reason}`);
    const unreported = await reportHeld(slug, held, this.#trying);
    if (fault !== undefined) throw fault;
    const waiting = held.builds.filter(([, { skip }]) => !skip);
    return unreported === 0 && waiting.length === 0;
  }

  /** Tries the new builds. Returns what is wrong although no step failed. */
  async #tryNew(
    game: PulledGame,
    upstream: GameUpstream,
    held: HeldBuilds,
  ): Promise<CommandError | undefined> {
    const { since, limit } = this.#options;
    const skipped = held.builds.flatMap(([build, { skip }]) => (skip ? build : []));
    const choice = chooseBuilds(upstream.builds, {
      present: new Set([...namesOf(game), ...skipped]),
      newest: game.builds.at(-1),
      since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
      limit: limit ?? Number.POSITIVE_INFINITY,
      now: Date.now(),
    });
    this.#attempts.say(game.slug, process.stdout, describeFound(game, upstream, choice));
    await this.#attempts.warn(game.slug, findQuiet(game, upstream, choice, Date.now()));
    this.#attempts.say(`gone ${game.slug}`, process.stderr, await forgetGone(game.slug, upstream, held));
    const refusal = await this.#takeCorrection(game, upstream, choice.corrected, held);
    const empty: string[] = [];
    let isChecked = game.builds.length === 0;
    let current = game;
    // An accepted build may be released before others that passed in the meantime.
    const accepted = choice.older.filter(({ build }) => held.find(build)?.overrides);
    for (const chosen of [...accepted, ...choice.chosen]) {
      if (this.#ending.signal.aborted) return undefined;
      const build = replaceHeld(chosen, held);
      if (await isTried(current, build, held)) continue;
      if (!isChecked) await this.#checkPresent(current);
      isChecked = true;
      const outcome = await tryBuild(current, upstream, build, held, this.#trying);
      if (outcome === 'empty') empty.push(build.build);
      // What was added after it says that upstream goes on.
      else if (outcome === 'added') empty.length = 0;
      current = (await readPulledGame(game.slug, this.#options.data, false)) ?? current;
    }
    const { accept_after = ACCEPT_AFTER } = game.source;
    if (accept_after !== false && (await this.#acceptKept(current, upstream, held, accept_after))) {
      current = (await readPulledGame(game.slug, this.#options.data, false)) ?? current;
      // What is held back after them is tried again.
      return await this.#tryNew(current, upstream, held);
    }
    return describeFaults(game, upstream, empty) ?? refusal;
  }

  /** Accepts a change that upstream keeps. Returns whether the game has other builds now. */
  async #acceptKept(
    game: PulledGame,
    upstream: GameUpstream,
    held: HeldBuilds,
    after: AcceptAfter,
  ): Promise<boolean> {
    const newest = Date.parse(game.builds.at(-1)?.released_at ?? '');
    const acceptable = findKept(held, upstream.builds, after, { newest, now: Date.now() });
    for (const acceptedBuild of acceptable) {
      if (this.#ending.signal.aborted) return false;
      const mark = JSON.stringify([this.#markGame(game.slug), acceptedBuild]);
      if (this.#unkept.get(game.slug) === mark) continue;
      if (await tryKept(game, upstream, acceptedBuild, held, this.#trying)) {
        await reportAccepted(game.slug, acceptedBuild, this.#trying);
        return true;
      }
      this.#unkept.set(game.slug, mark);
    }
    return false;
  }

  /** Takes what upstream changed in the newest build, if `source` says so. Returns why a person has to decide. */
  async #takeCorrection(
    game: PulledGame,
    upstream: GameUpstream,
    corrected: UpstreamBuild | undefined,
    held: HeldBuilds,
  ): Promise<CommandError | undefined> {
    if (corrected === undefined || held.find(corrected.build)?.skip) return undefined;
    const { newestCommit: commit, build } = corrected;
    const mark = this.#markGame(game.slug);
    const compared = this.#compared.get(game.slug);
    if (mark !== undefined && compared?.mark === mark && compared.commit === commit) return compared.refusal;
    const accept = (reason: string) => this.#acceptCorrection(game, build, reason);
    const outcome = await takeCorrection(
      game,
      upstream,
      corrected,
      held,
      this.#options.build ? accept : undefined,
    );
    // A correction that could not be taken is tried again: what spoke against it, such as a full disk, can be gone.
    if (outcome.isFailed) this.#compared.delete(game.slug);
    else this.#compared.set(game.slug, { commit, mark, refusal: outcome.refusal });
    return outcome.refusal;
  }

  /** Builds a game with a build that upstream corrected, if only its record speaks against that. */
  async #acceptCorrection({ slug, source }: PulledGame, build: string, reason: string): Promise<void> {
    const findings = await findErrors(slug, this.#trying, holdsBack(source, build));
    const [wrong] = findings.filter(({ check }) => check !== 'recorded-build');
    if (wrong) throw new CommandError(`${wrong.check} in ${wrong.place.file}: ${wrong.found}`);
    await this.#compile(slug, findings.length > 0 ? reason : undefined);
    this.#isPublished = false;
  }

  async #checkPresent({ slug }: PulledGame): Promise<void> {
    const built = this.#built.get(slug);
    const mark = this.#markGame(slug);
    if (mark !== undefined && built?.mark === mark && built.error === undefined) return;
    const errors = await findErrors(slug, this.#trying);
    if (errors.length === 0) return;
    throw new CommandError(
      `the builds that it has have ${countOf(errors.length, 'error')}: run gamedata check ${slug}, and correct or acknowledge them; new builds wait`,
    );
  }

  /** The state of a game's folder, without what the service writes itself; undefined if it is not known. */
  #markGame(slug: string): string | undefined {
    const folder = path.posix.join(this.#options.data, slug);
    const ownFiles = new Set([lockFileOf(folder), path.posix.join(folder, HELD_FILE)]);
    return markFolder(folder, ownFiles)?.text;
  }

  /** Builds a game if its folder has changed since it was built last. @throws FoundErrors also for errors that were found then */
  async #build(slug: string): Promise<boolean> {
    const { data } = this.#options;
    // A pull that failed may have left a build that was not checked.
    await recover(path.posix.join(data, slug), await HeldBuilds.read(path.posix.join(data, slug)));
    const mark = this.#markGame(slug);
    const before = this.#built.get(slug);
    if (mark !== undefined && before?.mark === mark) {
      if (before.error !== undefined) throw before.error;
      return true;
    }
    const game = await readPulledGame(slug, data, false);
    if (game?.builds.length === 0) return true;
    await this.#compile(slug).catch((error: unknown) => {
      // Anything else, such as a full disk, can be gone in the next round.
      if (error instanceof FoundErrors && error.isOfData) this.#built.set(slug, { mark, error });
      throw error;
    });
    this.#built.set(slug, { mark });
    this.#isPublished = false;
    return true;
  }

  /** @param amend why released builds are other ones */
  async #compile(slug: string, amend?: string): Promise<void> {
    const { data, out, cache: upstream, allowLocal } = this.#options;
    const { buildGames } = await import('../../commands/build-games.ts');
    const { seconds: timeLimit, mebibytes: memoryLimit } = DEFAULT_LIMITS;
    // Those in which the newest build is there stay, too.
    const bulk = (await readManifestOf(out, slug))?.builds.at(-1)?.bulk;
    const formats = BULK_FORMATS.filter((each) => bulk?.[each] || this.#options.formats.includes(each));
    const options = {
      ...{ jobs: 1, timeLimit, memoryLimit, data, out, formats },
      cache: BUILD_CACHE,
      upstream,
      allowLocal,
      watch: false,
      ...(amend !== undefined && { amend }),
      coverage: 'none' as const,
    };
    await holdDist(out, async (lease) => {
      await buildGames(this.#compiler, [slug], true, options, lease);
    });
  }

  async #publishWith(publish: Publish): Promise<boolean> {
    const { out: dist, publish: target = '', endpoint } = this.#options;
    const progress = createProgress(process.stderr);
    const done = await publish({ dist, target, endpoint }, progress);
    this.#isPublished = true;
    process.stdout.write(`${target}: ${done}\n`);
    return true;
  }
}

/** Of a build that is held back, the last commit counts: it may be the correction. */
function replaceHeld(build: UpstreamBuild, held: HeldBuilds): UpstreamBuild {
  return held.find(build.build) ? { ...build, commit: build.newestCommit } : build;
}

/** Whether a build is held back, and nothing has changed that its check depends on. */
async function isTried(
  game: PulledGame,
  { build, commit }: UpstreamBuild,
  held: HeldBuilds,
): Promise<boolean> {
  const entry = held.find(build);
  if (entry?.tried === undefined || !isAskedBefore(entry, held)) return false;
  return entry.tried === (await hashTrial(game.folder, namesOf(game), { ...entry, commit }));
}
