import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'jsonc-parser';
import { editJsonFile, lockFileOf } from '../../check/recorded.ts';
import { isOfSystem } from '../../commands/build-games.ts';
import type { Compiler } from '../../compile/workers.ts';
import type { Finding } from '../../findings.ts';
import { readBuilds, readGameFile, type UpstreamOptions } from '../../read/game.ts';
import type { Override, RawAmendment } from '../../read/game-schema.ts';
import { CommandError, isFailure } from '../../system.ts';
import { describeAdded, describeIdle } from '../add/add.ts';
import {
  type AddedBuild,
  addBuild,
  compareDump,
  forgetNeedlessRemoved,
  readOrRefuse,
} from '../add/add-build.ts';
import { coverageOf, describeMissed, findPresentFiles, readPathsOf } from '../add/files.ts';
import { ACCEPT_AFTER, limitsOfSource, sourceOf } from '../source.ts';
import { type AcceptedBuild, countServed, describeKept, findRipe, isOpen, overridesOf } from './accept.ts';
import type { GameUpstream, PulledGame, UpstreamBuild } from './builds.ts';
import {
  type Carried,
  type CarriedQuestion,
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
  /** Whether builds reference their files, whatever `source` says. */
  references: boolean;
  /** Whether a build is added even if checks hold it back. */
  asIs: boolean;
  compiler: Compiler;
  /** Writes the review of a game whose newest build is to be held back. */
  review(slug: string, build: string): Promise<void>;
}

/** The outcome for a build, and the accepted questions about its datasets, because upstream kept them. */
export interface Tried {
  outcome: 'added' | 'held' | 'empty';
  accepted: string[];
}

const SILENT = { step() {}, done() {}, clear() {} };
const SHORT_HASH = 10;
/** How often a build is checked with more carried datasets. */
const MAX_ROUNDS = 8;

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

/**
 * Finds the errors of a game like `gamedata check`; builds in dist/ are not compiled again.
 *
 * @param held builds whose warnings of checks in `hold_on` count too; most of these are errors already
 * @throws CommandError if the system failed, so that nothing is known about the game
 */
export async function findErrors(
  { slug, source }: Pick<PulledGame, 'slug' | 'source'>,
  { data, out, buildCache, compiler, upstream }: TryOptions,
  held: readonly string[] = [],
): Promise<Finding[]> {
  const reuse = { out, cache: buildCache };
  const options = { keep: { in: 'nothing' as const }, reuse, upstream, now: Date.now() };
  const { findings } = await compiler.compile(data, [slug], SILENT, options);
  const refused = findings.find((finding) => finding.severity === 'error' && isOfSystem(finding));
  if (refused) throw new CommandError(`it cannot be checked: ${refused.found}; ${refused.fix}`);
  const isHeldFor = ({ check, build = '' }: Finding) =>
    held.includes(build) && (source.hold_on ?? []).some((each) => each === check);
  return findings.filter((finding) => finding.severity === 'error' || isHeldFor(finding));
}

/** Subjects come from strangers, and their control characters could change what a terminal shows. */
export function plain(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ');
}

/** Tries builds of upstream in a game's folder. A candidate stays only if its checks find nothing. */
export class Trials {
  /** The current state. */
  game: PulledGame;
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

  findErrors(held: readonly string[] = []): Promise<Finding[]> {
    return findErrors(this.game, this.#options, held);
  }

  /** Hashes what a trial of a build depends on: it is repeated only if that has changed. */
  hashOf({ build, commit }: UpstreamBuild): Promise<string> {
    return hashTrial(this.game.folder, this.names, { ...this.#state.find(build), commit });
  }

  async #reread(): Promise<void> {
    this.game = (await readPulledGame(this.game.slug, this.#options.data)) ?? this.game;
  }

  /** Adds a build like `gamedata add`. @returns undefined if upstream has no file of it */
  async #add(build: UpstreamBuild): Promise<AddedBuild | undefined> {
    const { slug, folder, source } = this.game;
    const { build: name, released_at, commit } = build;
    const { references, upstream } = this.#options;
    const isNamed = references || source.keep === 'references';
    const added = await this.#upstream.withDump(build, (dump, files) =>
      addBuild(dump, {
        ...{ game: folder, build: name, into: '', partial: false, insert: true, now: released_at },
        ...coverageOf(source),
        released_at,
        package: build.package,
        limits: limitsOfSource(source),
        origin: isNamed && files ? { files, cache: upstream.cache } : undefined,
      }),
    );
    if (added === undefined) {
      const where = source.paths ? 'that "paths" names and the game reads' : 'of the tables';
      const from = source.git === undefined ? 'upstream' : `commit ${commit.slice(0, SHORT_HASH)}`;
      const { value: present } = findPresentFiles(this.game.builds, readPathsOf(this.game.raw));
      const lost = (await this.#upstream.explainLost?.(build, [...present.keys()])) ?? [];
      const why = [`${from} has no file ${where}`, ...lost].join('; ');
      process.stderr.write(`${plain(`warning: ${name} is left out: ${why}`)}\n`);
      return undefined;
    }
    const idle = describeIdle(added, path.posix.join(folder, name));
    if (idle !== undefined) process.stderr.write(`${idle}\n`);
    const how = { game: folder, into: '', isNamed: isNamed && source.git !== undefined };
    process.stdout.write(`${describeAdded(added, how)}\n`);
    const missed = (await this.#upstream.findMissed?.(build, added.builds.length === 0)) ?? [];
    if (missed.length > 0)
      process.stderr.write(`${plain(`${slug}: ${name}: ${describeMissed(missed, folder)}`)}\n`);
    return added;
  }

  /**
   * Adds a build and checks the game with it. Findings that upstream has kept long enough are accepted, datasets with other findings are carried from
   * the previous build; if there are still findings, the build is removed again and reviewed.
   */
  async try(build: UpstreamBuild): Promise<Tried> {
    const { slug, folder, source } = this.game;
    const state = this.#state;
    const name = build.build;
    const known = state.find(name);
    const tried = await this.hashOf(build);
    await state.change((content) => {
      content.trying = [name];
    });
    const added = await this.#add(build).catch(async (error: unknown) => {
      if (isFailure(error, 'large')) return error;
      // Nothing was added, so a folder with this name is not ours: `recover` must not remove it.
      if (error instanceof CommandError) await this.#endTrying();
      throw error;
    });
    if (added === undefined) {
      await this.#endTrying();
      return { outcome: 'empty', accepted: [] };
    }
    if (added instanceof CommandError) {
      await this.#hold(build, tried, [describeLarge(folder, name, added)]);
      return { outcome: 'held', accepted: [] };
    }
    const file = path.join(folder, name, 'build.json');
    const overrides: Override[] = [...(known?.overrides ?? [])];
    if (overrides.length > 0) await editJsonFile(file, 'overrides', overrides);
    const first = this.#options.asIs ? [] : await this.findErrors([name]);
    const ripe = findRipe(state.content.carried ?? {}, first, source.accept_after ?? ACCEPT_AFTER, build);
    const accepted = ripe.flatMap(({ questions }) => questions);
    if (ripe.length > 0) await editJsonFile(file, 'overrides', [...overrides, ...ripe.flatMap(overridesOf)]);
    const all = new Map(first.map((finding) => [keyOf(finding), finding]));
    let strange = first.filter((finding) => !accepted.includes(questionOf(finding)));
    let carried: Carried = {};
    // Without the carried datasets, the checks of the rest may find more to carry.
    if (ripe.length > 0 && strange.length === 0) strange = await this.findErrors([name]);
    for (let round = 0; strange.length > 0 && round < MAX_ROUNDS; round++) {
      const more = findCarried(strange, name, carried);
      // Carrying these did not help.
      if (isDeepStrictEqual(more, carried)) {
        for (const key of strange.flatMap(({ carry = [] }) => carry)) delete carried[key];
        break;
      }
      carried = more;
      await this.#carry(name, carried);
      strange = await this.findErrors([name]);
      for (const finding of strange) all.set(keyOf(finding), finding);
    }
    if (strange.some(({ place }) => place.pointer.startsWith('/carried'))) {
      // The roster refers to it, or the previous build lacks it.
      carried = {};
      strange = first;
    }
    if (strange.length > 0) {
      await this.#carry(name, undefined);
      await editJsonFile(file, 'overrides', known?.overrides);
    } else if (first.length > 0) {
      // The review shows the build as upstream has it, with its findings.
      if (Object.keys(carried).some((key) => state.content.carried?.[key] === undefined)) {
        await this.#carry(name, undefined);
        await this.#options.review(slug, name);
        await this.#carry(name, carried);
      }
      await this.#noteCarried(name, [...all.values()], carried);
    } else await state.change((content) => delete content.carried);
    // Read again: a maintainer can skip the build while it is checked.
    const isSkipped = (await GameState.read(folder)).find(name)?.skip === true;
    if (strange.length === 0 && !isSkipped) {
      await this.#endTrying([name]);
      await this.#reread();
      return { outcome: 'added', accepted };
    }
    if (strange.length > 0) await this.#options.review(slug, name);
    await takeOut(folder, name);
    if (strange.length === 0) await this.#endTrying();
    else {
      const lost = (await this.#upstream.explainLost?.(build, added.addition.removed)) ?? [];
      const others = [...all.values()].filter((finding) => !strange.includes(finding));
      await this.#hold(build, tried, strange, { lost, carried, others });
    }
    return { outcome: 'held', accepted: [] };
  }

  async #carry(build: string, carried: Carried | undefined): Promise<void> {
    if (carried && Object.keys(carried).length === 0) return;
    await editJsonFile(path.join(this.game.folder, build, 'build.json'), 'carried', carried);
  }

  /** Records since when and in which builds each question about a carried dataset occurs; one that no longer occurs is over. */
  async #noteCarried(build: string, findings: readonly Finding[], carried: Carried): Promise<void> {
    await this.#state.change((content) => {
      const before = content.carried ?? {};
      content.carried = {};
      for (const dataset of Object.keys(carried)) {
        const asked = findings.filter((finding) => finding.carry?.includes(dataset));
        const questions = questionsOf(asked).map((question) => {
          const { at = new Date(Date.now()).toISOString(), builds = [] } = before[dataset]?.[question] ?? {};
          const changed = changesOf(asked.filter((finding) => questionOf(finding) === question));
          return [question, { at, builds: [...builds, build], changed }] satisfies [string, CarriedQuestion];
        });
        content.carried[dataset] = Object.fromEntries(questions);
      }
    });
  }

  async #endTrying(served: readonly string[] = []): Promise<void> {
    await this.#state.change((content) => {
      delete content.trying;
      for (const build of served) delete content.builds[build];
    });
  }

  /** Records why a build is held back, in addition to what it can carry. What a maintainer wrote about it meanwhile stays. */
  async #hold(
    { build, commit, released_at }: UpstreamBuild,
    tried: string,
    findings: readonly Finding[],
    { lost = [], carried = {}, others = [] }: { lost?: string[]; carried?: Carried; others?: Finding[] } = {},
  ): Promise<void> {
    const release = Date.parse(released_at);
    const before = this.game.builds.filter((each) => Date.parse(each.released_at) < release).at(-1)?.build;
    const questions = questionsOf(findings);
    await this.#state.change((content) => {
      delete content.trying;
      const { at, commit: last, questions: then = [], overrides, skip, take } = content.builds[build] ?? {};
      // A build that is held back for the same reasons, or fewer, keeps the earlier time.
      const isSame = last === commit && questions.every((each) => then.includes(each));
      content.builds[build] = {
        commit,
        at: (isSame && at) || new Date(Date.now()).toISOString(),
        ...(before !== undefined && { before }),
        errors: [...lost, ...[...findings, ...others].map(describeError)],
        changed: changesOf(findings),
        questions,
        ...(Object.keys(carried).length > 0 && { carry: carried }),
        // A fault of gamedata itself may be fixed by then.
        ...(!findings.some(({ check }) => check === 'internal-error') && { tried }),
        ...(overrides && { overrides }),
        ...(take && { take }),
        ...(skip !== undefined && { skip }),
      };
    });
  }

  /**
   * Adds a held build with overrides, and the later builds with its change, each with the datasets that it can carry. They stay up to the first with
   * other findings, if the change is in all of them as it was checked: then upstream has kept it.
   *
   * @returns the names of those that stay
   */
  async tryKept(accepted: AcceptedBuild): Promise<string[]> {
    const { slug, folder } = this.game;
    const state = this.#state;
    const names = [accepted.build, ...accepted.by];
    const builds = names.flatMap((name) => {
      const build = this.#upstream.builds.find((each) => each.build === name);
      const isAsHeld = build !== undefined && build.newestCommit === state.find(name)?.commit;
      return isAsHeld ? [{ ...build, commit: build.newestCommit }] : [];
    });
    if (builds.length < names.length) return [];
    await state.change((content) => {
      content.trying = names;
    });
    const add = async (): Promise<Finding[] | undefined> => {
      for (const build of builds) {
        if ((await this.#add(build)) === undefined) return undefined;
        await this.#carry(build.build, state.find(build.build)?.carry ?? {});
      }
      await editJsonFile(path.join(folder, accepted.build, 'build.json'), 'overrides', overridesOf(accepted));
      return await this.findErrors(names);
    };
    let served: string[] = [];
    try {
      const findings = await add().catch((error: unknown) => {
        if (isFailure(error, 'large')) return undefined;
        throw error;
      });
      // Read again: a maintainer can decide about a build while it is checked.
      const now = await GameState.read(folder);
      const areOpen = names.every((name) => isOpen(now.find(name) ?? {}));
      served = names.slice(0, areOpen && findings ? countServed(accepted, findings) : 0);
    } finally {
      for (const name of names.slice(served.length).toReversed()) await takeOut(folder, name);
      const last = state.find(served.at(-1) ?? '')?.carry ?? {};
      await this.#endTrying(served);
      const known = { at: new Date(Date.now()).toISOString(), builds: served };
      const carried = Object.entries(last).map(([dataset, checks]) => {
        return [dataset, Object.fromEntries(checks.split(', ').map((check) => [check, known]))] as const;
      });
      if (carried.length > 0)
        await state.change((content) => {
          content.carried = Object.fromEntries(carried);
        });
    }
    if (served.length === 0) return [];
    process.stderr.write(
      `${slug}: build ${accepted.build} is accepted, as ${describeKept(accepted)}: ${accepted.questions.join(', ')}\n`,
    );
    await this.#reread();
    return served;
  }

  /**
   * Finds the files of an existing build that upstream has changed. Trimmed files are compared with trimmed ones.
   *
   * @returns undefined if upstream has no file of it, or the game already has this commit
   */
  async findChanged(build: UpstreamBuild): Promise<string[] | undefined> {
    const { folder, raw, source, builds } = this.game;
    const amended = await readAmended(path.join(folder, build.build));
    if (amended.some(({ commit }) => commit === build.newestCommit)) return undefined;
    const until = builds.slice(0, this.names.indexOf(build.build) + 1);
    const isTrimmed = until.at(-1)?.references.length === 0;
    const scope = { into: '', partial: false, ...coverageOf(source) };
    const addition = await this.#upstream.withDump({ ...build, commit: build.newestCommit }, (dump) =>
      compareDump(dump, { game: folder, raw, builds: until, isTrimmed }, scope),
    );
    if (addition === undefined) return undefined;
    return [...[...addition.added, ...addition.changed].map((file) => file.path), ...addition.removed];
  }

  /** Takes a hotfix as a correction of its build; `accept` checks and records the game. If that fails, the build is restored. */
  async takeHotfix(newest: UpstreamBuild, accept: (reason: string) => Promise<void>): Promise<void> {
    const { folder, source } = this.game;
    const { build, newestCommit: commit } = newest;
    const copy = path.join(folder, CORRECTING);
    const own = path.join(folder, build);
    await rm(copy, { recursive: true, force: true });
    await cp(own, path.join(copy, build), { recursive: true, verbatimSymlinks: true });
    // The lock comes last: without it, the copy is incomplete and nothing was replaced.
    await writeFile(path.join(copy, LOCK), await readLock(folder));
    try {
      const place = { game: folder, build, replace: true, into: '', partial: false, now: newest.released_at };
      const options = { ...place, limits: limitsOfSource(source), ...coverageOf(source) };
      await this.#upstream.withDump({ ...newest, commit }, (dump) => addBuild(dump, options));
      const before = await readAmended(own);
      await accept(`Upstream corrected it: the last commit is ${commit.slice(0, SHORT_HASH)}.`);
      const amended = await readAmended(own);
      const last = amended.length > before.length ? amended.pop() : undefined;
      if (last)
        await editJsonFile(path.join(own, 'build.json'), 'amended', [...amended, { ...last, commit }]);
      await rm(copy, { recursive: true, force: true });
    } catch (error) {
      await undoHotfix(folder);
      throw error;
    }
  }
}

function keyOf({ check, of, place, found }: Finding): string {
  return JSON.stringify([check, of, place.file, place.pointer, found]);
}

function describeLarge(folder: string, build: string, { message }: CommandError): Finding {
  return {
    check: 'game-size',
    severity: 'error',
    place: { file: path.posix.join(folder, build, 'build.json'), pointer: '', line: 1 },
    found: message,
    expected: 'a build of the usual size',
    fix: 'name its files by reference ("keep": "references" in "source"), map fewer files, or allow more ("limits" in "source")',
  };
}

function describeError({ check, place, found, expected, fix }: Finding): string {
  const advice = check === 'game-size' && fix !== undefined ? `: ${fix}` : '';
  return `${check} in ${place.file}: ${found}; expected ${expected}${advice}`;
}

/**
 * Hidden folders in a game's folder, so that they do not count as builds: a build that is being removed; and the original of one that is being
 * corrected, with the lock.
 */
const REMOVING = '.removing';
const CORRECTING = '.correcting';
const LOCK = 'lock.json';

/** Removes what a killed process left in a game's folder: builds that it was checking, or one that it was correcting. */
export async function recover(folder: string, state: GameState): Promise<void> {
  await rm(path.join(folder, REMOVING), { recursive: true, force: true });
  await undoHotfix(folder);
  await state.removeLeftovers();
  if (state.trying.length === 0) return;
  for (const build of state.trying.toReversed()) await takeOut(folder, build);
  await state.change((content) => {
    delete content.trying;
  });
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

/** Restores a build that was being corrected, unless the correction was recorded. */
async function undoHotfix(folder: string): Promise<void> {
  const copy = path.join(folder, CORRECTING);
  const names = await readdir(copy).catch(() => []);
  const build = names.find((name) => name !== LOCK);
  const before = await readFile(path.join(copy, LOCK)).catch(() => undefined);
  if (build !== undefined && before?.equals(await readLock(folder))) {
    await rm(path.join(folder, build), { recursive: true, force: true });
    await rename(path.join(copy, build), path.join(folder, build));
  }
  await rm(copy, { recursive: true, force: true });
}

async function readAmended(folder: string): Promise<RawAmendment[]> {
  const text = await readFile(path.join(folder, 'build.json'), 'utf8').catch(() => '{}');
  return (parse(text) as { amended?: RawAmendment[] } | undefined)?.amended ?? [];
}

async function readLock(folder: string): Promise<Buffer> {
  return await readFile(lockFileOf(folder)).catch(() => Buffer.alloc(0));
}
