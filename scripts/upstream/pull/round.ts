import { hash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lockFileOf } from '../../check/recorded.ts';
import { buildGames } from '../../commands/build-games.ts';
import { chooseGames } from '../../commands/options.ts';
import { markFolder } from '../../compile/memo.ts';
import { type Compiler, type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { withDistLock, withLock } from '../../dist/lock.ts';
import { readIndex, readManifestOf } from '../../dist/read-dist.ts';
import { BULK_FORMATS } from '../../format/dist-format.ts';
import { publishDist } from '../../publish/publish.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import * as system from '../../system.ts';
import { countOf } from '../../text.ts';
import { chooseBuilds, DAY_MS, type GameUpstream, type PulledGame } from './builds.ts';
import { useFiles } from './file-upstream.ts';
import { listRefs, useGit } from './git-upstream.ts';
import { useNpm } from './npm-upstream.ts';
import { BUILD_CACHE, BUILD_LIMITS, pullGame, readPulledGame, recover } from './pull-game.ts';
import { describeItem, type Folders, type Item, type Pull, type PullOptions, Reports } from './report.ts';
import { GameState } from './state.ts';

const FETCHED_AT_ONCE = 4;

/** Downloads the state of a game's upstream, by the kind of its source, and calls `use` with it. */
async function useUpstream<T>(
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
    new system.CommandError(`another gamedata pull works in ${data}/: wait until it ends`, 1, 'busy');
  return await withLock(path.join(data, '.pull.lock'), work, refuse);
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
  /** Games take turns in data/ and dist/. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isPublished = false;
  #hasSource = false;

  constructor(slugs: string[], options: PullOptions, start?: StartWorkers) {
    this.#slugs = [...new Set(slugs)];
    this.#options = options;
    this.#start = start;
    this.#reports = new Reports(options.cache, options.webhook);
    this.#compiler = startCompiler(1, system.DEFAULT_LIMITS, 1, start);
  }

  async run(): Promise<void> {
    const { data, dryRun, watch, every } = this.#options;
    const { signal } = this.#ending;
    const end = () => this.#ending.abort();
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, end);
    const round = async () => {
      if (dryRun) return await this.#round();
      return await withPullLock(data, () => this.#round()).catch((error: unknown) => {
        if (!watch || !system.isFailure(error, 'busy')) throw error;
        process.stderr.write(`${error.message}\n`);
        return 0;
      });
    };
    try {
      const failed = await round();
      if (watch) process.stdout.write(`pulling every ${every} s; end with Ctrl-C\n`);
      else if (failed > 0)
        throw new system.CommandError(
          `${countOf(failed, 'game')} held back, or not pulled, built or reported`,
        );
      while (watch && !signal.aborted) {
        await wait(Math.min(every * 1000, DAY_MS), undefined, { signal }).catch(() => {});
        if (!signal.aborted) await round();
      }
    } finally {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, end);
      await this.#compiler.close();
    }
  }

  /** @returns how many games need a person */
  async #round(): Promise<number> {
    const { data, dryRun, build, watch } = this.#options;
    const { signal } = this.#ending;
    const [games, items, unpublished]: [string[], Item[], Item[]] = [[], [], []];
    // The games of which all is known now; '' stands for all of them together.
    const done = new Set<string>();
    // One that is absent delays no other.
    for (const named of this.#slugs.length > 0 ? this.#slugs.map((slug) => [slug]) : [[]])
      await this.#attempt('choose', named[0], items, async () => {
        games.push(...(await chooseGames(named, data)));
      });
    await system.inParallel(games, FETCHED_AT_ONCE, async (slug) => {
      if (signal.aborted) return;
      let isIdle = false;
      const isPulled = await this.#attempt('pull', slug, items, async () => {
        isIdle = await this.#pull(slug, items);
      });
      if (isPulled && !signal.aborted) done.add(slug);
      if (dryRun) return;
      await this.#inTurn(async () => {
        await this.#attempt('build', slug, items, () => this.#build(slug, isIdle));
        // Games that wait for their turn are published with it. Faults are those of the last publication.
        if (!build || this.#waiting > 0) return;
        unpublished.length = 0;
        await this.#attempt('publish', undefined, unpublished, () => this.#publish());
        done.add('');
      });
    });
    items.push(...unpublished);
    if (!this.#hasSource && items.length === 0 && this.#slugs.length === 0)
      throw new system.CommandError(`no game in ${data}/ has a "source" in its game.json: add one`, 2);
    const unique = [...new Map(items.map((item) => [item.key, item])).values()];
    for (const item of unique) process.stderr.write(`${describeItem(item)}\n`);
    const needing = unique.filter(({ kind }) => kind !== 'quiet' && kind !== 'accepted');
    const left = signal.aborted && !watch ? games.filter((slug) => !done.has(slug)) : [];
    if (left.length > 0) process.stderr.write(`ended before ${left.join(', ')} could be pulled\n`);
    const failed = new Set([...needing.map(({ game }) => game), ...left]).size;
    if (dryRun) return failed;
    const problem = await this.#reports.send(unique, done);
    if (problem === undefined) return failed;
    process.stderr.write(`this is not reported: ${problem}\n`);
    return Math.max(failed, 1);
  }

  /** Runs a step. A failure becomes an item of its game. @returns whether it succeeded */
  async #attempt(step: string, game: string | undefined, items: Item[], work: () => Promise<void>) {
    const key = `failing ${step} ${game ?? ''}`;
    const failure = await work().then(() => undefined, system.errorOf);
    if (failure === undefined) return true;
    const isExpected = failure instanceof system.CommandError;
    if (!isExpected) process.stderr.write(`${failure.stack}\n`);
    const text = step === 'pull' ? failure.message : `${step}: ${failure.message}`;
    const remedy = isExpected ? '' : 'this is a fault of gamedata: report it with the lines above';
    items.push({ key, kind: 'failing', game, text, remedy });
    return false;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const own = this.#last.then(() => {
      this.#waiting--;
      return work();
    });
    this.#last = own.catch(() => {});
    return await own;
  }

  /** @returns whether neither upstream nor the game's folder has changed */
  async #pull(slug: string, items: Item[]): Promise<boolean> {
    const { data, cache, dryRun, allowLocal } = this.#options;
    const known = this.#reports.memoryOf(slug);
    const { idle } = known;
    const isKnown = !dryRun && idle && Date.now() < idle.until && idle.mark === this.#mark(slug);
    let remote = isKnown ? await listRefs(idle.source, allowLocal) : undefined;
    if (idle && remote !== undefined && remote === idle.remote) {
      items.push(...idle.items);
      this.#hasSource = true;
      return true;
    }
    const folder = path.posix.join(data, slug);
    if (!dryRun) await this.#inTurn(() => recover(folder));
    const state = await GameState.read(folder);
    const game = await readPulledGame(slug, data, this.#slugs.length > 0);
    if (game === undefined) return false;
    this.#hasSource = true;
    const { source } = game;
    if (!isKnown) remote = await listRefs(source, allowLocal);
    const work = useUpstream(game, this.#options, async (upstream) => {
      const choice = chooseBuilds(upstream.builds, game, state);
      // What needs the network is done before the game's turn.
      if (!dryRun) await upstream.fetchFiles?.(choice.chosen);
      const pull: Pull = {
        game,
        upstream,
        state,
        options: this.#options,
        compiler: this.#compiler,
        start: this.#start,
        items: [],
        signal: this.#ending.signal,
      };
      await this.#inTurn(() => pullGame(pull, choice)).finally(() => items.push(...pull.items));
      const mark = this.#mark(slug);
      delete known.idle;
      const present = new Set(pull.game.builds.map(({ build }) => build));
      const isDone = choice.waiting.length === 0 && choice.chosen.every(({ build }) => present.has(build));
      if (remote === undefined || mark === undefined || !isDone) return;
      const waiting = pull.items.filter(({ kind }) => kind !== 'accepted');
      known.idle = { source, remote, mark, until: Date.now() + DAY_MS, items: waiting };
    });
    await system.orCommandError(work, (reason) => `${data} or ${cache} cannot be written: ${reason}`);
    return false;
  }

  /** The state of a game's folder and of what it is built to, without the file that builds write; undefined if unknown. */
  #mark(slug: string): string | undefined {
    const { data, out } = this.#options;
    const folder = path.posix.join(data, slug);
    const text = markFolder(folder, new Set([lockFileOf(folder)]))?.text;
    return text === undefined ? undefined : hash('sha256', `${out} ${text}`);
  }

  /** Builds a game if its folder has changed since its last build. */
  async #build(slug: string, isIdle: boolean): Promise<void> {
    const { data, out, build } = this.#options;
    const folder = path.posix.join(data, slug);
    const known = this.#reports.memoryOf(slug);
    // A failed pull may have left a build that was not checked.
    if (!isIdle) await recover(folder);
    if (!build) return;
    const mark = isIdle ? known.idle?.mark : this.#mark(slug);
    const isBuilt = mark !== undefined && known.built === mark;
    if (isBuilt && (await readManifestOf(out, slug)) !== undefined) return;
    const game = await readPulledGame(slug, data);
    if (game?.builds.length === 0) return;
    await buildOne(this.#compiler, slug, this.#options);
    if (mark !== undefined) known.built = mark;
    this.#isPublished = false;
  }

  async #publish(): Promise<void> {
    const { out } = this.#options;
    if (this.#isPublished || (await readIndex(out).catch(() => undefined)) === undefined) return;
    const faults = await publishDist(this.#options);
    if (faults.length > 0) throw new system.CommandError(faults.join('; '));
    this.#isPublished = true;
  }
}

/** Builds a game in the formats of dist/. @param amend why released builds have changed */
export async function buildOne(
  compiler: Compiler,
  slug: string,
  { data, out, cache: upstream, allowLocal, coverage = 'none' }: Folders,
  amend?: string,
): Promise<void> {
  const { builds = [] } = (await readManifestOf(out, slug)) ?? {};
  const formats = BULK_FORMATS.filter((each) => builds.at(-1)?.bulk?.[each]);
  const formatsOf = builds.filter(({ bulk }) => bulk).length;
  const how = {
    ...BUILD_LIMITS,
    data,
    out,
    formats,
    upstream,
    allowLocal,
    cache: BUILD_CACHE,
    watch: false,
    coverage,
    ...(amend !== undefined && { amend }),
    ...(formats.length > 0 && formatsOf < builds.length && { formatsOf }),
  };
  await withDistLock(out, async () => {
    await buildGames(compiler, [slug], true, how);
  });
}
