import { hash, randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { editJsonFile } from '../../check/recorded.ts';
import { locateFindings, renderFindings } from '../../check/report.ts';
import { withLock } from '../../dist/lock.ts';
import { type Finding, hasErrors } from '../../findings.ts';
import { compareNatural } from '../../format/dist-format.ts';
import { cachedFile, type FoundBuild, type Reference, readBuilds, readGameFile } from '../../read/game.ts';
import type { PackageOrigin, RawGameDefinition, RawReferences } from '../../read/game-schema.ts';
import { CommandError, isAbsent, makeFolder } from '../../system.ts';
import { countOf, groupBy, megabytes } from '../../text.ts';
import { limitsOfSource, sourceOf } from '../source.ts';
import * as dumps from './files.ts';
import { runApart } from './trim.ts';

/** Where the files of a dump can be downloaded at any time, by the path in the dump. */
export type Origins = ReadonlyMap<string, Pick<Reference, 'git' | 'commit' | 'path'>>;

/** Where to add a dump, and what is known about the build. */
export interface AddOptions extends dumps.DumpScope {
  /** The game's folder. */
  game: string;
  build: string;
  /** ISO 8601 in UTC; undefined if not given. */
  released_at?: string | undefined;
  note?: string | undefined;
  /** The release time of a build without one: ISO 8601 in UTC, to the second. */
  now: string;
  /** Whether the dump replaces that of an existing build. */
  replace?: boolean;
  /** Whether a new build is only tried: it is marked so, and may be released before others, which keep their files. */
  isTrial?: boolean;
  /** The maximum size of a file, and of all files together, that are copied to a new build. */
  limits?: { file: number; build: number };
  /** The origin of a new build's dump, and the folder for copies, if its files are referenced instead of copied. */
  origin?: { files: Origins; cache: string } | undefined;
  /** The package that a new build is made from. */
  package?: PackageOrigin | undefined;
}

/** The result of adding a dump to a new or existing build. `target` is the folder for its files: the build's folder, or a sub-folder of it. */
export type AddedBuild = Awaited<ReturnType<typeof planDump>> &
  Awaited<ReturnType<typeof chooseBase>> & { target: string };

/**
 * Adds a dump as a build of a game, or in place of the dump of an existing build. It copies the files that the game reads and that differ from the
 * inherited ones, and lists missing files as removed in `build.json`. The build's folder appears complete, or not at all.
 *
 * @throws CommandError if the build cannot be added; then the game's folder is unchanged
 */
export async function addBuild(from: string, options: AddOptions): Promise<AddedBuild> {
  const { game, into, origin, limits } = options;
  return await withStaging(game, async (staging) => {
    const { raw, builds } = await readOrRefuse(game);
    // It may be removed again, with what this one would inherit from it.
    for (const { build, folder } of options.isTrial ? [] : builds)
      if (build !== options.build && !(await isAbsent(path.join(folder, TRIAL_FILE))))
        throw new CommandError(
          `${build} is being tried by gamedata pull: wait until it ends, or run gamedata pull, which removes it; nothing was added`,
        );
    const base = await chooseBase(builds, options);
    const planned = await planDump(from, { raw, builds: base.builds }, options, staging, !origin);
    const { dump, addition, findings } = planned;
    if (hasErrors(findings)) throw await refusal(findings);
    if (dump.files.length === 0)
      throw new CommandError(
        `${from} has no files, or only links, which are not followed; nothing was added`,
      );
    if (addition.leftOut.length === dump.files.length)
      throw new CommandError(
        `none of ${dumps.listFew(addition.leftOut)} in ${from} is in a table of ${game}/game.json: declare them there, or pass the sub-folder that they replace with --into; nothing was added`,
      );
    if (limits && !origin) refuseLarge(addition, limits);
    const added = { ...base, ...planned, target: path.posix.join(game, options.build, into) };
    const [next] = base.later;
    await store(added, options, staging);
    // Not before: if this process is killed, the mark of the trial says that it has to be reverted.
    if (next && !base.existing) await keepNext(next, added, staging);
    return added;
  });
}

/** Lists a dump, trims it if it is to be stored so, and compares it with the files of builds. */
async function planDump(
  from: string,
  { raw, builds }: { raw: RawGameDefinition; builds: FoundBuild[] },
  scope: dumps.DumpScope,
  staging: string,
  isTrimmed: boolean,
) {
  const paths = dumps.readPathsOf(raw);
  const { value: present, findings } = dumps.findPresentFiles(builds, paths);
  let dump = await dumps.listDump(from);
  const [source, { into }] = [sourceOf(raw), scope];
  if (isTrimmed && source?.trim) {
    const targets = dump.files.map((file) => path.posix.join(into, file.path));
    const read = [...targets, ...present.keys()].filter(paths.isRead);
    const [maxBytes, folder] = [limitsOfSource(source).read, path.join(staging, 'trimmed')];
    const task = { dump, rules: source.trim, into, present: [...present], read, maxBytes, folder };
    dump = await runApart(task, `the files of ${dump.folder} cannot be trimmed`);
  }
  return { dump, addition: await dumps.planAddition(dump, present, paths, scope), paths, present, findings };
}

/** Compares a dump of an existing build with the build's files, in the form in which they would be stored. @param builds up to this one */
export async function compareDump(
  from: string,
  game: { game: string; raw: RawGameDefinition; builds: FoundBuild[]; isTrimmed: boolean },
  scope: dumps.DumpScope,
): Promise<dumps.Addition> {
  return await withStaging(game.game, async (staging) => {
    const { dump, addition, present } = await planDump(from, game, scope, staging, game.isTrimmed);
    const readLines = async (file = '') =>
      (await readFile(file, 'utf8').catch(() => undefined))?.replaceAll('\r\n', '\n');
    const changed: dumps.DumpFile[] = [];
    for (const file of addition.changed) {
      const now = await readLines(path.join(dump.folder, file.path));
      const then = await readLines(present.get(path.posix.join(scope.into, file.path))?.path);
      if (now === undefined || now !== then) changed.push(file);
    }
    return { ...addition, changed };
  });
}

/** Reads a game and its builds, oldest first. @throws CommandError with the errors in its definitions */
export async function readOrRefuse(folder: string, cache?: string) {
  const findings: Finding[] = [];
  const raw = await readGameFile(folder, findings);
  const builds = await readBuilds(folder, raw, findings, cache);
  if (raw === undefined || hasErrors(findings)) throw await refusal(findings);
  return { raw, builds };
}

async function refusal(findings: Finding[]): Promise<CommandError> {
  const errors = (await locateFindings(findings)).filter(({ severity }) => severity === 'error');
  return new CommandError(
    `${countOf(errors.length, 'error')} to correct first; nothing was added\n\n${renderFindings(errors)}`,
  );
}

/**
 * Chooses the build for a dump. Builds inherit from earlier ones, so a build in the middle changes later ones.
 *
 * @returns the builds whose files are present, and those after a replaced or inserted one, oldest first; `existing` is undefined for a new build
 */
async function chooseBase(
  builds: FoundBuild[],
  { game, build, into, released_at, note, now, replace, isTrial }: AddOptions,
) {
  const newest = builds.at(-1);
  const existing = builds.find((each) => each.build === build);
  const folder = path.posix.join(game, build);
  const refuse = (problem: string, exitCode?: number) => {
    throw new CommandError(problem, exitCode);
  };
  if (existing) {
    const isNamed = existing.references.some(({ file }) => file.startsWith(`${into}/`));
    if ((released_at ?? note) !== undefined)
      refuse(`${folder}/build.json stays as it is: leave out --released-at and --note, and edit it there`, 2);
    if (!replace && (into === '' || isNamed || !(await isAbsent(path.join(folder, into)))))
      refuse(
        `${path.posix.join(folder, into)} already exists: choose another name, add the dump of another region with --into <sub-folder>, or add this one anew with --replace`,
      );
    if (!replace && existing !== newest)
      refuse(
        `${build} is not the newest build, which is ${newest?.build}: later builds inherit from it; to take its dump anew, pass --replace`,
      );
  } else if (replace) {
    const names = builds.map((each) => each.build).join(', ') || 'none';
    refuse(`no build ${build} in ${game} to replace; it has ${names}`, 2);
  } else if (!(await isAbsent(folder)))
    refuse(`${folder} exists and is not a build: remove it, or choose another name`);
  const at = existing?.released_at ?? released_at ?? now;
  const isBefore = (each: FoundBuild) => Date.parse(each.released_at) < Date.parse(at);
  const before = existing ? builds.indexOf(existing) : builds.filter(isBefore).length;
  if (!existing && before < builds.length && !isTrial)
    refuse(
      `${at} is not after ${newest?.released_at}, the release of ${newest?.build}: later builds inherit from earlier ones, so builds are added oldest first; pass a later --released-at, or create the build by hand`,
    );
  const later = builds.slice(existing ? before + 1 : before);
  return { builds: builds.slice(0, before), later, existing, released_at: at };
}

/** Stores a new build, or replaces the dump of a build or of a region. A maintainer's files stay: build.json, and files that no table names. */
async function store(added: AddedBuild, options: AddOptions, staging: string): Promise<void> {
  const { released_at, dump, addition, existing, paths } = added;
  const { game, build, into, note, origin, partial } = options;
  const staged = path.join(staging, 'build');
  const files = [...addition.added, ...addition.changed];
  if (!existing) {
    const references = origin && (await makeReferences(dump, files, origin));
    await copyFiles(dump.folder, references ? [] : files, path.join(staged, into));
    const definition = {
      $schema: '../../build.schema.json',
      released_at,
      note,
      package: options.package,
      from: references && describeReferences(references),
      removed: addition.removed.length > 0 ? addition.removed : undefined,
    };
    await writeFile(path.join(staged, 'build.json'), `${JSON.stringify(definition, null, 2)}\n`);
    if (options.isTrial) await writeFile(path.join(staged, TRIAL_FILE), '');
    await rename(staged, path.join(game, build));
    return;
  }
  const ofDump = new Set(dump.files.map((file) => path.posix.join(into, file.path)));
  const isOutside = (file: string) => partial || (into !== '' && !file.startsWith(`${into}/`));
  const stays = (file: string) => !ofDump.has(file) && (isOutside(file) || !paths.comesWithDump(file));
  await cp(existing.folder, staged, { recursive: true, verbatimSymlinks: true });
  await rm(path.join(staged, TRIAL_FILE), { force: true });
  const references = existing.references.filter(({ file }) => stays(file));
  const named = new Set(existing.references.map(({ file }) => file));
  for (const file of dumps.findOwnFiles(existing, paths))
    if (!named.has(file) && !stays(file)) await rm(path.join(staged, file));
  if (references.length < existing.references.length) await setReferences(staged, references);
  await copyFiles(dump.folder, files, path.join(staged, into));
  const stored = new Set(files.map((file) => path.posix.join(into, file.path)));
  const removed = [...existing.removed.filter(stays), ...addition.removed];
  const missing = removed.filter((file) => !stored.has(file));
  await setRemoved(existing, missing, staged);
  await replaceFolder(staged, path.join(game, build), staging);
}

/**
 * Makes the build after a new one independent of it: it receives copies of inherited files that the new build changes or removes (references, if they
 * are referenced), and lists as removed what the new build adds. So it and later builds keep their files.
 */
async function keepNext(
  next: FoundBuild,
  { addition: { added, changed, removed }, paths, present }: AddedBuild,
  staging: string,
): Promise<void> {
  const files = new Set([...dumps.findOwnFiles(next, paths), ...next.removed]);
  const references = [...next.references];
  for (const file of [...changed.map((each) => each.path), ...removed]) {
    const known = present.get(file);
    if (known === undefined || files.has(file)) continue;
    if (known.reference) {
      references.push(known.reference);
      continue;
    }
    const target = path.join(next.folder, file);
    const staged = path.join(staging, 'kept');
    await copyFile(known.path, staged);
    await makeFolder(path.dirname(target));
    await rename(staged, target);
  }
  if (references.length > next.references.length) await setReferences(next.folder, references);
  const more = added.map((each) => each.path).filter((file) => !files.has(file));
  await setRemoved(next, [...next.removed, ...more]);
}

/** Removes a build that was only tried, and restores the builds after it. */
export async function removeTrial(game: string, build: string): Promise<void> {
  if (await isAbsent(path.join(game, build, TRIAL_FILE))) return;
  const raw = await readGameFile(game, []);
  const builds = raw ? await readBuilds(game, raw, []) : [];
  const others = builds.filter((each) => each.build !== build);
  const paths = raw && dumps.readPathsOf(raw);
  // Reverts the removals of `keepNext`; its copies may stay. While the build and its mark are there, the next round repeats this.
  for (const [index, each] of others.entries()) {
    if (paths === undefined || each.removed.length === 0) continue;
    const present = dumps.findPresentFiles(others.slice(0, index), paths).value;
    await setRemoved(
      each,
      each.removed.filter((file) => present.has(file)),
    );
  }
  await withStaging(game, (staging) => rename(path.join(game, build), path.join(staging, build)));
}

async function setRemoved({ folder, removed: before }: FoundBuild, files: readonly string[], at = folder) {
  const removed = [...new Set(files)].sort(compareNatural);
  if (removed.join('\n') === [...before].sort(compareNatural).join('\n')) return;
  await editJsonFile(path.join(at, 'build.json'), 'removed', removed.length > 0 ? removed : undefined);
}

function refuseLarge({ added, changed }: dumps.Addition, limits: { file: number; build: number }): void {
  const files = [...added, ...changed];
  const large = files.find(({ bytes }) => bytes > limits.file);
  const bytes = large?.bytes ?? files.reduce((sum, file) => sum + file.bytes, 0);
  const [most, each] = large ? [limits.file, 'file'] : [limits.build, 'build'];
  if (bytes <= most) return;
  const found = `${large ? `${large.path} has` : 'its new files have'} ${megabytes(bytes)}`;
  throw new CommandError(`${found}, and at most ${megabytes(most)} a ${each} are copied`, 1, 'large');
}

/** In the folder of a build that a pull only tries. Without it, the build is a person's, and no pull removes it. */
export const TRIAL_FILE = '.trying';

/** The folder of an incomplete build, hidden so that it does not count as a build, and its lock. */
const STAGING = '.adding';
const LOCK = '.adding.lock';
/** In that folder, a build that is being replaced: it is restored if the run is killed. */
const REPLACED = 'replaced';

/**
 * Calls `use` with a new folder inside the game's folder, and removes it afterwards. The leftovers of a killed run are removed first.
 *
 * @throws CommandError while another process adds a build to the game
 */
export async function withStaging<T>(game: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = path.posix.join(game, STAGING);
  const clear = async () => {
    const replaced = path.join(folder, REPLACED);
    // Otherwise, the replacement is already in place.
    for (const build of await readdir(replaced).catch(() => []))
      if (await isAbsent(path.join(game, build)))
        await rename(path.join(replaced, build), path.join(game, build));
    await rm(folder, { recursive: true, force: true });
  };
  const stage = async () => {
    await clear();
    await mkdir(folder);
    return await use(folder).finally(clear);
  };
  const refuse = () =>
    new CommandError(`another gamedata is adding a build to ${game}; wait until it ends, and run it again`);
  return await withLock(path.posix.join(game, LOCK), stage, refuse);
}

/** Replaces a build's folder by a staged one. */
export async function replaceFolder(staged: string, target: string, staging: string): Promise<void> {
  const replaced = path.join(staging, REPLACED);
  await makeFolder(replaced);
  await rename(target, path.join(replaced, path.basename(target)));
  await rename(staged, target);
}

async function copyFiles(dump: string, files: readonly dumps.DumpFile[], folder: string): Promise<void> {
  await makeFolder(folder);
  for (const { path: file } of files) {
    const target = path.join(folder, file);
    await makeFolder(path.dirname(target));
    // `copyFile` would copy the permissions too: copies from a read-only dump would be read-only.
    await writeFile(target, createReadStream(path.join(dump, file)), { flag: 'wx' });
  }
}

/** References files of a dump. Their copies are added to the cache, so that they are not downloaded again. */
async function makeReferences(
  { folder }: dumps.Dump,
  files: readonly dumps.DumpFile[],
  { files: origins, cache }: { files: Origins; cache: string },
): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const { path: file } of files) {
    const origin = origins.get(file);
    if (origin === undefined) throw new Error(`no origin of ${file}`);
    const content = await readFile(path.join(folder, file));
    const sha256 = hash('sha256', content);
    const cached = cachedFile(cache, sha256, file);
    putInPlace(cached, content);
    references.push({ file, sha256, ...origin, cached });
  }
  return references;
}

/** Writes a file that appears complete, and creates its folders. It is not synced: for copies that are checked when they are read. */
export function putInPlace(target: string, content: Buffer): void {
  const temporary = `${target}.${randomBytes(8).toString('hex')}.tmp`;
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(temporary, content);
  renameSync(temporary, target);
}

/** Sets the files that the build.json in a folder references. */
export async function setReferences(folder: string, references: readonly Reference[]): Promise<void> {
  await editJsonFile(path.join(folder, 'build.json'), 'from', describeReferences(references));
}

/** The value of `from` in build.json; undefined for no references. */
function describeReferences(references: readonly Reference[]): RawReferences | RawReferences[] | undefined {
  const sorted = [...references].sort((a, b) => compareNatural(a.file, b.file));
  const all = groupBy(sorted, ({ git, commit }) => `${git} ${commit}`).map((group): RawReferences => {
    const files = group.map(({ file, sha256, path: inside }): [string, RawReferences['files'][string]] => [
      file,
      inside === file ? sha256 : { path: inside, sha256 },
    ]);
    return { git: group[0].git, commit: group[0].commit, files: Object.fromEntries(files) };
  });
  return all.length > 1 ? all : all[0];
}
