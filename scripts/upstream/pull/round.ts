import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FoundErrors } from '../../commands/build-games.ts';
import { chooseGames } from '../../commands/options.ts';
import { holdDist } from '../../dist/lock.ts';
import { readIndex, readManifestOf } from '../../dist/read-dist.ts';
import { BULK_FORMATS, type BulkFormat } from '../../format/dist-format.ts';
import { runGit } from '../../check/git.ts';
import {
  CommandError,
  createProgress,
  inParallel,
  makePrivateFolder,
  orCommandError,
  replaceFile,
  replacePrivateFile,
} from '../../system.ts';
import { countOf } from '../../text.ts';
import { publishDist } from '../../publish/publish.ts';
import { lockFileOf } from '../../check/recorded.ts';
import { markFolder } from '../../compile/memo.ts';
import { type Compiler, DEFAULT_LIMITS, startCompiler, type StartWorkers } from '../../compile/workers.ts';
import { renderReviews } from '../review/markdown.ts';
import { reviewGame } from '../review/review.ts';
import { connectTo } from './address.ts';
import { useUpstream } from './open-upstream.ts';
import { namesOf, type PulledGame, readPulledGame } from './pulled-game.ts';
import { describeItem, type Item, Reports } from './report.ts';
import { GameState, HELD_FILE } from './state.ts';
import { chooseBuilds, type Turn, takeTurn } from './take-turn.ts';
import { findErrors, holdsBack, recover, type TryOptions } from './try-build.ts';

/** The options of `gamedata pull`. */
export interface PullOptions {
  data: string;
  cache: string;
  since?: string;
  limit?: number;
  dryRun: boolean;
  allowLocal: boolean;
  watch: boolean;
  /** In ms. */
  every: number;
  build: boolean;
  out: string;
  /** Besides those that `out` has. */
  formats: readonly BulkFormat[];
  publish?: string;
  endpoint?: string;
  webhook?: string;
  /** How long a step has to fail until it is reported, in ms. */
  reportAfter: number;
  reviews: string;
  asIs: boolean;
  references: boolean;
}

/** The folder that remembers what builds were compiled from, as for `gamedata build`. */
const BUILD_CACHE = 'var/cache';
/** How many games are fetched at once. */
const FETCHED_AT_ONCE = 4;
/** A game whose upstream did not change is looked at as a whole once in so long; one with something held back more often. */
const WHOLE_LOOK_MS = 86_400_000;
const HELD_LOOK_MS = 3_600_000;
const MAX_LIST_MS = 60_000;

/** What was known of a game's upstream when nothing was left to do. */
interface Idle {
  remote: string;
  mark: string;
  until: number;
  items: Item[];
  /** The state of the game's folder when it was built last. */
  built?: string;
}

/**
 * Pulls games: fetches four at once, takes in what is new of each as soon as it is there, builds it, and publishes. Trouble of one game is an item of that
 * game, and delays no other. A round of `--watch` and one that cron starts are the same.
 */
export class Puller {
  readonly #slugs: string[];
  readonly #options: PullOptions;
  readonly #start: StartWorkers | undefined;
  readonly #compiler: Compiler;
  readonly #reports: Reports;
  readonly #ending = new AbortController();
  /** The state of each game's folder when it was built last, and the errors that were found then. */
  readonly #built = new Map<string, { mark: string | undefined; error?: FoundErrors }>();
  readonly #said = new Map<string, string>();
  /** The keys of what waited in the last round. */
  #items: string[] = [];
  /** Games take turns in data/ and dist/. */
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isPublished = false;
  #idle: Record<string, Idle> = {};

  private constructor(
    slugs: string[],
    options: PullOptions,
    start: StartWorkers | undefined,
    reports: Reports,
  ) {
    this.#slugs = slugs;
    this.#options = options;
    this.#start = start;
    this.#reports = reports;
    this.#compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  }

  static async run(slugs: string[], options: PullOptions, start?: StartWorkers): Promise<void> {
    const reports = await Reports.open(options.cache, options);
    await new Puller(slugs, options, start, reports).#run();
  }

  async #run(): Promise<void> {
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

  /** Returns how many games need a person. */
  async #round(): Promise<number> {
    const items: Item[] = [];
    const { data, dryRun, build } = this.#options;
    this.#idle = await this.#readIdle();
    let games: string[] = [];
    const chosen = await this.#attempt('choose', undefined, async () => {
      games = await chooseGames(this.#slugs, data);
    });
    items.push(...chosen);
    const pulled: string[] = [];
    await inParallel(games, FETCHED_AT_ONCE, async (slug) => {
      if (this.#ending.signal.aborted) return;
      const found: Item[] = [];
      const failed = await this.#attempt('pull', slug, async () => {
        if (await this.#pull(slug, found)) pulled.push(slug);
      });
      items.push(...found, ...failed);
      if (!build || dryRun) return;
      items.push(...(await this.#inTurn(() => this.#attempt('build', slug, () => this.#build(slug)))));
      // Those that wait for their turn are published with it.
      if (this.#waiting === 0) items.push(...(await this.#inTurn(() => this.#publish())));
    });
    if (build && !dryRun) items.push(...(await this.#publish()));
    if (pulled.length === 0 && items.length === 0 && this.#slugs.length === 0)
      throw new CommandError(`no game in ${data}/ has a "source" in its game.json: add one`, 2);
    const unique = [...new Map(items.map((item) => [item.key, item])).values()];
    for (const item of unique) this.#say(item.key, `${describeItem(item)}\n`, process.stderr);
    for (const key of this.#items) if (!unique.some((item) => item.key === key)) this.#said.delete(key);
    this.#items = unique.map(({ key }) => key);
    const untold = dryRun
      ? undefined
      : await this.#reports.tell(unique.filter(({ key }) => !this.#isEarly.has(key)));
    if (untold !== undefined) process.stderr.write(`this is not reported: ${untold}\n`);
    if (!dryRun) await this.#saveIdle();
    const needing = new Set(
      unique.filter(({ kind }) => kind !== 'quiet' && kind !== 'accepted').map(({ game }) => game ?? ''),
    );
    return Math.max(needing.size, untold === undefined ? 0 : 1);
  }

  /** Failures that are not told yet, as they may be over soon. */
  readonly #isEarly = new Set<string>();

  /** Does a step. A failure is an item of its game, which is told when it lasts. */
  async #attempt(step: string, game: string | undefined, work: () => Promise<void>): Promise<Item[]> {
    const key = `failing ${step} ${game ?? ''}`;
    const failure = await work().then(
      () => undefined,
      (error: unknown) => error,
    );
    const isLasting = this.#reports.notesFailure(key, failure !== undefined);
    if (failure === undefined) {
      this.#isEarly.delete(key);
      return [];
    }
    if (isLasting) this.#isEarly.delete(key);
    else this.#isEarly.add(key);
    // Whatever fails, it is this game's trouble.
    const isExpected = failure instanceof CommandError;
    if (!isExpected) process.stderr.write(`${failure instanceof Error ? failure.stack : failure}\n`);
    const message = failure instanceof Error ? failure.message : String(failure);
    const text = step === 'pull' ? message : `${step}: ${message}`;
    return [
      {
        key,
        kind: 'failing',
        game,
        text,
        remedy: isExpected ? '' : 'this is a fault of gamedata: report it with the lines above',
      },
    ];
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const before = this.#turn;
    let done = () => {};
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    this.#waiting--;
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** Returns whether the game has a source. */
  async #pull(slug: string, items: Item[]): Promise<boolean> {
    const { data, cache, since, limit, dryRun } = this.#options;
    const folder = path.posix.join(data, slug);
    const state = await GameState.read(folder);
    if (!dryRun) await this.#inTurn(() => recover(folder, state));
    const game = await readPulledGame(slug, data, this.#slugs.length > 0);
    if (game === undefined) return false;
    const remote = await this.#listRemote(game);
    const idle = this.#idle[slug];
    if (
      !dryRun &&
      idle &&
      remote !== undefined &&
      idle.remote === remote &&
      idle.mark === this.#markGame(slug) &&
      Date.now() < idle.until
    ) {
      items.push(...idle.items);
      return true;
    }
    const turn: Turn = {
      ...{ state, dryRun, trying: this.#trying(), isEnding: () => this.#ending.signal.aborted },
      since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
      limit: limit ?? Number.POSITIVE_INFINITY,
      reviewFile: (of, build) => this.#reviewFile(of, build),
      isChecked: (of) => {
        const built = this.#built.get(of);
        return built?.mark !== undefined && built.mark === this.#markGame(of) && built.error === undefined;
      },
      accept: this.#options.build
        ? (of, build, reason) => this.#acceptCorrection(of, build, reason)
        : undefined,
      say: (subject, text) => this.#say(subject, text, process.stdout),
    };
    const work = this.#inOrder(
      game,
      async () =>
        await useUpstream(game, this.#options, async (upstream) => {
          const choice = chooseBuilds(upstream.builds, game, turn);
          // What needs the network is done before the game's turn.
          if (!dryRun) await upstream.fetchFiles?.(choice.chosen);
          items.push(...(await this.#inTurn(() => takeTurn(game, upstream, turn))));
          const isDone = choice.chosen.length + choice.waiting.length + choice.beyond.length === 0;
          const mark = this.#markGame(slug);
          delete this.#idle[slug];
          if (remote === undefined || mark === undefined || !isDone) return;
          const until = Date.now() + (state.builds.length + items.length > 0 ? HELD_LOOK_MS : WHOLE_LOOK_MS);
          this.#idle[slug] = { remote, mark, until, items: items.filter(({ kind }) => kind !== 'accepted') };
        }),
    );
    await orCommandError(work, (reason) => `${data} or ${cache} cannot be written: ${reason}`);
    return true;
  }

  /** Games of one repository use its copy one after the other. */
  readonly #copies = new Map<string, Promise<void>>();

  async #inOrder<T>({ source }: PulledGame, work: () => Promise<T>): Promise<T> {
    const addresses = [...new Set([source.git, ...(source.others ?? []).map(({ git }) => git)])].flatMap(
      (git) => git ?? [],
    );
    const before = addresses.flatMap((address) => this.#copies.get(address) ?? []);
    let done = () => {};
    const own = new Promise<void>((resolve) => {
      done = resolve;
    });
    for (const address of addresses) this.#copies.set(address, own);
    await Promise.all(before);
    try {
      return await work();
    } finally {
      done();
    }
  }

  /** What the repositories of a game have now, in one short request each; undefined for other kinds of upstream. */
  async #listRemote({ source }: PulledGame): Promise<string | undefined> {
    const { git, branch, build, others = [] } = source;
    if (git === undefined) return undefined;
    const isOfTags = typeof build === 'object' && build.tag !== undefined;
    const refs = (of: string | undefined) => (of === undefined ? 'HEAD' : `refs/heads/${of}`);
    const all = [
      { git, ref: isOfTags ? 'refs/tags/*' : refs(branch) },
      ...others.map((each) => ({ git: each.git, ref: refs(each.branch) })),
    ];
    const listed: string[] = [];
    for (const { git: of, ref } of all) {
      const { settings, protocols, address } = await connectTo(of, this.#options.allowLocal);
      const run = {
        settings,
        address,
        maxMs: MAX_LIST_MS,
        env: { GIT_ALLOW_PROTOCOL: protocols, GIT_DIR: undefined },
      };
      // If it cannot be listed, fetching it says why.
      const text = await runGit('.', ['ls-remote', '--', address, ref], run).catch(() => undefined);
      if (text === undefined) return undefined;
      listed.push(`${of} ${text}`);
    }
    return JSON.stringify([source, listed]);
  }

  async #readIdle(): Promise<Record<string, Idle>> {
    const text = await readFile(path.join(this.#options.cache, 'idle.json'), 'utf8').catch(() => '{}');
    try {
      return JSON.parse(text) as Record<string, Idle>;
    } catch {
      return {};
    }
  }

  async #saveIdle(): Promise<void> {
    await makePrivateFolder(this.#options.cache);
    await replacePrivateFile(
      path.join(this.#options.cache, 'idle.json'),
      Buffer.from(JSON.stringify(this.#idle)),
    );
  }

  #trying(): TryOptions {
    const { data, out, cache, allowLocal, references, asIs } = this.#options;
    return {
      ...{ data, out, references, asIs, buildCache: BUILD_CACHE, compiler: this.#compiler },
      upstream: { cache, allowLocal },
      review: (slug, build) => this.#writeReview(slug, build),
    };
  }

  #reviewFile(slug: string, build: string): string {
    return path.join(this.#options.reviews, `${slug}-${build}.md`);
  }

  /** Writes the review of a game whose newest build is to be held back. */
  async #writeReview(slug: string, build: string): Promise<void> {
    const { data, out, reviews, cache: upstream, allowLocal } = this.#options;
    const { seconds: timeLimit, mebibytes: memoryLimit } = DEFAULT_LIMITS;
    const progress = createProgress(process.stderr);
    const options = { data, out, upstream, allowLocal, jobs: 1, timeLimit, memoryLimit };
    const review = await reviewGame(slug, options, { progress, start: this.#start });
    progress.clear();
    await makePrivateFolder(reviews);
    await replaceFile(this.#reviewFile(slug, build), Buffer.from(renderReviews([review])));
  }

  /** Builds a game with a build that upstream corrected, if only its record speaks against that. */
  async #acceptCorrection({ slug, source }: PulledGame, build: string, reason: string): Promise<void> {
    const findings = await findErrors(slug, this.#trying(), holdsBack(source, build));
    const [wrong] = findings.filter(({ check }) => check !== 'recorded-build');
    if (wrong) throw new CommandError(`${wrong.check} in ${wrong.place.file}: ${wrong.found}`);
    await buildOne(this.#compiler, slug, this.#options, findings.length > 0 ? reason : undefined);
    this.#isPublished = false;
  }

  /** The state of a game's folder, without what pull writes itself; undefined if it is not known. */
  #markGame(slug: string): string | undefined {
    const folder = path.posix.join(this.#options.data, slug);
    const text = markFolder(folder, new Set([lockFileOf(folder)]))?.text;
    return text === undefined ? undefined : hash('sha256', text);
  }

  /** Builds a game if its folder has changed since it was built last. @throws FoundErrors also for errors that were found then */
  async #build(slug: string): Promise<void> {
    const { data } = this.#options;
    const folder = path.posix.join(data, slug);
    // A pull that failed may have left a build that was not checked.
    await recover(folder, await GameState.read(folder));
    const mark = markFolder(folder, new Set([lockFileOf(folder), path.posix.join(folder, HELD_FILE)]))?.text;
    const before = this.#built.get(slug);
    if (mark !== undefined && before?.mark === mark) {
      if (before.error !== undefined) throw before.error;
      return;
    }
    const { out } = this.#options;
    const built = mark === undefined ? undefined : hash('sha256', `${out} ${mark}`);
    const known = this.#idle[slug];
    if (built !== undefined && known?.built === built && (await readManifestOf(out, slug)) !== undefined)
      return;
    const game = await readPulledGame(slug, data, false);
    if (game && namesOf(game).length === 0) return;
    await buildOne(this.#compiler, slug, this.#options).catch((error: unknown) => {
      // Anything else, such as a full disk, can be gone in the next round.
      if (error instanceof FoundErrors && error.isOfData) this.#built.set(slug, { mark, error });
      throw error;
    });
    this.#built.set(slug, { mark });
    if (known && built !== undefined) known.built = built;
    this.#isPublished = false;
  }

  async #publish(): Promise<Item[]> {
    const { out: dist, publish: target, endpoint } = this.#options;
    if (target === undefined || this.#isPublished) return [];
    if ((await readIndex(dist).catch(() => undefined)) === undefined) return [];
    return await this.#attempt('publish', undefined, async () => {
      const done = await publishDist({ dist, target, endpoint }, createProgress(process.stderr));
      this.#isPublished = true;
      process.stdout.write(`${target}: ${done}\n`);
    });
  }

  /** Prints a text about a subject, if it is not what was printed last about it. */
  #say(subject: string, text: string, stream: NodeJS.WriteStream): void {
    if (this.#said.get(subject) !== text) stream.write(text);
    this.#said.set(subject, text);
  }
}

/** Builds a game in the formats that dist/ has it in already, and further ones. @param amend why released builds are other ones */
export async function buildOne(
  compiler: Compiler,
  slug: string,
  {
    data,
    out,
    cache: upstream,
    allowLocal,
    formats: wanted,
  }: Pick<PullOptions, 'data' | 'out' | 'cache' | 'allowLocal' | 'formats'>,
  amend?: string,
): Promise<void> {
  const { buildGames } = await import('../../commands/build-games.ts');
  const { seconds: timeLimit, mebibytes: memoryLimit } = DEFAULT_LIMITS;
  const bulk = (await readManifestOf(out, slug))?.builds.at(-1)?.bulk;
  const formats = BULK_FORMATS.filter((each) => bulk?.[each] || wanted.includes(each));
  const options = {
    ...{ jobs: 1, timeLimit, memoryLimit, data, out, formats, upstream, allowLocal },
    ...{ cache: BUILD_CACHE, watch: false, coverage: 'none' as const },
    ...(amend !== undefined && { amend }),
  };
  await holdDist(out, async () => {
    await buildGames(compiler, [slug], true, options);
  });
}
