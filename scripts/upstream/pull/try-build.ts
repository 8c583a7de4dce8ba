import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { editJsonFile } from '../../check/recorded.ts';
import { isOfSystem } from '../../commands/build-games.ts';
import type { Compiler } from '../../compile/workers.ts';
import type { Finding } from '../../findings.ts';
import { readBuilds, readGameFile, type UpstreamOptions } from '../../read/game.ts';
import { CommandError, isFailure } from '../../system.ts';
import { describeAdded } from '../add/add.ts';
import {
  type AddedBuild,
  addBuild,
  compareDump,
  forgetNeedlessRemoved,
  readOrRefuse,
} from '../add/add-build.ts';
import { coverageOf, findPresentFiles, readPathsOf } from '../add/files.ts';
import { ACCEPT_AFTER, limitsOfSource, sourceOf } from '../source.ts';
import { type AcceptedBuild, findRipe, overridesOf } from './accept.ts';
import { type GameUpstream, type PulledGame, releaseOf, SHORT_HASH, type UpstreamBuild } from './builds.ts';
import {
  type Carried,
  type CarriedQuestion,
  type CarriedQuestions,
  changesOf,
  findCarried,
  GameState,
  hashTrial,
  questionOf,
  questionsOf,
} from './state.ts';

export interface TryOptions {
  data: string;
  out: string;
  /** The cache of compiled builds. */
  buildCache: string;
  upstream: UpstreamOptions;
  /** Whether a build is added even if checks hold it back. */
  asIs: boolean;
  compiler: Compiler;
  /** Writes the review of a game with a build that has findings. */
  review(slug: string, build: string): Promise<void>;
}

const SILENT = { step() {}, done() {}, clear() {} };
/** How often a build is checked with more carried datasets. */
const MAX_ROUNDS = 8;
/** A hidden folder in a game's folder, so that it does not count as a build: one that is being removed. */
const REMOVING = '.removing';

/** Reads a game and its builds. @param isNamed whether it must have a source @returns undefined for a game without a source that was not named */
export async function readPulledGame(
  slug: string,
  data: string,
  isNamed = false,
): Promise<PulledGame | undefined> {
  const folder = path.posix.join(data, slug);
  const { raw, builds } = await readOrRefuse(folder);
  const source = sourceOf(raw);
  if (source !== undefined) return { slug, folder, raw, source, builds };
  if (!isNamed) return undefined;
  throw new CommandError(
    `${folder}/game.json has no "source": add the repository that the builds come from, or add dumps with gamedata add`,
  );
}

/** Subjects come from strangers, and their control characters could change what a terminal shows. */
export function plain(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ');
}

/** Tries builds of upstream in a game's folder. A candidate stays only if its checks find nothing. */
export class Trials {
  /** The current state. */
  game: PulledGame;
  /** The builds and questions that were accepted without a person. */
  readonly accepted: Pick<AcceptedBuild, 'build' | 'questions'>[] = [];
  readonly #upstream: GameUpstream;
  readonly #state: GameState;
  readonly #options: TryOptions;

  constructor(game: PulledGame, upstream: GameUpstream, state: GameState, options: TryOptions) {
    this.game = game;
    this.#upstream = upstream;
    this.#state = state;
    this.#options = options;
  }

  get names(): string[] {
    return this.game.builds.map(({ build }) => build);
  }

  /**
   * Finds the errors of the game like `gamedata check`; builds in dist/ are not compiled again.
   *
   * @param held builds whose warnings of checks in `hold_on` count too; most of these are errors already
   * @throws CommandError if the system failed, so that nothing is known about the game
   */
  async findErrors(held: readonly string[] = []): Promise<Finding[]> {
    const { slug, source } = this.game;
    const { data, out, buildCache, compiler, upstream } = this.#options;
    const reuse = { out, cache: buildCache };
    const options = { keep: { in: 'nothing' as const }, reuse, upstream, now: Date.now() };
    const { findings } = await compiler.compile(data, [slug], SILENT, options);
    const refused = findings.find((finding) => finding.severity === 'error' && isOfSystem(finding));
    if (refused) throw new CommandError(`it cannot be checked: ${refused.found}; ${refused.fix}`);
    const isHeldFor = ({ check, build = '' }: Finding) =>
      held.includes(build) && (source.hold_on ?? []).some((each) => each === check);
    return findings.filter((finding) => finding.severity === 'error' || isHeldFor(finding));
  }

  /** Hashes what a trial of a build depends on: it is repeated only if that has changed. */
  hashOf({ build, commit }: UpstreamBuild): Promise<string> {
    return hashTrial(this.game.folder, this.names, { ...this.#state.find(build), commit });
  }

  /** Adds a build like `gamedata add`, or replaces its files. @returns undefined if upstream has no file of it */
  async add(build: UpstreamBuild, replace = false): Promise<AddedBuild | undefined> {
    const { folder, raw, source, builds } = this.game;
    const { build: name, released_at, commit } = build;
    const { upstream } = this.#options;
    const isNamed = source.keep === 'references' && !replace;
    const fresh = { released_at, package: build.package, limits: limitsOfSource(source), insert: true };
    const added = await this.#upstream.withDump(build, (dump, files) =>
      addBuild(dump, {
        ...{ game: folder, build: name, into: '', partial: false, now: released_at, replace },
        ...coverageOf(source),
        ...(!replace && fresh),
        origin: isNamed && files ? { files, cache: upstream.cache } : undefined,
      }),
    );
    if (added === undefined) {
      const { value: present } = findPresentFiles(builds, readPathsOf(raw));
      const lost = (await this.#upstream.explainLost?.(build, [...present.keys()])) ?? [];
      const from = source.git === undefined ? 'upstream' : `commit ${commit.slice(0, SHORT_HASH)}`;
      const why = [`${from} has no file of the tables`, ...lost].join('; ');
      process.stderr.write(`${plain(`warning: ${name} is left out: ${why}`)}\n`);
      return undefined;
    }
    process.stdout.write(`${describeAdded(added, { game: folder, isNamed })}\n`);
    return added;
  }

  /**
   * Adds a build and checks the game with it. Findings that upstream has kept long enough are accepted, datasets with other findings are carried from
   * the previous build; if there are still findings, the build is removed again.
   *
   * @param kept accepts a held build, as upstream keeps its change
   */
  async try(build: UpstreamBuild, kept?: AcceptedBuild): Promise<'added' | 'held' | 'empty'> {
    const { slug, folder, source } = this.game;
    const state = this.#state;
    const name = build.build;
    const tried = await this.hashOf(build);
    await state.change((content) => {
      content.trying = [name];
    });
    const added = await this.add(build).catch(async (error: unknown) => {
      if (isFailure(error, 'large')) return error;
      // Nothing was added, so a folder with this name is not ours: `recover` must not remove it.
      if (error instanceof CommandError) await this.#end([]);
      throw error;
    });
    if (added === undefined) {
      await this.#end([]);
      return 'empty';
    }
    if (added instanceof CommandError) {
      const advice = 'allow more ("limits" in "source"), or name its files by reference ("keep")';
      await this.#hold(build, tried, [], [`${added.message}: ${advice}`]);
      return 'held';
    }
    const overrides = [...(state.find(name)?.overrides ?? [])];
    if (overrides.length > 0) await this.#edit(name, 'overrides', overrides);
    const first = this.#options.asIs ? [] : await this.findErrors([name]);
    if (first.length > 0) await this.#options.review(slug, name);
    const ripe = findRipe(state.content.carried ?? {}, first, source.accept_after ?? ACCEPT_AFTER, name);
    if (kept) ripe.push(kept);
    if (ripe.length > 0) await this.#edit(name, 'overrides', [...overrides, ...ripe.flatMap(overridesOf)]);
    let strange = ripe.length > 0 ? await this.findErrors([name]) : first;
    const all = new Map(strange.map((finding) => [keyOf(finding), finding]));
    let carried: Carried = {};
    // Without the carried datasets, the checks of the rest may find more to carry.
    for (let round = 0; strange.length > 0 && round < MAX_ROUNDS; round++) {
      const more = findCarried(strange, name, carried);
      // Carrying these did not help.
      if (isDeepStrictEqual(more, carried)) {
        for (const key of strange.flatMap(({ carry = [] }) => carry)) delete carried[key];
        break;
      }
      carried = more;
      await this.#edit(name, 'carried', carried);
      strange = await this.findErrors([name]);
      for (const finding of strange) all.set(keyOf(finding), finding);
    }
    if (strange.some(({ place }) => place.pointer.startsWith('/carried'))) {
      // The roster refers to it, or the previous build lacks it.
      carried = {};
      strange = first;
    }
    const found = [...all.values()];
    // A maintainer can skip the build while it is checked.
    const isSkipped = (await GameState.read(folder)).find(name)?.skip === true;
    if (strange.length > 0 || isSkipped) {
      await takeOut(folder, name);
      const lost = (await this.#upstream.explainLost?.(build, added.addition.removed)) ?? [];
      const others = found.filter((finding) => !strange.includes(finding));
      if (kept || isSkipped) await this.#end([]);
      else await this.#hold(build, tried, strange, [...lost, ...[...strange, ...others].map(describeError)]);
      return 'held';
    }
    await this.#end([name], noteCarried(state.content.carried, name, found, carried));
    const questions = ripe.flatMap((each) => each.questions);
    if (questions.length > 0) this.accepted.push({ build: name, questions });
    return 'added';
  }

  async #edit(build: string, member: 'carried' | 'overrides', value: object): Promise<void> {
    await editJsonFile(path.join(this.game.folder, build, 'build.json'), member, value);
  }

  /** Ends a trial. @param served the builds that stay @param carried what the newest of them carries */
  async #end(served: readonly string[], carried?: CarriedQuestions): Promise<void> {
    await this.#state.change((content) => {
      delete content.trying;
      // A maintainer may have decided meanwhile that it stays as it is.
      for (const build of served) if (!content.builds[build]?.skip) delete content.builds[build];
      if (carried) content.carried = carried;
    });
    this.game = (await readPulledGame(this.game.slug, this.#options.data)) ?? this.game;
  }

  /** Records why a build is held back. What a maintainer wrote about it meanwhile stays. */
  async #hold(
    build: UpstreamBuild,
    tried: string,
    findings: readonly Finding[],
    errors: string[],
  ): Promise<void> {
    const { build: name, commit } = build;
    const before = this.game.builds.findLast((each) => releaseOf(each) < releaseOf(build))?.build;
    const questions = questionsOf(findings);
    // A fault of gamedata itself may be fixed by the next round.
    const isFault = findings.some(({ check }) => check === 'internal-error');
    await this.#state.change((content) => {
      delete content.trying;
      const known = content.builds[name] ?? {};
      // A build that is held back for the same reasons, or fewer, keeps the earlier time.
      const isSame = known.commit === commit && questions.every((each) => known.questions?.includes(each));
      content.builds[name] = {
        ...known,
        ...{ commit, errors, questions, changed: changesOf(findings), tried: isFault ? '' : tried },
        at: (isSame && known.at) || new Date(Date.now()).toISOString(),
        ...(before !== undefined && { before }),
      };
    });
  }

  /**
   * Finds the files of an existing build that upstream has changed. Trimmed files are compared with trimmed ones.
   *
   * @returns none if upstream has no file of it
   */
  async findChanged(build: UpstreamBuild): Promise<string[]> {
    const { folder: game, raw, source } = this.game;
    const builds = this.game.builds.slice(0, this.names.indexOf(build.build) + 1);
    const isTrimmed = builds.at(-1)?.references.length === 0;
    const scope = { into: '', partial: false, ...coverageOf(source) };
    const addition = await this.#upstream.withDump(build, (dump) =>
      compareDump(dump, { game, raw, builds, isTrimmed }, scope),
    );
    const { added = [], changed = [], removed = [] } = addition ?? {};
    return [...[...added, ...changed].map((file) => file.path), ...removed];
  }
}

/** Returns since when and in which builds each question about a carried dataset occurs; one that no longer occurs is over. */
function noteCarried(
  before: CarriedQuestions = {},
  build: string,
  findings: readonly Finding[],
  carried: Carried,
): CarriedQuestions {
  const now = new Date(Date.now()).toISOString();
  const noted = Object.keys(carried).map((dataset) => {
    const asked = findings.filter((finding) => finding.carry?.includes(dataset));
    const questions = questionsOf(asked).map((question) => {
      const { at = now, builds = [] } = before[dataset]?.[question] ?? {};
      const changed = changesOf(asked.filter((finding) => questionOf(finding) === question));
      return [question, { at, builds: [...builds, build], changed }] satisfies [string, CarriedQuestion];
    });
    return [dataset, Object.fromEntries(questions)] as const;
  });
  return Object.fromEntries(noted);
}

function keyOf({ check, of, place, found }: Finding): string {
  return JSON.stringify([check, of, place.file, place.pointer, found]);
}

function describeError({ check, place, found, expected }: Finding): string {
  return `${check} in ${place.file}: ${found}; expected ${expected}`;
}

/** Removes a build in one step, and restores the builds after it. */
export async function takeOut(folder: string, build: string): Promise<void> {
  const target = path.join(folder, REMOVING);
  await rm(target, { recursive: true, force: true });
  await rename(path.join(folder, build), target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(target, { recursive: true, force: true });
  const raw = await readGameFile(folder, []);
  if (raw) await forgetNeedlessRemoved(await readBuilds(folder, raw, []), readPathsOf(raw));
}
