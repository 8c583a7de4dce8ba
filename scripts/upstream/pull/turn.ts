import path from 'node:path';
import { editJsonFile } from '../../check/recorded.ts';
import type { FoundBuild } from '../../read/game.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { listFew } from '../add/files.ts';
import { vendorGame } from '../add/references.ts';
import { ACCEPT_AFTER } from '../source.ts';
import { findKept } from './accept.ts';
import {
  type Choice,
  chooseBuilds,
  describeQuiet,
  type GameUpstream,
  newestSeen,
  type PulledGame,
  SHORT_HASH,
  type UpstreamBuild,
} from './builds.ts';
import type { Item } from './report.ts';
import type { GameState } from './state.ts';
import { plain, Trials, type TryOptions } from './try-build.ts';

/** The state of a game in a round, and the actions that are possible. */
export interface TurnOptions {
  state: GameState;
  choice: Choice;
  /** In ms since 1970. */
  since: number;
  dryRun: boolean;
  trying: TryOptions;
  reviewFile(build: string): string;
  isEnding(): boolean;
  say(subject: string, text: string): void;
}

/** How many commits of the newest builds are searched for a licence. */
const COMPARED_COMMITS = 10;
const SHOWN_ERRORS = 3;

/** A game's turn in a round: tries new builds, accepts what upstream keeps, and compares served builds with the current upstream. */
export class Turn {
  readonly #game: PulledGame;
  readonly #upstream: GameUpstream;
  readonly #options: TurnOptions;
  readonly #trials: Trials;
  readonly #items: Item[] = [];
  readonly #gone: string[] = [];

  constructor(game: PulledGame, upstream: GameUpstream, options: TurnOptions) {
    this.#game = game;
    this.#upstream = upstream;
    this.#options = options;
    this.#trials = new Trials(game, upstream, options.state, options.trying);
  }

  /** @returns what a person should know */
  async take(): Promise<Item[]> {
    const { slug, source } = this.#game;
    const { dryRun, say, since, state } = this.#options;
    let { choice } = this.#options;
    say(slug, this.#describeFound(choice));
    if (dryRun) {
      for (const { build, released_at, commit, subject } of choice.chosen) {
        const named = `commit ${commit.slice(0, SHORT_HASH)} ("${subject}")`;
        const from = source.git === undefined ? `from ${subject}` : named;
        process.stdout.write(`${plain(`  ${build}, released at ${released_at}: ${from}`)}\n`);
      }
      return [];
    }
    this.#tellQuiet(choice);
    for (const build of this.#game.builds) await this.#compareServed(build);
    // What a person took is served now; a later change of it is asked again.
    await state.change(({ builds }) => {
      for (const { build } of this.#game.builds) if (!builds[build]?.skip) delete builds[build];
    });
    this.#tellGone();
    await this.#tellLicence();
    let empty = await this.#tryNew(choice);
    while (await this.#acceptKept()) {
      // The builds held back after these are tried again.
      choice = chooseBuilds(this.#upstream.builds, this.#trials.game, state, since);
      empty = await this.#tryNew(choice);
    }
    this.#tellFaults(empty);
    this.#tellDates(choice);
    this.#tellHeld();
    this.#tellCarried();
    for (const { build, questions } of this.#trials.accepted) {
      const text = `build ${build} is accepted, as upstream keeps its change: ${questions.join(', ')}`;
      const remedy = 'if it is wrong, run gamedata rollback, and set "accept_after": false in "source"';
      this.#tell('accepted', `${build} ${questions.join()}`, text, remedy, { build });
    }
    return this.#items;
  }

  /** @param about identifies the item together with its game: it is reported once per value */
  #tell(
    kind: Item['kind'],
    about: string,
    text: string,
    remedy: string,
    more: Pick<Item, 'build' | 'review'> = {},
  ): void {
    const { slug: game } = this.#game;
    this.#items.push({ key: `${kind} ${game} ${about}`.trimEnd(), kind, game, text, remedy, ...more });
  }

  /** Describes the upstream state: how many builds are new, and why others are not added. */
  #describeFound({ chosen, older, waiting }: Choice): string {
    const { slug, source, raw } = this.#game;
    const { builds, problems } = this.#upstream;
    const [problem] = problems;
    const [next] = waiting;
    const { git, npm, files = {} } = source;
    const where = git ?? npm ?? countOf(Object.keys(files).length, 'file');
    const what = git === undefined ? 'build' : 'commit';
    const lines = [
      `${slug}: ${countOf(builds.length, 'build')} in ${where}, ${chosen.length} to add`,
      problem !== undefined && `  ${countOf(problems.length, what)} left out, such as: ${problem}`,
      older.length > 0 &&
        `  ${countOf(older.length, 'build')} left out, older than the newest that the game has`,
      next !== undefined &&
        `  ${next.build} waits until ${new Date(next.settledAt).toISOString()}, when its commits are complete`,
      raw.successor !== undefined &&
        chosen.length === 0 &&
        `  the game has ended, and ${raw.successor} continues it ("successor" in game.json)`,
    ];
    return lines.flatMap((line) => (line === false ? [] : `${plain(line)}\n`)).join('');
  }

  /** Reports that a game gets no more builds although nobody declared it ended. */
  #tellQuiet({ chosen, waiting }: Choice): void {
    const { raw, source } = this.#game;
    // A package version that "versions" lacks is reported separately.
    const isKnown = source.npm !== undefined && this.#upstream.problems.length > 0;
    if (raw.successor !== undefined || isKnown || chosen.length + waiting.length > 0) return;
    const quiet = describeQuiet(this.#upstream.builds);
    if (quiet !== undefined) this.#tell('quiet', '', quiet, '');
  }

  /** Compares a served build with its current upstream version. */
  async #compareServed({ build, released_at, folder, references }: FoundBuild): Promise<void> {
    const { state, say } = this.#options;
    const { slug, source, builds } = this.#game;
    const isNewest = build === builds.at(-1)?.build;
    const isGit = source.git !== undefined;
    const { skip, take } = state.find(build) ?? {};
    // For files at addresses and packages, only the newest content exists.
    if (skip || this.#upstream.builds.length === 0 || (!isGit && !isNewest)) return;
    const known = state.content.seen?.[build];
    const found = this.#upstream.builds.find((each) => each.build === build);
    // Upstream may not keep the files that it references.
    if (known !== undefined && known !== found?.newestCommit && references.length > 0)
      if ((await this.#upstream.hasCommit?.(known)) === false) await this.#copyReferences(build);
    if (found === undefined) {
      if (known !== undefined && isGit) this.#gone.push(build);
      return;
    }
    // A build that nobody has seen yet follows upstream's date.
    if (Date.parse(released_at) > Date.now() && found.released_at !== released_at)
      await editJsonFile(path.join(folder, 'build.json'), 'released_at', found.released_at);
    const { newestCommit: commit } = found;
    if (known === commit || found.settledAt > Date.now() || (known === undefined && !isGit)) return;
    const isFirstLook = known === undefined && (!isNewest || found.commit === commit);
    const files = isFirstLook ? [] : await this.#trials.findChanged({ ...found, commit });
    if (files.length === 0) return await state.see(build, commit);
    if (take) {
      await this.#trials.add({ ...found, commit }, true);
      await state.change((content) => delete content.builds[build]);
      await state.see(build, commit);
      say(build, `${slug}: ${build} is as upstream has it: run gamedata build ${slug} --amend <reason>\n`);
      return;
    }
    const changed = listFew(files).replace(' (', ' changed (');
    const text = `${build}, which is served, is not what upstream has now: ${changed} by ${commit.slice(0, SHORT_HASH)}`;
    this.#ask(build, text, `to take that, run gamedata pull ${slug} --take ${build}; `);
  }

  #ask(build: string, text: string, more: string): void {
    const remedy = `${more}to keep it as it is for good, run gamedata pull ${this.#game.slug} --skip ${build}`;
    this.#tell('changed', `${build} ${text}`, text, remedy, { build });
  }

  /** Reports served builds that upstream no longer has; all of them if its history was replaced. */
  #tellGone(): void {
    const { slug } = this.#game;
    const [build = '', ...more] = this.#gone;
    if (build === '') return;
    const isOne = more.length === 0;
    const what = isOne
      ? `build ${build}, which is served, is`
      : `${listFew(this.#gone, 'build')}, which are served, are`;
    const newest = isOne ? `gamedata rollback ${slug} ${build}` : `gamedata rollback ${slug}`;
    this.#ask(isOne ? build : '<build>', `${what} gone upstream`, `take it back with ${newest}, or `);
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
    this.#tell('changed', `licence ${lost}`, text, remedy);
  }

  /** Copies the files that a build references while the cache has them. */
  async #copyReferences(build: string): Promise<void> {
    const { slug, folder } = this.#game;
    const { trying, say } = this.#options;
    let done = 'its files are copied to it';
    await vendorGame(folder, build, trying.upstream, () => {}).catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      done = `its files cannot be copied: ${error.message}`;
    });
    const text = `${slug}: upstream does not have the commit of ${build} any more; ${done}\n`;
    say(`vendor ${slug} ${build}`, text);
  }

  /** Tries the new builds. @returns the names of builds without any file of the game */
  async #tryNew({ chosen, older }: Choice): Promise<string[]> {
    const { state, trying, isEnding } = this.#options;
    const { slug, builds } = this.#trials.game;
    const { asIs } = trying;
    const empty: string[] = [];
    let isChecked = builds.length === 0 || asIs;
    // A build that a person accepted or took may be released before others that passed meanwhile.
    const late = older.filter(({ build }) => state.find(build)?.overrides ?? state.find(build)?.take);
    for (const each of [...late, ...chosen]) {
      if (isEnding()) break;
      const held = state.find(each.build);
      // For a build that is held back, the last commit counts: it may be the correction.
      const build = held?.commit === undefined ? each : { ...each, commit: each.newestCommit };
      if (!asIs && held?.tried !== undefined && held.tried === (await this.#trials.hashOf(build))) continue;
      const before = isChecked ? [] : await this.#trials.findErrors();
      if (before.length > 0)
        throw new CommandError(
          `the builds that it has have ${countOf(before.length, 'error')}: run gamedata check ${slug}, and correct or acknowledge them; new builds wait`,
        );
      isChecked = true;
      const outcome = await this.#trials.try(build);
      if (outcome === 'empty') empty.push(build.build);
      if (outcome === 'added') {
        // A later build that was added shows that upstream goes on.
        empty.length = 0;
        await state.see(build.build, build.commit);
      }
      if (asIs && (await this.#trials.findErrors()).length > 0)
        throw new CommandError(
          `build ${build.build} was added as it is, and its check finds errors; the builds after it wait: run gamedata check ${slug}, correct or acknowledge them, and pull again`,
        );
    }
    return empty;
  }

  /** Accepts a change that upstream keeps. @returns whether the game has more builds now */
  async #acceptKept(): Promise<boolean> {
    const { state, isEnding } = this.#options;
    const { builds, source } = this.#trials.game;
    const { accept_after = ACCEPT_AFTER } = source;
    const newest = newestSeen(builds);
    if (accept_after === false || newest === Number.NEGATIVE_INFINITY) return false;
    const times = { newest, now: Date.now() };
    for (const kept of findKept(state, this.#upstream.builds, accept_after, times)) {
      const build = this.#upstream.builds.find((each) => each.build === kept.build);
      if (isEnding() || build === undefined || build.newestCommit !== state.find(build.build)?.commit)
        continue;
      const { newestCommit: commit } = build;
      if ((await this.#trials.try({ ...build, commit }, kept)) !== 'added') continue;
      await state.see(build.build, commit);
      return true;
    }
    return false;
  }

  /** Reports why builds of upstream are not found or cannot be added although no step failed. @param empty builds without any file of the game */
  #tellFaults(empty: readonly string[]): void {
    const { faults, problems } = this.#upstream;
    const ofEmpty = `${empty.join(', ')} upstream has no file of the game: correct "source" or "tables" in game.json, or leave it out for good (gamedata pull ${this.#game.slug} --skip ${empty[0]})`;
    const all = faults.length > 0 ? [...faults, ...problems.slice(0, 1)] : empty.length > 0 ? [ofEmpty] : [];
    const text = plain(all.join('; '));
    if (text !== '') this.#tell('failing', text, text, '');
  }

  /** Reports builds with odd dates. */
  #tellDates({ far, older }: Choice): void {
    const { state } = this.#options;
    const { slug } = this.#game;
    const choose = (build: string) =>
      `if that is right, run gamedata pull ${slug} --take ${build}; if not, wait for upstream, or leave it out with --skip ${build}`;
    for (const { build, released_at } of far) {
      const text = `build ${build} is held back: its release, ${released_at}, is further ahead than the game ever announced one`;
      this.#tell('held', `far ${build} ${released_at}`, text, choose(build), { build });
    }
    // Builds before the first one that was ever taken were left out on purpose.
    const { seen = {} } = state.content;
    const placeOf = ({ build, order = this.#orderOf(build) }: UpstreamBuild) => order;
    const taken = this.#upstream.builds.filter(({ build }) => Object.hasOwn(seen, build));
    const first = Math.min(...taken.map(placeOf));
    for (const each of older) {
      const { build, released_at } = each;
      const isTaken = this.#trials.names.includes(build) || state.find(build)?.commit !== undefined;
      if (isTaken || !(placeOf(each) > first)) continue;
      const text = `build ${build} came late: it is released at ${released_at}, before builds that are served`;
      this.#tell('held', `late ${build}`, text, choose(build), { build });
    }
  }

  #orderOf(name: string): number {
    return this.#upstream.builds.findIndex(({ build }) => build === name);
  }

  /** Reports the builds that are held back. */
  #tellHeld(): void {
    const { state, reviewFile } = this.#options;
    const { slug } = this.#game;
    const { names } = this.#trials;
    const newest = Math.max(0, ...names.map((name) => this.#orderOf(name)));
    for (const [build, { errors = [], questions = [], skip, commit = '' }] of state.builds) {
      // A later build passed: upstream reverted the cause. Or upstream took the build back.
      if (skip || errors.length === 0 || this.#orderOf(build) < newest || names.includes(build)) continue;
      const more = errors.length > SHOWN_ERRORS ? `, and ${errors.length - SHOWN_ERRORS} more` : '';
      const text = `build ${build} is held back: ${errors.slice(0, SHOWN_ERRORS).join('; ')}${more}`;
      const remedy = `correct the mapping, accept it (gamedata pull ${slug} --take ${build}), leave it out (--skip ${build}), or wait for upstream`;
      // A question of several builds is reported once.
      const about = questions.join() || `${build} ${commit}`;
      this.#tell('held', about, text, remedy, { build, review: reviewFile(build) });
    }
  }

  /** Reports datasets that keep their earlier content. */
  #tellCarried(): void {
    const { state, reviewFile } = this.#options;
    for (const [dataset, questions] of Object.entries(state.content.carried ?? {})) {
      const asked = Object.keys(questions).join(', ');
      const all = Object.values(questions);
      const since = all.map(({ at }) => at).sort()[0];
      const builds = [...new Set(all.flatMap((question) => question.builds))];
      const [first = '', build] = [builds[0], builds.at(-1)];
      const text = `${dataset} is ${dataset.includes('/') ? 'left out, or ' : ''}kept as it was before ${first}, since ${since}, in ${countOf(builds.length, 'build')}: ${asked}`;
      const remedy = `wait for upstream, or correct the mapping; to take up a change, remove "carried" from ${this.#game.folder}/${build}/build.json, add the overrides of the review, and run gamedata build --amend`;
      this.#tell('carried', `${dataset} ${asked}`, text, remedy, { build, review: reviewFile(first) });
    }
  }
}
