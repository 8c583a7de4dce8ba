import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fastGlob from 'fast-glob';
import { parse } from 'jsonc-parser';
import { editJsonFile, lockFileOf } from '../../check/recorded.ts';
import { isOfSystem } from '../../commands/build-games.ts';
import type { Finding } from '../../findings.ts';
import type { FoundBuild } from '../../read/game.ts';
import * as system from '../../system.ts';
import { countOf } from '../../text.ts';
import { describeAdded } from '../add/add.ts';
import { addBuild, compareDump, readOrRefuse, removeTrial, TRIAL_FILE } from '../add/add-build.ts';
import { coverageOf, findPresentFiles, listFew, readPathsOf } from '../add/files.ts';
import { vendorGame } from '../add/references.ts';
import { renderReviews, reviewGame } from '../review/review.ts';
import { ACCEPT_AFTER, limitsOfSource, sourceOf } from '../source.ts';
import {
  type Choice,
  chooseBuilds,
  newestSeen,
  type PulledGame,
  releaseOf,
  SHORT_HASH,
  type UpstreamBuild,
} from './builds.ts';
import { describeFound, note, noteChange, type Pull, plain, reportGame, reviewFileOf } from './report.ts';
import * as pullState from './state.ts';

/** The cache of compiled builds, as for `gamedata build`. */
export const BUILD_CACHE = 'var/cache';
export const BUILD_LIMITS = {
  jobs: 1,
  timeLimit: system.DEFAULT_LIMITS.seconds,
  memoryLimit: system.DEFAULT_LIMITS.mebibytes,
};
const SILENT = { step() {}, done() {}, clear() {} };
/** How often a build is checked with more carried datasets. */
const MAX_ROUNDS = 8;
type Checked = { errors: Finding[]; overrides: pullState.Overrides };

/** Reads a game and its builds. @param isNamed whether it must have a source @returns undefined for a game without a source that was not named */
export async function readPulledGame(slug: string, data: string, isNamed = false) {
  const folder = path.posix.join(data, slug);
  const { raw, builds } = await readOrRefuse(folder);
  const source = sourceOf(raw);
  if (source !== undefined) return { slug, folder, raw, source, builds } satisfies PulledGame;
  if (!isNamed) return undefined;
  throw new system.CommandError(
    `${folder}/game.json has no "source": add the repository that the builds come from, or add dumps with gamedata add`,
  );
}

/**
 * Finds the errors of a game like `gamedata check`; builds in dist/ are not compiled again.
 *
 * @throws CommandError if the system failed, so that nothing is known about the game
 */
async function findErrors({ game, options, compiler }: Pull): Promise<Finding[]> {
  const { data, out } = options;
  const { findings } = await compiler.compile(data, [game.slug], SILENT, {
    keep: { in: 'nothing' },
    reuse: { out, cache: BUILD_CACHE },
    now: Date.now(),
    upstream: { cache: options.cache, allowLocal: options.allowLocal },
  });
  const errors = findings.filter(({ severity }) => severity === 'error');
  const refused = errors.find(isOfSystem);
  if (refused) throw new system.CommandError(`it cannot be checked: ${refused.found}; ${refused.fix}`);
  return errors;
}

/** Checks a build with overrides, and drops those that it does not need: another lifts the same, or what they lifted is carried. */
async function checkWith(pull: Pull, build: string, overrides: pullState.Overrides): Promise<Checked> {
  const file = path.posix.join(pull.game.folder, build, 'build.json');
  await editJsonFile(file, 'overrides', overrides.length > 0 ? overrides : undefined);
  const errors = pull.options.asIs ? [] : await findErrors(pull);
  const isNeedless = (at: number) =>
    errors.some(({ place }) => place.file === file && place.pointer === `/overrides/${at}`);
  const needed = overrides.filter((_, at) => !isNeedless(at));
  return needed.length < overrides.length ? await checkWith(pull, build, needed) : { errors, overrides };
}

/**
 * Hashes what a trial of a build depends on, as it is repeated only if that has changed: gamedata, the build's upstream content, what a maintainer
 * accepted, the previous build, and all files of the game outside builds.
 */
async function hashTrial({ game, state }: Pull, { build, commit }: UpstreamBuild): Promise<string> {
  const names = game.builds.map((each) => each.build);
  const of = [system.readVersion(), commit, state.find(build)?.overrides ?? [], names.at(-1) ?? null];
  const hash = createHash('sha256').update(JSON.stringify(of));
  const ignore = [pullState.HELD_FILE, lockFileOf(''), ...names.map((name) => `${name}/**`)];
  const files = await fastGlob('**', { cwd: game.folder, ignore, followSymbolicLinks: false });
  for (const file of files.sort())
    hash.update(`\0${file}\0`).update(await readFile(path.join(game.folder, file)));
  return hash.digest('hex');
}

/** Adds a build like `gamedata add`, or replaces its files. @returns undefined if upstream has no file of it */
async function addFiles(pull: Pull, build: UpstreamBuild, replace = false) {
  const { game, upstream, options } = pull;
  const { folder, raw, source, builds } = game;
  const { build: name, released_at } = build;
  const isNamed = source.keep === 'references' && !replace;
  const fresh = { released_at, package: build.package, limits: limitsOfSource(source), isTrial: true };
  const added = await upstream.withDump(build, (dump, files) =>
    addBuild(dump, {
      game: folder,
      build: name,
      into: '',
      partial: false,
      now: released_at,
      replace,
      ...coverageOf(source),
      ...(!replace && fresh),
      origin: isNamed && files ? { files, cache: options.cache } : undefined,
    }),
  );
  if (added) process.stdout.write(`${describeAdded(added, { game: folder, isNamed })}\n`);
  else {
    const { value: present } = findPresentFiles(builds, readPathsOf(raw));
    const lost = (await upstream.explainLost?.(build, [...present.keys()])) ?? [];
    const where = `"${build.subject}" (${build.commit.slice(0, SHORT_HASH)})`;
    const why = [`${where} has no file of the tables`, ...lost].join('; ');
    process.stderr.write(`${plain(`warning: ${name} is left out: ${why}`)}\n`);
  }
  return added;
}

/**
 * Adds a build and checks the game with it. Findings that upstream has kept long enough are accepted, datasets with other findings are carried from
 * the previous build; if there are still findings, the build is removed again.
 *
 * @param held the held build to accept, because upstream keeps its change
 */
async function tryBuild(pull: Pull, build: UpstreamBuild, held?: pullState.AcceptedBuild) {
  const { game, state, upstream, options } = pull;
  const { slug, folder, source } = game;
  const name = build.build;
  const tried = await hashTrial(pull, build);
  const added = await addFiles(pull, build).catch((error: unknown) => {
    if (system.isFailure(error, 'large')) return error;
    throw error;
  });
  if (added instanceof system.CommandError) {
    const advice = 'allow more ("limits" in "source"), or name its files by reference ("keep")';
    await recordHeld(pull, build, tried, [], [`${added.message}: ${advice}`]);
    return 'held';
  }
  if (added === undefined) return 'empty';
  let { errors, overrides } = await checkWith(pull, name, state.find(name)?.overrides ?? []);
  const first = errors;
  if (first.length > 0) await writeReview(pull, name);
  const acceptAfter = source.accept_after ?? ACCEPT_AFTER;
  const due = pullState.findDueDatasets(state.content.carried ?? {}, first, acceptAfter, name);
  if (held) due.push(held);
  const check = async (more: pullState.Overrides = []) => {
    ({ errors, overrides } = await checkWith(pull, name, [...overrides, ...more]));
  };
  if (due.length > 0) await check(due.flatMap(pullState.overridesOf));
  const found = new Map<string, Finding>();
  let carried: pullState.Carried = {};
  // Once a dataset is carried, the checks may find faults in others.
  for (let round = 0; errors.length > 0 && round < MAX_ROUNDS; round++) {
    for (const finding of errors)
      found.set(JSON.stringify([finding.check, finding.of, finding.place, finding.found]), finding);
    const more = pullState.findCarried(errors, name, carried);
    if (isDeepStrictEqual(more, carried)) break;
    carried = more;
    await editJsonFile(path.join(folder, name, 'build.json'), 'carried', carried);
    await check();
  }
  // A maintainer can skip the build while it is checked.
  await state.reread();
  const isSkipped = state.find(name)?.skip;
  if (errors.length > 0 || isSkipped) {
    await removeTrial(folder, name);
    // Carrying is impossible: the roster refers to the dataset, or the previous build lacks it.
    const isImpossible = errors.some(({ place }) => place.pointer.startsWith('/carried'));
    const asked = isImpossible ? first : errors;
    const lost = (await upstream.explainLost?.(build, added.addition.removed)) ?? [];
    const described = [...asked, ...found.values()].map(
      (each) => `${each.check} in ${each.place.file}: ${each.found}; expected ${each.expected}`,
    );
    const reasons = new Set([...lost, ...described]);
    // A pull that is ended may end its compilers with it: what they found counts no more.
    if (!held && !isSkipped && !pull.signal.aborted)
      await recordHeld(pull, build, tried, asked, [...reasons]);
    return 'held';
  }
  await state.change((content) => {
    if (!content.builds[name]?.skip) delete content.builds[name];
    content.carried = pullState.updateCarried(content.carried, name, [...found.values()], carried);
    content.seen = { ...content.seen, [name]: build.commit };
  });
  await rm(path.join(folder, name, TRIAL_FILE), { force: true });
  pull.game = (await readPulledGame(slug, options.data)) ?? game;
  const questions = due.flatMap((each) => each.questions).join(', ');
  if (questions !== '')
    note(pull, `${name} ${questions}`, {
      kind: 'accepted',
      build: name,
      text: `build ${name} is accepted, as upstream keeps its change: ${questions}`,
      remedy: `if it is wrong, run gamedata rollback ${slug}, and set "accept_after": false in "source"`,
    });
  return 'added';
}

/** Records why a build is held back. What a maintainer wrote about it meanwhile stays. */
async function recordHeld(
  { game, state }: Pull,
  build: UpstreamBuild,
  tried: string,
  findings: readonly Finding[],
  errors: string[],
): Promise<void> {
  const { build: name, commit } = build;
  const before = game.builds.findLast((each) => releaseOf(each) < releaseOf(build))?.build;
  const questions = pullState.questionsOf(findings);
  // A fault of gamedata itself may be over in the next round.
  const isFault = questions.includes('internal-error');
  await state.change((content) => {
    const known = content.builds[name] ?? {};
    // A build that is held back for the same reasons, or fewer, keeps the earlier time.
    const isSame = known.commit === commit && questions.every((each) => known.questions?.includes(each));
    content.builds[name] = {
      ...known,
      commit,
      errors,
      questions,
      changed: pullState.changesOf(findings),
      tried: isFault ? '' : tried,
      at: (isSame && known.at) || new Date(Date.now()).toISOString(),
      ...(before !== undefined && { before }),
    };
  });
}

/** Writes the review of a game with a build that has findings. */
async function writeReview(pull: Pull, build: string): Promise<void> {
  const { game, options, start } = pull;
  const progress = system.createProgress(process.stderr);
  const how = { ...options, ...BUILD_LIMITS, upstream: options.cache };
  const review = await reviewGame(game.slug, how, { progress, start });
  progress.clear();
  const file = reviewFileOf(pull, build);
  await system.makePrivateFolder(path.dirname(file));
  await system.replaceFile(file, Buffer.from(renderReviews([review])));
}

/** Finds the files of a served build that upstream has changed, in the form in which they are stored; none if upstream has no file of it. */
async function findChanged({ game, upstream }: Pull, build: UpstreamBuild): Promise<string[]> {
  const { folder, raw, source } = game;
  const builds = game.builds.slice(0, game.builds.findIndex((each) => each.build === build.build) + 1);
  const isTrimmed = builds.at(-1)?.references.length === 0;
  const scope = { into: '', partial: false, ...coverageOf(source) };
  const addition = await upstream.withDump(build, (dump) =>
    compareDump(dump, { game: folder, raw, builds, isTrimmed }, scope),
  );
  const { added = [], changed = [], removed = [] } = addition ?? {};
  return [...[...added, ...changed].map((file) => file.path), ...removed];
}

const LEFTOVER = new RegExp(`^${pullState.HELD_FILE}${system.TEMPORARY_SUFFIX}$`);

/** Removes what a killed or failed pull left in a game's folder: builds that it was checking, and a state that it was writing. */
export async function recover(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (LEFTOVER.test(name)) await rm(path.join(folder, name));
  for (const mark of await fastGlob(`*/${TRIAL_FILE}`, { cwd: folder }))
    await removeTrial(folder, path.dirname(mark));
}

/** Pulls a game: tries new builds, accepts what upstream keeps, and compares served builds with the current upstream. */
export async function pullGame(pull: Pull, choice: Choice): Promise<void> {
  process.stdout.write(describeFound(pull, choice));
  if (pull.options.dryRun) return;
  const gone: string[] = [];
  // If upstream shows no build, what a person decided waits.
  for (const served of pull.upstream.builds.length > 0 ? pull.game.builds : []) {
    const { build } = served;
    const decided = pull.state.find(build);
    if (await compareServed(pull, served)) gone.push(build);
    // The accepted content is served now; a later change needs a new decision.
    if (decided && !decided.skip)
      await pull.state.change(({ builds }) => {
        if (isDeepStrictEqual(builds[build], decided)) delete builds[build];
      });
  }
  pull.game = (await readPulledGame(pull.game.slug, pull.options.data)) ?? pull.game;
  let empty = await tryNew(pull, choice);
  while (await acceptDue(pull)) {
    // The builds held back after these are tried again.
    choice = chooseBuilds(pull.upstream.builds, pull.game, pull.state);
    empty = await tryNew(pull, choice);
  }
  await reportGame(pull, choice, gone, empty);
}

/** Compares a served build with its current upstream version. @returns whether upstream no longer has it */
async function compareServed(pull: Pull, served: FoundBuild): Promise<boolean> {
  const { build, released_at, folder, references } = served;
  const { state, upstream, game } = pull;
  const { slug, source, builds } = game;
  const isNewest = build === builds.at(-1)?.build;
  const isGit = source.git !== undefined;
  const { skip, take } = state.find(build) ?? {};
  // For files at addresses and packages, only the newest content exists.
  if (skip || (!isGit && !isNewest)) return false;
  const known = state.content.seen?.[build];
  const found = upstream.builds.find((each) => each.build === build);
  // Upstream may not keep the files that it references.
  const isLost = known !== undefined && upstream.hasCommit?.(known) === false;
  if (isLost && references.length > 0) await copyReferences(pull, build);
  // Upstream serves something older again.
  const wentBack = upstream.builds.every(
    (each) => each.commit !== known && releaseOf(each) < releaseOf(served),
  );
  if (found === undefined) return known !== undefined && (isGit || wentBack);
  // A build that nobody has seen yet follows upstream's date.
  if (Date.parse(released_at) > Date.now() && found.released_at !== released_at)
    await editJsonFile(path.join(folder, 'build.json'), 'released_at', found.released_at);
  const { newestCommit: commit } = found;
  if (known === commit || found.settledAt > Date.now() || (known === undefined && !isGit)) return false;
  const newest = { ...found, commit };
  const isFirstLook = known === undefined && (!isNewest || found.commit === commit);
  const files = isFirstLook ? [] : await findChanged(pull, newest);
  // A killed round may have taken the files already.
  if (take && !isFirstLook) {
    if (files.length > 0) await addFiles(pull, newest, true);
    await acceptTaken(pull, served);
    process.stdout.write(
      `${slug}: ${build} is as upstream has it: run gamedata build ${slug} --amend <reason>\n`,
    );
  }
  if (files.length === 0 || take)
    await state.change((content) => {
      content.seen = { ...content.seen, [build]: commit };
    });
  else {
    const changed = listFew(files).replace(' (', ' changed (');
    const text = `${build}, which is served, is not what upstream has now: ${changed} by ${commit.slice(0, SHORT_HASH)}`;
    noteChange(pull, build, text, `to take that, run gamedata pull ${slug} --take ${build}`);
  }
  return false;
}

/** Accepts what the checks find in content that a person took. What was carried or accepted of the earlier content, and is needless now, goes. */
async function acceptTaken(pull: Pull, { build, folder }: FoundBuild): Promise<void> {
  const file = path.posix.join(folder, 'build.json');
  const { overrides = [] } = parse(await readFile(file, 'utf8'));
  await editJsonFile(file, 'carried', undefined);
  if (build === pull.game.builds.at(-1)?.build)
    await pull.state.change((content) => {
      delete content.carried;
    });
  const { errors, overrides: kept } = await checkWith(pull, build, overrides);
  const asked = pullState.overridesOfPerson(
    pullState.questionsOf(errors.filter((each) => each.build === build)),
  );
  await checkWith(pull, build, [...kept, ...asked]);
}

/** Copies the files that a build references while the cache has them. */
async function copyReferences({ game, options }: Pull, build: string): Promise<void> {
  let done = 'its files are copied to it';
  await vendorGame(game.folder, build, options).catch((error: unknown) => {
    if (!(error instanceof system.CommandError)) throw error;
    done = `its files cannot be copied: ${error.message}`;
  });
  process.stdout.write(`${game.slug}: upstream does not have the commit of ${build} any more; ${done}\n`);
}

/** Tries the new builds. @returns the names of builds without any file of the game */
async function tryNew(pull: Pull, { chosen, older }: Choice): Promise<string[]> {
  const { state, options } = pull;
  const { slug, folder, builds } = pull.game;
  let empty: string[] = [];
  let isChecked = builds.length === 0;
  // A build that a person accepted or took may be released before others that passed meanwhile.
  const late = older.filter(({ build }) => state.find(build)?.overrides ?? state.find(build)?.take);
  for (const each of [...late, ...chosen]) {
    if (pull.signal.aborted) break;
    await state.reread();
    const held = state.find(each.build);
    if (held?.skip) continue;
    // For a build that is held back, the last commit counts: it may be the correction.
    const build = held?.commit === undefined ? each : { ...each, commit: each.newestCommit };
    if (!options.asIs && held?.tried !== undefined && held.tried === (await hashTrial(pull, build))) continue;
    const before = isChecked ? [] : await findErrors(pull);
    if (before.length > 0)
      throw new system.CommandError(
        `the builds in ${folder} have ${countOf(before.length, 'error')}, so new ones wait: run gamedata check ${slug}, and correct them or add overrides`,
      );
    isChecked = !options.asIs;
    const outcome = await tryBuild(pull, build);
    if (outcome === 'empty') empty.push(build.build);
    // If a later build was added, upstream is still active.
    if (outcome === 'added') empty = [];
  }
  return empty;
}

/** Accepts a change that upstream keeps. @returns whether the game has more builds now */
async function acceptDue(pull: Pull): Promise<boolean> {
  const { state, upstream, game } = pull;
  const { accept_after = ACCEPT_AFTER } = game.source;
  const newest = newestSeen(game.builds);
  if (accept_after === false || newest === Number.NEGATIVE_INFINITY) return false;
  for (const due of pullState.findDueBuilds(state, upstream.builds, accept_after, {
    newest,
    now: Date.now(),
  })) {
    const build = upstream.builds.find((each) => each.build === due.build);
    const commit = build?.newestCommit;
    if (pull.signal.aborted || build === undefined || commit !== state.find(due.build)?.commit) continue;
    if ((await tryBuild(pull, { ...build, commit: build.newestCommit }, due)) === 'added') return true;
  }
  return false;
}
