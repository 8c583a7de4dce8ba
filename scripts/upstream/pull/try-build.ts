import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isOfSystem } from '../../commands/build-games.ts';
import type { Finding } from '../../findings.ts';
import { CommandError } from '../../system.ts';
import type { Override } from '../../read/definition.ts';
import { readBuilds, readGameFile, type UpstreamOptions } from '../../read/game.ts';
import { editJsonFile } from '../../check/recorded.ts';
import type { Compiler } from '../../compile/workers.ts';
import { LargeBuild } from '../add/add-build.ts';
import { forgetNeedlessRemoved } from '../add/insert-build.ts';
import { readPathsOf } from '../add/present-files.ts';
import {
  ACCEPT_AFTER,
  type AcceptedBuild,
  countServed,
  describeKept,
  findRipe,
  isOpen,
  overridesOf,
} from './accept.ts';
import { undoHotfix } from './corrections.ts';
import type { UpstreamBuild } from './group-builds.ts';
import { addOne, namesOf, type PulledGame } from './pulled-game.ts';
import type { RawSource } from './source-definition.ts';
import {
  changesOf,
  type GameState,
  GameState as States,
  type HeldBuild,
  hashTrial,
  questionOf,
  splitCarried,
} from './state.ts';
import type { GameUpstream } from './upstream.ts';

/** How builds are tried. */
export interface TryOptions {
  data: string;
  out: string;
  /** The folder that remembers what builds were compiled from. */
  buildCache: string;
  upstream: UpstreamOptions;
  /** Whether builds name the files by reference, whatever `source` says. */
  references: boolean;
  /** Whether a build is added although checks hold it back. */
  asIs: boolean;
  compiler: Compiler;
  /** Writes the review of a game whose newest build is to be held back. */
  review(slug: string, build: string): Promise<void>;
}

const SILENT = { step() {}, done() {}, clear() {} };

/**
 * Finds the errors of a game, as `gamedata check` does; builds that dist/ has are not compiled again.
 *
 * @param isHeldFor whether a warning counts as an error
 * @throws CommandError if the system refused something, so that nothing is known of the game
 */
export async function findErrors(
  slug: string,
  { data, out, buildCache, compiler, upstream }: TryOptions,
  isHeldFor: (warning: Finding) => boolean = () => false,
): Promise<Finding[]> {
  const reuse = { out, cache: buildCache };
  const options = { keep: { in: 'nothing' as const }, reuse, upstream, now: Date.now() };
  const { findings } = await compiler.compile(data, [slug], SILENT, options);
  const refused = findings.find((finding) => finding.severity === 'error' && isOfSystem(finding));
  if (refused) throw new CommandError(`it cannot be checked: ${refused.found}; ${refused.fix}`);
  return findings.filter((finding) => finding.severity === 'error' || isHeldFor(finding));
}

/** Whether a warning holds a build back: it is of the build, and of a check in `hold_on`. Most of these are errors already. */
export function holdsBack(
  { hold_on = [] }: Pick<RawSource, 'hold_on'>,
  build: string,
): (warning: Finding) => boolean {
  return (warning) => warning.build === build && hold_on.some((check) => check === warning.check);
}

/** What became of a build, and the questions about its datasets that were accepted, as upstream kept them. */
export interface Tried {
  outcome: 'added' | 'held' | 'empty';
  accepted?: string[];
}

/**
 * Adds a build and checks the game with it. What upstream has kept long enough is accepted, datasets with other questions are carried from the build
 * before, and if something else is strange the build is taken out again and reviewed.
 */
export async function tryBuild(
  game: PulledGame,
  upstream: GameUpstream,
  build: UpstreamBuild,
  state: GameState,
  options: TryOptions,
): Promise<Tried> {
  const { slug, folder, source } = game;
  const name = build.build;
  const known = state.find(name);
  const tried = await hashTrial(folder, namesOf(game), { ...known, commit: build.commit });
  await state.change((content) => {
    content.trying = name;
  });
  const added = await addOne(
    game,
    upstream,
    build,
    { ...options.upstream, references: options.references },
    true,
  ).catch(async (error: unknown) => {
    if (error instanceof LargeBuild) return error;
    // Nothing was added, so a folder with this name is not ours: `recover` must not remove it.
    if (error instanceof CommandError) await endTrying(state);
    throw error;
  });
  if (added === undefined) {
    await endTrying(state);
    return { outcome: 'empty' };
  }
  if (added instanceof LargeBuild) {
    await hold(game, build, state, tried, [describeLarge(folder, name, added)], []);
    return { outcome: 'held' };
  }
  const file = path.join(folder, name, 'build.json');
  const overrides: Override[] = [...(known?.overrides ?? [])];
  if (overrides.length > 0) await editJsonFile(file, 'overrides', overrides);
  const isHeldFor = holdsBack(source, name);
  let strange = options.asIs ? [] : await findErrors(slug, options, isHeldFor);
  const accepted: string[] = [];
  if (strange.length > 0) {
    const first = strange;
    const ripe = findRipe(state.content.carried ?? {}, strange, source.accept_after ?? ACCEPT_AFTER, build);
    if (ripe.length > 0) {
      overrides.push(...ripe.flatMap(overridesOf));
      accepted.push(...ripe.flatMap(({ questions }) => questions));
      await editJsonFile(file, 'overrides', overrides);
    }
    const { carried } = splitCarried(
      strange.filter((finding) => !accepted.includes(questionOf(finding))),
      name,
    );
    if (Object.keys(carried).length > 0) await editJsonFile(file, 'carried', carried);
    if (ripe.length + Object.keys(carried).length > 0) strange = await findErrors(slug, options, isHeldFor);
    const names = Object.keys(carried).filter((dataset) => state.content.carried?.[dataset] === undefined);
    // The review shows the build as upstream has it, with what is strange.
    if (strange.length === 0 && names.length > 0)
      await reviewUncarried(file, carried, () => options.review(slug, name));
    if (strange.length === 0) await noteCarried(state, name, first, carried);
    else if (ripe.length + Object.keys(carried).length > 0) {
      await editJsonFile(file, 'carried', undefined);
      await editJsonFile(file, 'overrides', known?.overrides);
      strange = first;
    }
  } else await state.change((content) => delete content.carried);
  // Read again: a maintainer can skip the build while it is checked.
  const isSkipped = (await States.read(folder)).find(name)?.skip === true;
  if (strange.length === 0 && !isSkipped) {
    await endTrying(state, name);
    return { outcome: 'added', ...(accepted.length > 0 && { accepted }) };
  }
  const lost = (await upstream.explainLost?.(build, added.addition.removed)) ?? [];
  if (strange.length > 0) await options.review(slug, name);
  await takeOut(folder, name);
  if (strange.length > 0) await hold(game, build, state, tried, strange, lost);
  else await endTrying(state);
  return { outcome: 'held' };
}

async function reviewUncarried(file: string, carried: object, review: () => Promise<void>): Promise<void> {
  await editJsonFile(file, 'carried', undefined);
  await review();
  await editJsonFile(file, 'carried', carried);
}

/** Notes since when and in which builds each question about a carried dataset is asked; one that is not asked any more is over. */
async function noteCarried(
  state: GameState,
  build: string,
  findings: readonly Finding[],
  carried: object,
): Promise<void> {
  await state.change((content) => {
    const before = content.carried ?? {};
    content.carried = Object.fromEntries(
      Object.keys(carried).map((dataset) => {
        const asked = findings.filter((finding) => finding.dataset === dataset);
        const questions = [...new Set(asked.map(questionOf))].map((question) => {
          const since = before[dataset]?.[question];
          const changed = changesOf(asked.filter((finding) => questionOf(finding) === question));
          return [
            question,
            {
              at: since?.at ?? new Date(Date.now()).toISOString(),
              builds: [...(since?.builds ?? []), build],
              changed,
            },
          ];
        });
        return [dataset, Object.fromEntries(questions)];
      }),
    );
  });
}

async function endTrying(state: GameState, served?: string): Promise<void> {
  await state.change((content) => {
    delete content.trying;
    if (served !== undefined) delete content.builds[served];
  });
}

function describeLarge(folder: string, build: string, { message }: LargeBuild): Finding {
  return {
    check: 'game-size',
    severity: 'error',
    place: { file: path.posix.join(folder, build, 'build.json'), pointer: '', line: 1 },
    found: message,
    expected: 'a build of the usual size',
    fix: 'name its files by reference ("keep": "references" in "source"), map fewer files, or allow more ("limits" in "source")',
  };
}

/** Notes why a build is held back. What a maintainer wrote of it while it was checked stays. */
async function hold(
  { builds }: PulledGame,
  { build, commit, released_at }: UpstreamBuild,
  state: GameState,
  tried: string,
  findings: readonly Finding[],
  lost: readonly string[],
): Promise<void> {
  const before = builds
    .filter((each) => Date.parse(each.released_at) < Date.parse(released_at))
    .at(-1)?.build;
  const { carried, others } = splitCarried(findings, build);
  const asked = others.length > 0 ? others : findings;
  const questions = [...new Set(asked.map(questionOf))];
  await state.change((content) => {
    delete content.trying;
    const { at, commit: last, questions: then = [], overrides, skip, take } = content.builds[build] ?? {};
    // What is held back for the same, or for less, is held back since then.
    const isSame = last === commit && questions.every((each) => then.includes(each));
    content.builds[build] = {
      commit,
      at: (isSame && at) || new Date(Date.now()).toISOString(),
      ...(before !== undefined && { before }),
      errors: [...lost, ...findings.map(describeError)],
      changed: changesOf(asked),
      questions,
      ...(others.length > 0 && Object.keys(carried).length > 0 && { carry: carried }),
      tried,
      ...(overrides && { overrides }),
      ...(take && { take }),
      ...(skip !== undefined && { skip }),
    };
  });
}

function describeError({ check, place, found, expected, fix }: Finding): string {
  const advice = check === 'game-size' && fix !== undefined ? `: ${fix}` : '';
  return `${check} in ${place.file}: ${found}; expected ${expected}${advice}`;
}

/**
 * Adds a held build with overrides, and the later ones that have its change, each with the datasets that it can carry. They stay up to the first in
 * which something else is strange, if the change is in all of them as it was checked: then upstream has kept it.
 *
 * @returns whether the game has more builds now
 */
export async function tryKept(
  game: PulledGame,
  upstream: GameUpstream,
  accepted: AcceptedBuild,
  state: GameState,
  options: TryOptions,
): Promise<boolean> {
  const { slug, folder, source } = game;
  const names = [accepted.build, ...accepted.by];
  const builds = names.flatMap((name) => {
    const build = upstream.builds.find(
      (each) => each.build === name && each.newestCommit === state.find(name)?.commit,
    );
    return build ? [{ ...build, commit: build.newestCommit }] : [];
  });
  if (builds.length < names.length) return false;
  await state.change((content) => {
    content.trying = names;
  });
  const carried = new Map<string, HeldBuild['carry']>();
  const add = async (): Promise<Finding[] | undefined> => {
    for (const build of builds) {
      const added = await addOne(
        game,
        upstream,
        build,
        { ...options.upstream, references: options.references },
        true,
      );
      if (added === undefined) return undefined;
      const { carry } = state.find(build.build) ?? {};
      if (carry === undefined) continue;
      carried.set(build.build, carry);
      await editJsonFile(path.join(folder, build.build, 'build.json'), 'carried', carry);
    }
    await editJsonFile(path.join(folder, accepted.build, 'build.json'), 'overrides', overridesOf(accepted));
    const holds = builds.map(({ build }) => holdsBack(source, build));
    return await findErrors(slug, options, (warning) => holds.some((isHeldFor) => isHeldFor(warning)));
  };
  let served = 0;
  try {
    const findings = await add().catch((error: unknown) => {
      if (error instanceof LargeBuild) return undefined;
      throw error;
    });
    // Read again: a maintainer can decide about a build while it is checked.
    const now = await States.read(folder);
    const areOpen = names.every((name) => isOpen(now.find(name) ?? {}));
    served = areOpen && findings ? countServed(accepted, findings) : 0;
  } finally {
    for (const name of names.slice(served).toReversed()) await takeOut(folder, name);
    await state.change((content) => {
      delete content.trying;
      for (const name of names.slice(0, served)) delete content.builds[name];
      const last = carried.get(names[served - 1] ?? '');
      if (last)
        content.carried = Object.fromEntries(
          Object.entries(last).map(([dataset, checks]) => {
            const at = new Date(Date.now()).toISOString();
            return [
              dataset,
              Object.fromEntries(
                checks.split(', ').map((check) => [check, { at, builds: names.slice(0, served) }]),
              ),
            ];
          }),
        );
    });
  }
  if (served > 0)
    process.stderr.write(
      `${slug}: build ${accepted.build} is accepted, as ${describeKept(accepted)}: ${accepted.questions.join(', ')}\n`,
    );
  return served > 0;
}

/** The folder of a build that is being removed; hidden, so that it does not count as a build. */
const REMOVING = '.removing';

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

/** Removes a build in one step; those after it are again as they were before it came. */
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
