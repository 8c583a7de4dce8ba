import { hash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lockFileOf } from '../../check/recorded.ts';
import { chooseGames } from '../../commands/options.ts';
import { markFolder } from '../../compile/memo.ts';
import { type Compiler, type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { holdDist, withLock } from '../../dist/lock.ts';
import { readIndex, readManifestOf } from '../../dist/read-dist.ts';
import { BULK_FORMATS } from '../../format/dist-format.ts';
import { publishDist } from '../../publish/publish.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import {
  CommandError,
  createProgress,
  DEFAULT_LIMITS,
  errorOf,
  inParallel,
  isFailure,
  makePrivateFolder,
  orCommandError,
  replaceFile,
  replacePrivateFile,
  TEMPORARY_SUFFIX,
} from '../../system.ts';
import { countOf } from '../../text.ts';
import { renderReviews, reviewGame } from '../review/review.ts';
import { limitsOfSource } from '../source.ts';
import { chooseBuilds, DAY_MS, type GameUpstream, type PulledGame } from './builds.ts';
import { connectTo } from './fetch.ts';
import { useFiles } from './file-upstream.ts';
import { useGit } from './git-upstream.ts';
import { listRefs } from './mirror.ts';
import { useNpm } from './npm-upstream.ts';
import { describeItem, type Item, Reports } from './report.ts';
import { GameState, HELD_FILE } from './state.ts';
import { readPulledGame, type TryOptions, takeOut } from './try-build.ts';
import { Turn, type TurnOptions } from './turn.ts';

/** The options of `gamedata pull`. */
export interface PullOptions {
  data: string;
  cache: string;
  since?: string;
  dryRun: boolean;
  allowLocal: boolean;
  watch: boolean;
  /** In ms. */
  every: number;
  build: boolean;
  out: string;
  publish?: string;
  endpoint?: string;
  webhook?: string;
  asIs: boolean;
}

/** The cache of compiled builds, as for `gamedata build`. */
const BUILD_CACHE = 'var/cache';
const REVIEWS = 'var/reviews';
const FETCHED_AT_ONCE = 4;

/** What the cache remembers of a game. A game whose upstream and folder are unchanged is examined once a day. */
interface Remembered {
  /** The state of its upstream and folder when nothing was left to do, with the items reported then. */
  idle?: { remote: string; mark: string; until: number; items: Item[] };
  /** The state of the game's folder at its last build. */
  built?: string;
}

/** Downloads the state of a game's upstream, by the kind of its source, and calls `use` with it. */
export async function useUpstream<T>(
  { raw, source, builds }: Pick<PulledGame, 'raw' | 'source' | 'builds'>,
  options: UpstreamOptions,
  use: (upstream: GameUpstream) => Promise<T>,
): Promise<T> {
  if (source.npm !== undefined) return await useNpm(raw, source, builds, options, use);
  if (source.git !== undefined) return await useGit(raw, source, options, use);
  return await useFiles(raw, source, options, use);
}

/** Works in a data folder alone: a pull removes builds that a killed pull was checking. @throws CommandError while another process works there */
export async function withPullLock<T>(data: string, work: () => Promise<T>): Promise<T> {
  const refuse = () =>
    new CommandError(`another gamedata pull works in ${data}/: wait until it ends`, 1, 'busy');
  return (await readdir(data).catch(() => undefined)) === undefined
    ? await work()
    : await withLock(path.join(data, '.pull.lock'), work, { refuse });
}

/**
 * Pulls games: downloads four at once, takes each one's new builds as soon as they are there, builds the game, and publishes. A failure of one game
 * becomes its item, and delays no other game. A round of `--watch` and one started by cron are the same.
 */
export class Puller {
  readonly #slugs: string[];
  readonly #options: PullOptions;
  readonly #start: StartWorkers | undefined;
  readonly #compiler: Compiler;
  readonly #reports: Reports;
  readonly #ending = new AbortController();
  /** What the last round and this one printed, by subject. */
  #saidBefore = new Map<string, string>();
  #said = new Map<string, string>();
  /** Games take turns in data/ and dist/. */
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isPublished = false;
  #known: Record<string, Remembered> = {};

  constructor(slugs: string[], options: PullOptions, start?: StartWorkers) {
    this.#slugs = slugs;
    this.#options = options;
    this.#start = start;
    this.#reports = new Reports(options.cache, options.webhook);
    this.#compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  }

  async run(): Promise<void> {
    const { watch, every } = this.#options;
    const end = () => this.#ending.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
    try {
      const failed = await this.#lockedRound();
      if (watch) process.stdout.write(`pulling every ${every / 1000} s; end with Ctrl-C\n`);
      while (watch && !this.#ending.signal.aborted) {
        await wait(every, undefined, { signal: this.#ending.signal }).catch(() => {});
        if (!this.#ending.signal.aborted) await this.#lockedRound();
      }
      if (!watch && failed > 0)
        throw new CommandError(`${countOf(failed, 'game')} held back, or not pulled, built or reported`);
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
      await this.#compiler.close();
    }
  }

  async #lockedRound(): Promise<number> {
    const { data, dryRun, watch } = this.#options;
    [this.#saidBefore, this.#said] = [this.#said, new Map()];
    if (dryRun) return await this.#round();
    return await withPullLock(data, () => this.#round()).catch((error: unknown) => {
      if (!watch || !isFailure(error, 'busy')) throw error;
      this.#say('busy', `${error.message}\n`, process.stderr);
      return 0;
    });
  }

  /** @returns how many games need a person */
  async #round(): Promise<number> {
    const { data, dryRun, build, cache } = this.#options;
    const memory = path.join(cache, 'idle.json');
    this.#known = await readFile(memory, 'utf8')
      .then(JSON.parse)
      .catch(() => ({}));
    let games: string[] = [];
    const items = await this.#attempt('choose', undefined, async () => {
      games = await chooseGames(this.#slugs, data);
    });
    let hasSource = false;
    await inParallel(games, FETCHED_AT_ONCE, async (slug) => {
      if (this.#ending.signal.aborted) return;
      const found: Item[] = [];
      const failed = await this.#attempt('pull', slug, async () => {
        if (await this.#pull(slug, found)) hasSource = true;
      });
      items.push(...found, ...failed);
      if (!build || dryRun) return;
      items.push(...(await this.#inTurn(() => this.#attempt('build', slug, () => this.#build(slug)))));
      // Games that wait for their turn are published with it. Faults are those of the last publication.
      if (this.#waiting === 0) await this.#inTurn(() => this.#publish());
    });
    if (build && !dryRun) items.push(...(await this.#publish()));
    if (!hasSource && items.length === 0 && this.#slugs.length === 0)
      throw new CommandError(`no game in ${data}/ has a "source" in its game.json: add one`, 2);
    const unique = [...new Map(items.map((item) => [item.key, item])).values()];
    for (const item of unique) this.#say(item.key, `${describeItem(item)}\n`, process.stderr);
    const needing = unique.filter(({ kind }) => kind !== 'quiet' && kind !== 'accepted');
    const failed = new Set(needing.map(({ game }) => game)).size;
    if (dryRun) return failed;
    const untold = await this.#reports.tell(unique.filter(({ isEarly }) => !isEarly));
    if (untold !== undefined) process.stderr.write(`this is not reported: ${untold}\n`);
    await makePrivateFolder(cache);
    await replacePrivateFile(memory, Buffer.from(JSON.stringify(this.#known)));
    return Math.max(failed, untold === undefined ? 0 : 1);
  }

  /** Runs a step. A failure becomes an item of its game, which is reported if it lasts. */
  async #attempt(step: string, game: string | undefined, work: () => Promise<void>): Promise<Item[]> {
    const key = `failing ${step} ${game ?? ''}`;
    const failure = await work().then(() => undefined, errorOf);
    const isLasting = this.#reports.notesFailure(key, failure !== undefined);
    if (failure === undefined) return [];
    const isExpected = failure instanceof CommandError;
    if (!isExpected) process.stderr.write(`${failure.stack}\n`);
    const text = step === 'pull' ? failure.message : `${step}: ${failure.message}`;
    const remedy = isExpected ? '' : 'this is a fault of gamedata: report it with the lines above';
    return [{ key, kind: 'failing', game, text, remedy, ...(!isLasting && { isEarly: true }) }];
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const own = this.#turn.then(() => {
      this.#waiting--;
      return work();
    });
    this.#turn = own.catch(() => {});
    return await own;
  }

  /** @returns whether the game has a source */
  async #pull(slug: string, items: Item[]): Promise<boolean> {
    const { data, cache, since, dryRun, allowLocal } = this.#options;
    const folder = path.posix.join(data, slug);
    const state = await GameState.read(folder);
    if (!dryRun) await this.#inTurn(() => recover(folder, state));
    const game = await readPulledGame(slug, data, this.#slugs.length > 0);
    if (game === undefined) return false;
    const remote = await this.#listRemote(game);
    const known = this.#remember(slug);
    const { idle } = known;
    const isSame = idle?.remote === remote && idle?.mark === this.#mark(slug);
    if (!dryRun && idle && isSame && Date.now() < idle.until) {
      items.push(...idle.items);
      return true;
    }
    const work = useUpstream(game, { cache, allowLocal }, async (upstream) => {
      const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
      const choice = chooseBuilds(upstream.builds, game, state, from);
      // What needs the network is done before the game's turn.
      if (!dryRun) await upstream.fetchFiles?.(choice.chosen);
      const options: TurnOptions = {
        ...{ state, choice, since: from, dryRun, trying: this.#trying() },
        isEnding: () => this.#ending.signal.aborted,
        reviewFile: (build) => reviewFileOf(slug, build),
        say: (subject, text) => this.#say(subject, text, process.stdout),
      };
      items.push(...(await this.#inTurn(() => new Turn(game, upstream, options).take())));
      const mark = this.#mark(slug);
      delete known.idle;
      const isDone = choice.chosen.length + choice.waiting.length === 0;
      if (remote === undefined || mark === undefined || !isDone) return;
      const waiting = items.filter(({ kind }) => kind !== 'accepted');
      known.idle = { remote, mark, until: Date.now() + DAY_MS, items: waiting };
    });
    await orCommandError(work, (reason) => `${data} or ${cache} cannot be written: ${reason}`);
    return true;
  }

  #remember(slug: string): Remembered {
    const known = this.#known[slug] ?? {};
    this.#known[slug] = known;
    return known;
  }

  /**
   * Returns the current state of a game's repository, with one short request; undefined for other kinds of upstream, or if only a fetch can report
   * what is wrong.
   */
  async #listRemote({ source }: PulledGame): Promise<string | undefined> {
    const { git, branch, build } = source;
    if (git === undefined) return undefined;
    const ofBranch = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    const ref = typeof build === 'object' && build.tag !== undefined ? 'refs/tags/*' : ofBranch;
    const connection = await connectTo(git, this.#options.allowLocal);
    const listed = await listRefs({ ...connection, maxMs: limitsOfSource(source).maxMs }, ref);
    return listed && JSON.stringify([source, listed]);
  }

  #trying(): TryOptions {
    const { data, out, cache, allowLocal, asIs } = this.#options;
    return {
      ...{ data, out, asIs, buildCache: BUILD_CACHE, compiler: this.#compiler },
      upstream: { cache, allowLocal },
      review: (slug, build) => this.#writeReview(slug, build),
    };
  }

  /** Writes the review of a game with a build that has findings. */
  async #writeReview(slug: string, build: string): Promise<void> {
    const { data, out, cache: upstream, allowLocal } = this.#options;
    const { seconds: timeLimit, mebibytes: memoryLimit } = DEFAULT_LIMITS;
    const progress = createProgress(process.stderr);
    const options = { data, out, upstream, allowLocal, jobs: 1, timeLimit, memoryLimit };
    const review = await reviewGame(slug, options, { progress, start: this.#start });
    progress.clear();
    await makePrivateFolder(REVIEWS);
    await replaceFile(reviewFileOf(slug, build), Buffer.from(renderReviews([review])));
  }

  /** The state of a game's folder and of what it is built to, without the file that builds write; undefined if unknown. */
  #mark(slug: string): string | undefined {
    const { data, out } = this.#options;
    const folder = path.posix.join(data, slug);
    const text = markFolder(folder, new Set([lockFileOf(folder)]))?.text;
    return text === undefined ? undefined : hash('sha256', `${out} ${text}`);
  }

  /** Builds a game if its folder has changed since its last build. */
  async #build(slug: string): Promise<void> {
    const { data, out } = this.#options;
    const folder = path.posix.join(data, slug);
    // A failed pull may have left a build that was not checked.
    await recover(folder, await GameState.read(folder));
    const mark = this.#mark(slug);
    const known = this.#remember(slug);
    const isBuilt = mark !== undefined && known.built === mark;
    if (isBuilt && (await readManifestOf(out, slug)) !== undefined) return;
    const game = await readPulledGame(slug, data);
    if (game?.builds.length === 0) return;
    await buildOne(this.#compiler, slug, this.#options);
    if (mark !== undefined) known.built = mark;
    this.#isPublished = false;
  }

  async #publish(): Promise<Item[]> {
    const { out: dist, publish: target, endpoint } = this.#options;
    if (target === undefined || this.#isPublished) return [];
    if ((await readIndex(dist).catch(() => undefined)) === undefined) return [];
    return await this.#attempt('publish', undefined, async () => {
      const faults = await publishDist(dist, target, endpoint);
      if (faults.length > 0) throw new CommandError(faults.join('; '));
      this.#isPublished = true;
    });
  }

  /** Prints a text about a subject, unless the last round has. */
  #say(subject: string, text: string, stream: NodeJS.WriteStream): void {
    if (this.#saidBefore.get(subject) !== text) stream.write(text);
    this.#said.set(subject, text);
  }
}

function reviewFileOf(slug: string, build: string): string {
  return path.join(REVIEWS, `${slug}-${build}.md`);
}

/** Removes what a killed process left in a game's folder: builds that it was checking, and a state that it was writing. */
async function recover(folder: string, state: GameState): Promise<void> {
  const leftover = new RegExp(`^(\\.removing|${HELD_FILE}${TEMPORARY_SUFFIX})$`);
  for (const name of await readdir(folder))
    if (leftover.test(name)) await rm(path.join(folder, name), { recursive: true });
  const { trying = [] } = state.content;
  for (const build of trying.toReversed()) await takeOut(folder, build);
  await state.change((content) => delete content.trying);
}

/** Builds a game in the formats of dist/. @param amend why released builds have changed */
export async function buildOne(
  compiler: Compiler,
  slug: string,
  options: Pick<PullOptions, 'data' | 'out' | 'cache' | 'allowLocal'>,
  amend?: string,
): Promise<void> {
  const { buildGames } = await import('../../commands/build-games.ts');
  const { data, out, cache: upstream, allowLocal } = options;
  const { seconds: timeLimit, mebibytes: memoryLimit } = DEFAULT_LIMITS;
  const bulk = (await readManifestOf(out, slug))?.builds.at(-1)?.bulk;
  const formats = BULK_FORMATS.filter((each) => bulk?.[each]);
  const how = {
    ...{ jobs: 1, timeLimit, memoryLimit, data, out, formats, upstream, allowLocal },
    ...{ cache: BUILD_CACHE, watch: false, coverage: 'none' as const },
    ...(amend !== undefined && { amend }),
  };
  await holdDist(out, async () => {
    await buildGames(compiler, [slug], true, how);
  });
}
