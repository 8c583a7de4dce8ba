import path from 'node:path';
import { editJsonFile } from '../../check/recorded.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { listFew } from '../add/files.ts';
import { vendorGame } from '../add/references.ts';
import { ACCEPT_AFTER } from '../source.ts';
import { findKept } from './accept.ts';
import { describeQuiet, type GameUpstream, type PulledGame, type UpstreamBuild } from './builds.ts';
import type { Item } from './report.ts';
import { type GameState, HELD_FILE } from './state.ts';
import { findErrors, plain, Trials, type TryOptions } from './try-build.ts';

/** The builds of upstream to add, and why others are not added. */
export interface Choice {
  /** To add, oldest first. */
  chosen: UpstreamBuild[];
  /** Released before the newest build that visitors see, and not in the game. */
  older: UpstreamBuild[];
  /** Incomplete until their settling time ends. */
  waiting: UpstreamBuild[];
  beyond: UpstreamBuild[];
  /** Dated so far ahead that the date is probably wrong. */
  far: UpstreamBuild[];
}

/** The state of a game in a round, and the actions that are possible. */
export interface TurnOptions {
  state: GameState;
  /** In ms since 1970. */
  since: number;
  limit: number;
  dryRun: boolean;
  trying: TryOptions;
  reviewFile(build: string): string;
  isEnding(): boolean;
  /** Builds the game with a correction; undefined if this pull builds nothing. */
  accept?: ((game: PulledGame, build: string, reason: string) => Promise<void>) | undefined;
  say(subject: string, text: string): void;
}

const DAY_MS = 86_400_000;
/** A release further ahead than this, and than any that the game ever announced, probably has a wrong date. */
const MAX_AHEAD_MS = 60 * DAY_MS;
const SHORT_HASH = 10;
/** How many commits of the newest builds are searched for a licence. */
const COMPARED_COMMITS = 10;

const releaseOf = ({ released_at }: { released_at: string }) => Date.parse(released_at);

/** The release of the newest build that visitors see. */
function newestSeen(builds: readonly { released_at: string }[], now: number): number {
  return Math.max(...builds.map(releaseOf).filter((at) => at <= now));
}

/** Chooses the builds of upstream to add. They are added in order: an incomplete one delays those after it. */
export function chooseBuilds(
  all: readonly UpstreamBuild[],
  { builds: own, source }: Pick<PulledGame, 'builds' | 'source'>,
  { state, since, limit }: Pick<TurnOptions, 'state' | 'since' | 'limit'>,
): Choice {
  const now = Date.now();
  const present = new Set(own.map(({ build }) => build));
  // A build that nobody has seen excludes none.
  const newest = newestSeen(own, now);
  const settle = (source.settle_minutes ?? 60) * 60_000;
  const leads = all
    .filter(({ build, settledAt }) => present.has(build) && settledAt > 0)
    .map((build) => releaseOf(build) - build.settledAt + settle);
  const furthest = Math.max(MAX_AHEAD_MS, ...leads.map((lead) => 1.5 * lead));
  const isAhead = (build: UpstreamBuild) => releaseOf(build) - now > furthest;
  const missing = all
    .filter(({ build }) => !present.has(build) && state.find(build)?.skip !== true)
    // Upstream's corrected date counts if nobody has seen the build.
    .map((build) =>
      build.corrected_at !== undefined && isAhead(build)
        ? { ...build, released_at: build.corrected_at, commit: build.newestCommit }
        : build,
    )
    .filter((build) => releaseOf(build) >= since);
  const far = missing.filter((build) => isAhead(build) && state.find(build.build)?.take !== true);
  const fresh = missing.filter((build) => !far.includes(build) && releaseOf(build) > newest);
  const unsettled = fresh.findIndex(({ settledAt }) => settledAt > now);
  const ready = unsettled === -1 ? fresh : fresh.slice(0, unsettled);
  return {
    chosen: ready.slice(0, limit),
    older: missing.filter((build) => releaseOf(build) <= newest),
    waiting: fresh.slice(ready.length),
    beyond: ready.slice(limit),
    far,
  };
}

/**
 * Processes the upstream state of a game: tries new builds, accepts what upstream keeps, and compares served builds with the current upstream.
 *
 * @returns what a person should know
 */
export async function takeTurn(
  game: PulledGame,
  upstream: GameUpstream,
  options: TurnOptions,
): Promise<Item[]> {
  return await new Turn(game, upstream, options).take();
}

class Turn {
  readonly #game: PulledGame;
  readonly #upstream: GameUpstream;
  readonly #options: TurnOptions;
  readonly #choice: Choice;
  readonly #trials: Trials;
  readonly #items: Item[] = [];
  readonly #gone: string[] = [];

  constructor(game: PulledGame, upstream: GameUpstream, options: TurnOptions) {
    this.#game = game;
    this.#upstream = upstream;
    this.#options = options;
    this.#choice = chooseBuilds(upstream.builds, game, options);
    this.#trials = new Trials(game, upstream, options.state, options.trying);
  }

  async take(): Promise<Item[]> {
    const { dryRun, say } = this.#options;
    const { slug, source } = this.#game;
    say(slug, this.#describeFound());
    if (dryRun) {
      for (const { build, released_at, commit, subject } of this.#choice.chosen) {
        const named = `commit ${commit.slice(0, SHORT_HASH)} ("${subject}")`;
        const from = source.git === undefined ? `from ${subject}` : named;
        process.stdout.write(`${plain(`  ${build}, released at ${released_at}: ${from}`)}\n`);
      }
      return [];
    }
    const quiet = this.#findQuiet();
    if (quiet !== undefined) this.#tell('quiet', '', { text: quiet });
    await this.#forgetGone();
    for (const { build, released_at } of this.#game.builds) await this.#compareServed(build, released_at);
    this.#tellGone();
    await this.#tellLicence();
    const empty = await this.#tryNew();
    if (await this.#acceptKept())
      // The builds held back after these are tried again.
      return [...this.#items, ...(await takeTurn(this.#trials.game, this.#upstream, this.#options))];
    this.#tellFaults(empty);
    this.#tellDates();
    this.#tellHeld();
    this.#tellCarried();
    return this.#items;
  }

  /** @param about identifies the item together with its game: it is reported once per value */
  #tell(
    kind: Item['kind'],
    about: string,
    item: Pick<Item, 'build' | 'text' | 'review'> & { remedy?: string },
  ) {
    const { slug } = this.#game;
    this.#items.push({ key: `${kind} ${slug} ${about}`.trimEnd(), kind, game: slug, remedy: '', ...item });
  }

  #ask(build: string, text: string, more = ''): void {
    const remedy = `${more}to keep it as it is for good, run gamedata pull ${this.#game.slug} --skip ${build}`;
    this.#tell('changed', `${build} ${text}`, { build, text, remedy });
  }

  /** Describes the upstream state: how many builds are new, and why others are not added. */
  #describeFound(): string {
    const { slug, source, raw } = this.#game;
    const { builds, problems, elsewhere } = this.#upstream;
    const { chosen, older, waiting, beyond } = this.#choice;
    const [problem] = problems;
    const [next] = waiting;
    const { git, npm, archive, files = {} } = source;
    const where = git ?? npm ?? archive ?? countOf(Object.keys(files).length, 'file');
    const lines = [
      `${slug}: ${countOf(builds.length, 'build')} in ${where}, ${chosen.length} to add`,
      problem !== undefined &&
        `  ${countOf(problems.length, git === undefined ? 'build' : 'commit')} left out, such as: ${problem}`,
      older.length > 0 &&
        `  ${countOf(older.length, 'build')} left out, older than the newest that the game has`,
      beyond.length > 0 && `  ${countOf(beyond.length, 'build')} left out because of --limit`,
      next !== undefined &&
        `  ${next.build} waits until ${new Date(next.settledAt).toISOString()}, when its commits are complete`,
      raw.successor !== undefined &&
        chosen.length === 0 &&
        `  the game has ended, and ${raw.successor} continues it ("successor" in game.json)`,
      elsewhere > 0 && `  ${countOf(elsewhere, 'later commit')} without files of the game`,
    ];
    return lines.flatMap((line) => (line === false ? [] : `${plain(line)}\n`)).join('');
  }

  /** Returns the report that a game gets no more builds although nobody declared it ended; undefined otherwise. */
  #findQuiet(): string | undefined {
    const { raw, source } = this.#game;
    const { chosen, waiting, beyond } = this.#choice;
    // A package version that "versions" lacks is reported separately.
    const isKnown = source.npm !== undefined && this.#upstream.problems.length > 0;
    const isGoingOn = isKnown || chosen.length + waiting.length + beyond.length > 0;
    return raw.successor !== undefined || isGoingOn ? undefined : describeQuiet(this.#upstream, Date.now());
  }

  /** Forgets held builds that upstream no longer has; what a maintainer wrote stays. */
  async #forgetGone(): Promise<void> {
    const { names } = this.#trials;
    const { builds } = this.#upstream;
    await this.#options.state.change(({ builds: held }) => {
      for (const [name, { skip, overrides }] of Object.entries(held)) {
        const isGone = builds.length > 0 && !builds.some(({ build }) => build === name);
        if (names.includes(name) ? skip === undefined : !skip && overrides === undefined && isGone)
          delete held[name];
      }
    });
  }

  /** Compares a served build with its current upstream version. */
  async #compareServed(build: string, released_at: string): Promise<void> {
    const { state, accept } = this.#options;
    const { slug, folder, source, builds } = this.#game;
    const isNewest = build === builds.at(-1)?.build;
    const isGit = source.git !== undefined;
    // For files at addresses and packages, only the newest content exists.
    if (state.find(build)?.skip || this.#upstream.builds.length === 0 || (!isGit && !isNewest)) return;
    const known = state.content.seen?.[build];
    const now = this.#upstream.builds.find((each) => each.build === build);
    if (now === undefined) {
      if (known === undefined || !isGit) return;
      await this.#copyReferences(build);
      this.#gone.push(build);
      return;
    }
    // A build that nobody has seen yet follows upstream's date.
    if (Date.parse(released_at) > Date.now() && now.released_at !== released_at)
      await editJsonFile(path.join(folder, build, 'build.json'), 'released_at', now.released_at);
    if (known === undefined && isGit && (!isNewest || now.corrections === 0))
      return await state.see(build, now.newestCommit);
    if (known === now.newestCommit || now.settledAt > Date.now()) return;
    if (known === undefined && !isGit) return;
    if (known !== undefined && (await this.#upstream.hasCommit?.(known)) === false)
      await this.#copyReferences(build);
    const files = await this.#trials.findChanged(now);
    if (files === undefined || files.length === 0) return await state.see(build, now.newestCommit);
    const text = `${build}, which is served, is not what upstream has now: ${listFew(files).replace(' (', ' changed (')} by ${now.newestCommit.slice(0, SHORT_HASH)}`;
    if (!isNewest || source.later_commits !== 'take' || !accept) {
      const take = isNewest
        ? `"later_commits": "take" in "source" takes such changes with --build`
        : `take it with gamedata add --replace`;
      return this.#ask(build, text, `${take}; `);
    }
    try {
      await this.#trials.takeHotfix(now, (reason) => accept(this.#game, build, reason));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return this.#ask(build, `${text}; it is not taken: ${error.message}`);
    }
    process.stdout.write(`${slug}: build ${build} is corrected as upstream did\n`);
    await state.see(build, now.newestCommit);
  }

  /** Reports served builds that upstream no longer has; all of them if its history was replaced. */
  #tellGone(): void {
    const { slug } = this.#game;
    const [build = '', ...more] = this.#gone;
    if (build === '') return;
    if (more.length === 0) {
      const back = `take it back with gamedata rollback ${slug} ${build}, or `;
      this.#ask(build, `build ${build}, which is served, is gone upstream`, back);
      return;
    }
    const text = `${listFew(this.#gone, 'build')}, which are served, are gone upstream: it has another history now`;
    const remedy = `if the newest should go too, run gamedata rollback ${slug}; to keep them as they are for good, run gamedata pull ${slug} --skip <build> for each`;
    this.#tell('changed', `gone ${this.#gone.join()}`, { text, remedy });
  }

  /** Reports that the licence of the data is no longer stated. */
  async #tellLicence(): Promise<void> {
    const { slug, source } = this.#game;
    const commits = Object.values(this.#options.state.content.seen ?? {}).slice(-COMPARED_COMMITS);
    if (source.licence === 'none stated') return;
    const lost = await this.#upstream.findLostLicence?.(commits);
    if (lost === undefined) return;
    const remedy = `ask upstream whether its data may still be served; "licence": "none stated" in "source" ends this question, gamedata rollback ${slug} takes the newest build back`;
    const text = `${lost}, which states the licence, is gone upstream`;
    this.#tell('changed', `licence ${lost}`, { text, remedy });
  }

  /** Copies the files that a build references while the cache has them: upstream may not keep them. */
  async #copyReferences(build: string): Promise<void> {
    const { slug, folder, builds } = this.#game;
    const references = builds.find((each) => each.build === build)?.references ?? [];
    if (references.length === 0) return;
    let done = 'its files are copied to it';
    await vendorGame(folder, [build], this.#options.trying.upstream, () => {}).catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      done = `its files cannot be copied: ${error.message}`;
    });
    const text = `${slug}: upstream does not have the commit of ${build} any more; ${done}\n`;
    this.#options.say(`vendor ${slug} ${build}`, text);
  }

  /** Tries the new builds. @returns the names of builds without any file of the game */
  async #tryNew(): Promise<string[]> {
    const { state, trying, isEnding } = this.#options;
    const { slug, builds } = this.#game;
    const { asIs } = trying;
    const empty: string[] = [];
    let isChecked = builds.length === 0 || asIs;
    // A build that a person accepted or took may be released before others that passed meanwhile.
    const late = this.#choice.older.filter(
      ({ build }) => state.find(build)?.overrides ?? state.find(build)?.take,
    );
    for (const chosen of [...late, ...this.#choice.chosen]) {
      if (isEnding()) break;
      const held = state.find(chosen.build);
      // For a build that is held back, the last commit counts: it may be the correction.
      const build = held?.commit === undefined ? chosen : { ...chosen, commit: chosen.newestCommit };
      if (!asIs && held?.tried !== undefined && held.tried === (await this.#trials.hashOf(build))) continue;
      if (!isChecked) await this.#checkPresent();
      isChecked = true;
      const { outcome, accepted } = await this.#trials.try(build);
      if (outcome === 'empty') empty.push(build.build);
      if (outcome === 'added') {
        // A later build that was added shows that upstream goes on.
        empty.length = 0;
        await this.#note(build);
      }
      if (accepted.length > 0) this.#tellAccepted(build.build, accepted);
      if (asIs && (await findErrors(this.#game, trying)).length > 0)
        throw new CommandError(
          `build ${build.build} was added as it is, and its check finds errors; the builds after it wait: run gamedata check ${slug}, correct or acknowledge them, and pull again`,
        );
    }
    return empty;
  }

  async #checkPresent(): Promise<void> {
    const errors = await this.#trials.findErrors();
    if (errors.length > 0)
      throw new CommandError(
        `the builds that it has have ${countOf(errors.length, 'error')}: run gamedata check ${this.#game.slug}, and correct or acknowledge them; new builds wait`,
      );
  }

  /** Records the commit of a build as the served one. */
  async #note({ build, newestCommit, commit, corrections }: UpstreamBuild): Promise<void> {
    await this.#options.state.see(build, corrections > 0 ? commit : newestCommit);
  }

  #tellAccepted(build: string, questions: readonly string[]): void {
    const text = `build ${build} is accepted, as upstream keeps its change: ${questions.join(', ')}`;
    const remedy = 'if it is wrong, run gamedata rollback, and set "accept_after": false in "source"';
    this.#tell('accepted', `${build} ${questions.join()}`, { build, text, remedy });
  }

  /** Accepts a change that upstream keeps. @returns whether the game has more builds now */
  async #acceptKept(): Promise<boolean> {
    const { state, isEnding } = this.#options;
    const { accept_after = ACCEPT_AFTER } = this.#game.source;
    const { builds } = this.#trials.game;
    if (accept_after === false || builds.length === 0) return false;
    const times = { newest: newestSeen(builds, Date.now()), now: Date.now() };
    if (times.newest === Number.NEGATIVE_INFINITY) return false;
    for (const acceptable of findKept(state, this.#upstream.builds, accept_after, times)) {
      if (isEnding()) return false;
      const served = await this.#trials.tryKept(acceptable);
      if (served.length === 0) continue;
      for (const build of this.#upstream.builds) if (served.includes(build.build)) await this.#note(build);
      this.#tellAccepted(acceptable.build, acceptable.questions);
      return true;
    }
    return false;
  }

  /** Reports why builds of upstream are not found or cannot be added although no step failed. @param empty builds without any file of the game */
  #tellFaults(empty: readonly string[]): void {
    const { slug, source } = this.#game;
    const { faults, problems } = this.#upstream;
    const where = source.paths ? 'that "paths" of "source" names' : 'of its tables';
    const ofEmpty = `${empty.join(', ')} upstream has no file ${where}: correct "source" in game.json, or leave it out for good (gamedata pull ${slug} --skip ${empty[0]})`;
    const all = faults.length > 0 ? [...faults, ...problems.slice(0, 1)] : empty.length > 0 ? [ofEmpty] : [];
    if (all.length === 0) return;
    const text = plain(all.join('; '));
    this.#tell('failing', text, { text });
  }

  /** Reports builds with odd dates. */
  #tellDates(): void {
    const { state } = this.#options;
    const { slug } = this.#game;
    for (const { build, released_at } of this.#choice.far) {
      const text = `build ${build} is held back: its release, ${released_at}, is further ahead than the game ever announced one`;
      const remedy = `if the date is right, run gamedata pull ${slug} --take ${build}; if not, wait for upstream or --skip ${build}`;
      this.#tell('held', `far ${build} ${released_at}`, { build, text, remedy });
    }
    // Builds before the first one that was ever taken were left out on purpose.
    const { seen = {} } = state.content;
    const taken = this.#upstream.builds.filter(({ build }) => Object.hasOwn(seen, build));
    const placeOf = ({ build, order = this.#orderOf(build) }: UpstreamBuild) => order;
    const first = Math.min(...taken.map(placeOf));
    for (const each of this.#choice.older) {
      const { build, released_at } = each;
      const isTaken = this.#trials.names.includes(build) || state.find(build)?.commit !== undefined;
      if (isTaken || !(placeOf(each) > first)) continue;
      const text = `build ${build} came late: it is released at ${released_at}, before builds that are served`;
      const remedy = `take it with gamedata pull ${slug} --take ${build}, or leave it out with --skip ${build}`;
      this.#tell('held', `late ${build}`, { build, text, remedy });
    }
  }

  #orderOf(name: string): number {
    return this.#upstream.builds.findIndex(({ build }) => build === name);
  }

  /** Reports the builds that are held back. */
  #tellHeld(): void {
    const { names } = this.#trials;
    const newest = Math.max(-1, ...names.map((name) => this.#orderOf(name)));
    const told = new Set<string>();
    for (const [build, { errors = [], questions = [], skip, commit = '' }] of this.#options.state.builds) {
      // A later build passed: upstream reverted the cause.
      if (skip || errors.length === 0 || this.#orderOf(build) < newest || names.includes(build)) continue;
      const asked = questions.join();
      const more = errors.length > 3 ? `, and ${errors.length - 3} more` : '';
      const why = told.has(asked) ? ' for the same' : `: ${errors.slice(0, 3).join('; ')}${more}`;
      told.add(asked);
      const text = `build ${build} is held back${why}`;
      const remedy = `correct the mapping, or accept ("overrides") or skip the build in ${this.#game.folder}/${HELD_FILE}`;
      const review = this.#options.reviewFile(build);
      // A question of several builds is reported once.
      this.#tell('held', asked || `${build} ${commit}`, { build, text, remedy, review });
    }
  }

  /** Reports datasets that keep their earlier content. */
  #tellCarried(): void {
    const { folder } = this.#game;
    for (const [dataset, questions] of Object.entries(this.#options.state.content.carried ?? {})) {
      const asked = Object.keys(questions).join(', ');
      const all = Object.values(questions);
      const since = all.map(({ at }) => at).sort()[0];
      const builds = [...new Set(all.flatMap((question) => question.builds))];
      const [first = '', build] = [builds[0], builds.at(-1)];
      const text = `${dataset} is ${dataset.includes('/') ? 'left out, or ' : ''}kept as it was before ${first}, since ${since}, in ${countOf(builds.length, 'build')}: ${asked}`;
      const remedy = `wait for upstream, or correct the mapping; to take up a change, remove "carried" from ${folder}/${build}/build.json, add the overrides of the review, and run gamedata build --amend`;
      const review = this.#options.reviewFile(first);
      this.#tell('carried', `${dataset} ${asked}`, { build, text, remedy, review });
    }
  }
}
