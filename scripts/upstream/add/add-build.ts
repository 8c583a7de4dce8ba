import { rename } from 'node:fs/promises';
import path from 'node:path';
import { type Dump, listDump } from './list-files.ts';
import type { Finding } from '../../findings.ts';
import { compareNatural } from '../../format/dist-format.ts';
import { CommandError, makeFolder } from '../../system.ts';
import { countOf, megabytes } from '../../text.ts';
import type { RawGameDefinition } from '../../read/definition.ts';
import { type FoundBuild, readBuilds, readGameFile } from '../../read/game.ts';
import { editJsonFile } from '../../check/recorded.ts';
import { locateFindings, renderFindings } from '../../check/report.ts';
import { type AddOptions, type Base, chooseBase } from './choose-base.ts';
import { keepNext } from './insert-build.ts';
import { limitsOfSource } from './limits.ts';
import { type Addition, planAddition, type DumpScope } from './plan-addition.ts';
import { findPresentFiles, type PresentFile, type ReadPaths, readPathsOf } from './present-files.ts';
import { findInherited, findReplaced, type Inherited, replaceFiles } from './replace-build.ts';
import { runApart } from './run-apart.ts';
import { type FileRules, fileRulesOf } from './trim.ts';
import type { TrimTask } from './trim-worker.ts';
import { copyFiles, withStaging, writeJson } from './write-addition.ts';
import { describeReferences, makeReferences } from './write-references.ts';

/** The outcome of adding a dump to a new or an existing build. */
export interface AddedBuild extends Base {
  dump: Dump;
  addition: Addition;
  /** The folder of the dump's files: the build's folder, or a sub-folder of it. */
  target: string;
  /** What later builds have from a build that was replaced and is another now; undefined if none was replaced. */
  inherited: Inherited[] | undefined;
}

/**
 * Adds a dump as a build of a game, or in place of that of an existing build. It copies the files that the game reads and that differ from the inherited ones, and lists missing
 * files as removed in `build.json`. The build's folder appears complete, or not at all.
 *
 * @param from the dump's folder
 * @param now ISO 8601 in UTC, to the second
 * @throws CommandError when the build cannot be added; then the game's folder is unchanged
 */
export async function addBuild(
  from: string,
  options: AddOptions,
  scope: DumpScope,
  now: string,
): Promise<AddedBuild> {
  const listed = await listDump(from);
  return await withStaging(options.game, async (staging) => {
    const findings: Finding[] = [];
    const raw = await readGameFile(options.game, findings);
    const builds = await readBuilds(options.game, raw, findings);
    const base = await chooseBase(builds, options, now);
    if (raw === undefined) throw await refusal(findings);
    const paths = readPathsOf(raw);
    const present = findPresentFiles(base.builds, paths);
    findings.push(...present.findings);
    if (findings.some(({ severity }) => severity === 'error')) throw await refusal(findings);

    const rules = fileRulesOf(raw);
    const dump = options.origin
      ? listed
      : await trim(listed, rules, { options, paths, present: present.value, staging });
    const addition = await planAddition(dump, present.value, paths, scope);
    if (addition.leftOut.length === dump.files.length) throw nothingToRead(dump, options);
    if (options.limits && !options.origin) refuseLarge(addition, options.limits);
    const target = path.posix.join(options.game, options.build, scope.into);
    const added = { ...base, dump, addition, target, inherited: undefined };
    if (options.replace && base.existing) {
      const replacement = { game: options.game, existing: base.existing, dump, addition, paths, scope };
      const old = findPresentFiles([...base.builds, base.existing], paths).value;
      const changed = await findReplaced(old, replacement, present.value);
      await replaceFiles(replacement, staging);
      return { ...added, inherited: findInherited(changed, base.later, paths) };
    }
    const [next] = base.later;
    if (next) await keepNext(next, addition, present.value, paths, staging);
    await write(added, options, staging);
    return added;
  });
}

/**
 * Compares a dump of a build that a game has with its files, as they would be stored.
 *
 * @param place the builds until this one, and whether its files are trimmed
 */
export async function compareDump(
  from: string,
  place: { game: string; raw: RawGameDefinition; builds: FoundBuild[]; isTrimmed: boolean },
  scope: DumpScope,
): Promise<Addition> {
  const { game, raw, builds, isTrimmed } = place;
  const paths = readPathsOf(raw);
  const present = findPresentFiles(builds, paths).value;
  const listed = await listDump(from);
  return await withStaging(game, async (staging) => {
    const parts = { options: { into: scope.into }, paths, present, staging };
    return await planAddition(
      isTrimmed ? await trim(listed, fileRulesOf(raw), parts) : listed,
      present,
      paths,
      scope,
    );
  });
}

/** Trims a dump by the rules of its game, in another process. */
async function trim(
  dump: Dump,
  rules: FileRules,
  { options, paths, present, staging }: TrimPlace,
): Promise<Dump> {
  if (rules.trim === undefined) return dump;
  const { into } = options;
  const targets = dump.files.map((file) => path.posix.join(into, file.path));
  const task: TrimTask = {
    ...{ dump, rules: rules.trim, into, present: [...present], maxBytes: limitsOfSource(rules).read },
    read: [...targets, ...present.keys()].filter(paths.isRead),
    folder: path.join(staging, 'trimmed'),
  };
  const worker = new URL('./trim-worker.js', import.meta.url);
  return await runApart<Dump>(worker, task, `the files of ${dump.folder} cannot be trimmed`);
}

interface TrimPlace {
  options: Pick<AddOptions, 'into'>;
  paths: ReadPaths;
  present: ReadonlyMap<string, PresentFile>;
  staging: string;
}

async function write(
  { existing, released_at, dump, addition, target }: AddedBuild,
  options: AddOptions,
  staging: string,
) {
  const files = [...addition.added, ...addition.changed];
  const staged = path.join(staging, 'build');
  if (existing) {
    await copyFiles(dump.folder, files, staged);
    // Write the list of removed files first: if the next step fails, adding the dump again completes the build.
    const stored = new Set(files.map((file) => path.posix.join(options.into, file.path)));
    const removed = [...new Set([...existing.removed, ...addition.removed])].filter(
      (file) => !stored.has(file),
    );
    if (removed.length !== existing.removed.length || addition.removed.length > 0)
      await editJsonFile(
        path.posix.join(existing.folder, 'build.json'),
        'removed',
        removed.length > 0 ? removed.sort(compareNatural) : undefined,
      );
    if (files.length === 0) return;
    await makeFolder(path.dirname(target));
    await rename(staged, target);
    return;
  }
  const { origin } = options;
  const references = origin && (await makeReferences(dump, files, origin));
  await copyFiles(dump.folder, references ? [] : files, path.join(staged, options.into));
  await writeJson(path.join(staged, 'build.json'), {
    $schema: '../../build.schema.json',
    released_at,
    ...(options.note !== undefined && { note: options.note }),
    ...(options.package && { package: options.package }),
    ...(references && references.length > 0 && { from: describeReferences(references) }),
    ...(addition.removed.length > 0 && { removed: addition.removed }),
  });
  await rename(staged, path.join(options.game, options.build));
}

/** A build has more files, or larger ones, than may be copied to its folder. */
export class LargeBuild extends CommandError {
  override name = 'LargeBuild';
}

function refuseLarge({ added, changed }: Addition, limits: { file: number; build: number }): void {
  const files = [...added, ...changed];
  const large = files.find(({ bytes }) => bytes > limits.file);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (large)
    throw new LargeBuild(
      `${large.path} has ${megabytes(large.bytes)}, and at most ${megabytes(limits.file)} a file are copied`,
    );
  if (bytes > limits.build)
    throw new LargeBuild(
      `its new files have ${megabytes(bytes)}, and at most ${megabytes(limits.build)} a build are copied`,
    );
}

/** Makes the error that shows why a game's definitions cannot be used. */
export async function refusal(findings: Finding[]): Promise<CommandError> {
  const errors = (await locateFindings(findings)).filter(({ severity }) => severity === 'error');
  return new CommandError(
    `${countOf(errors.length, 'error')} to correct first; nothing was added\n\n${renderFindings(errors)}`,
  );
}

function nothingToRead({ folder, files }: Dump, { game, into }: AddOptions): CommandError {
  const first = files[0] && path.posix.join(into, files[0].path);
  return new CommandError(
    first === undefined
      ? `no file in ${folder}; nothing was added`
      : `none of the ${countOf(files.length, 'file')} in ${folder} (such as ${first}) is in a table of ${game}/game.json: declare them there, or pass the sub-folder that they replace with --into; nothing was added`,
  );
}
