import path from 'node:path';
import { isOfSystem } from '../../commands/found-errors.ts';
import type { Finding } from '../../findings/findings.ts';
import { CommandError } from '../../lib/command-error.ts';
import { editJsonFile } from '../../recorded/edit-json-file.ts';
import type { Compiler } from '../../workers/compiler.ts';
import { LargeBuild } from '../add/add-build.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import { changesOf, type HeldBuild, HeldBuilds, hashTrial } from '../pull/held.ts';
import { findSameQuestion, questionOf } from '../pull/questions.ts';
import type { RawSource } from '../pull/source-definition.ts';
import type { GameUpstream } from '../pull/upstream.ts';
import { chooseCarried, readCarried } from './carry.ts';
import { addOne, type PulledGame } from './pulled-game.ts';
import { describeHeld, type ReportOptions, reportCarried, writeReview } from './report-held.ts';
import { takeOut } from './take-out-build.ts';

/** Where builds that are tried are compiled and reported. */
export interface TryOptions extends ReportOptions {
  /** The folder that remembers what builds were compiled from. */
  buildCache: string;
  /** Whether builds name the files by reference, whatever `source` says. */
  references: boolean;
  /** Whether builds are taken that no part checks for damage. */
  compiler: Compiler;
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
  const errors = findings.filter(({ severity }) => severity === 'error');
  const refused = errors.find(isOfSystem);
  if (refused) throw new CommandError(`it cannot be checked: ${refused.found}; ${refused.fix}`);
  return findings.filter((finding) => finding.severity === 'error' || isHeldFor(finding));
}

/** Returns whether a warning holds a build back: it is of the build, and of a check in `hold_on`. Most of these are errors already. */
export function holdsBack(
  { hold_on = [] }: Pick<RawSource, 'hold_on'>,
  build: string,
): (warning: Finding) => boolean {
  return (warning) => warning.build === build && hold_on.some((check) => check === warning.check);
}

/**
 * Adds a build, checks the game with it, and takes it out again if the check finds errors; then it is reviewed and reported.
 *
 * @returns whether the game has it now
 */
export async function tryBuild(
  game: PulledGame,
  upstream: GameUpstream,
  build: UpstreamBuild,
  held: HeldBuilds,
  options: TryOptions,
): Promise<'added' | 'held' | 'empty'> {
  const { slug, folder } = game;
  const heldBuild = held.find(build.build);
  const tried = await hashTrial(folder, namesOf(game), { ...heldBuild, commit: build.commit });
  await held.beginTrying(build.build);
  const isAdded = await addOne(
    game,
    upstream,
    build,
    { ...options.upstream, references: options.references },
    true,
  ).catch(async (error: unknown) => {
    if (error instanceof LargeBuild) return error;
    // Nothing was added, so a folder with this name is not the service's: `recover` must not remove it.
    if (error instanceof CommandError) await held.endTrying(build.build);
    throw error;
  });
  if (isAdded instanceof LargeBuild) {
    const errors = [describeLarge(game, build.build, isAdded)];
    await hold(game, build, held, { tried, errors });
    process.stderr.write(describeHeld(slug, build.build, errors, options));
    return 'held';
  }
  if (!isAdded) {
    await held.endTrying(build.build);
    return 'empty';
  }
  const { overrides } = heldBuild ?? {};
  if (overrides) await editJsonFile(path.join(folder, build.build, 'build.json'), 'overrides', overrides);
  const isHeldFor = holdsBack(game.source, build.build);
  const strange = await findErrors(slug, options, isHeldFor);
  const isCarried = await carryDatasets(game, build, strange, { ...options, isHeldFor });
  const errors = isCarried ? [] : strange;
  // Read again: a maintainer can skip the build while it is checked.
  const { skip } = (await HeldBuilds.read(folder)).find(build.build) ?? {};
  if (errors.length === 0 && !skip) {
    await held.endTrying(build.build, () => undefined);
    return 'added';
  }
  if (errors.length > 0) await writeReview(slug, build.build, options);
  await takeOut(folder, build.build);
  if (errors.length === 0) {
    await held.endTrying(build.build);
    return 'held';
  }
  await hold(game, build, held, { tried, errors });
  process.stderr.write(describeHeld(slug, build.build, errors, options));
  return 'held';
}

/**
 * Lets a build keep datasets of the build before if these are all that holds it back. What is strange for the first time is reviewed and reported.
 *
 * @returns whether nothing holds the build back now
 */
async function carryDatasets(
  { slug, folder, builds }: PulledGame,
  { build, commit, released_at }: UpstreamBuild,
  strange: readonly Finding[],
  { isHeldFor, ...options }: TryOptions & { isHeldFor: (warning: Finding) => boolean },
): Promise<boolean> {
  const carried = chooseCarried(strange, build);
  if (carried === undefined) return false;
  const before = buildBefore(builds, released_at);
  const carriedBefore = await readCarried(folder, before);
  const names = Object.keys(carried).filter((name) => !carriedBefore.includes(name));
  if (names.length > 0) await writeReview(slug, build, options);
  const file = path.join(folder, build, 'build.json');
  await editJsonFile(file, 'carried', carried);
  if ((await findErrors(slug, options, isHeldFor)).length > 0) {
    await editJsonFile(file, 'carried', undefined);
    return false;
  }
  if (names.length > 0)
    await reportCarried({ slug, build, before, commit, names }, strange.map(describeError), options);
  return true;
}

/** The newest build that a game has before a time. */
function buildBefore(builds: PulledGame['builds'], released_at: string): string | undefined {
  return builds.filter((each) => Date.parse(each.released_at) < Date.parse(released_at)).at(-1)?.build;
}

function describeLarge({ folder }: PulledGame, build: string, { message }: LargeBuild): Finding {
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
  held: HeldBuilds,
  outcome: { tried: string; errors: readonly Finding[] },
): Promise<void> {
  const before = buildBefore(builds, released_at);
  const errors = outcome.errors.map(describeError);
  const questions = [...new Set(outcome.errors.map(questionOf))];
  const same = findSameQuestion(held, build, { before, questions });
  await held.endTrying(build, ({ overrides, skip, ...known } = {}) => ({
    commit,
    // What is held back for the same, or for less, is held back since then.
    at: (isSame(known, commit, questions) && known.at) || new Date(Date.now()).toISOString(),
    ...(before !== undefined && { before }),
    errors,
    changed: changesOf(outcome.errors),
    questions,
    ...(same !== undefined && { same_as: same }),
    tried: outcome.tried,
    // What a build before it asked already is not asked again.
    reported: same !== undefined || isSameReport(known, commit, errors),
    ...(overrides && { overrides }),
    ...(skip !== undefined && { skip }),
  }));
}

function isSame(heldBuild: HeldBuild, commit: string, questions: readonly string[]): boolean {
  return heldBuild.commit === commit && questions.every((each) => heldBuild.questions?.includes(each));
}

function isSameReport(heldBuild: HeldBuild, commit: string, errors: readonly string[]): boolean {
  return (
    heldBuild.reported === true &&
    heldBuild.commit === commit &&
    heldBuild.errors?.join('\n') === errors.join('\n')
  );
}

function describeError({ check, place, found, expected, fix }: Finding): string {
  const advice = check === 'game-size' && fix !== undefined ? `: ${fix}` : '';
  return `${check} in ${place.file}: ${found}; expected ${expected}${advice}`;
}

/** The names of a game's builds, oldest first. */
export function namesOf({ builds }: PulledGame): string[] {
  return builds.map(({ build }) => build);
}
