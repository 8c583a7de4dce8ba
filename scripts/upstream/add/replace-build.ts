import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Dump } from './list-files.ts';
import { compareNatural } from '../../format/dist-format.ts';
import type { FoundBuild } from '../../read/game.ts';
import { editJsonFile } from '../../check/recorded.ts';
import { type Addition, type DumpScope, hasContentOf } from './plan-addition.ts';
import { findPresentFiles, type PresentFile, type ReadPaths } from './present-files.ts';
import { copyFiles, replaceFolder } from './write-addition.ts';
import { setReferences } from './write-references.ts';

/** Files that are other ones since a build was replaced, and the later builds that have them from it. */
export interface Inherited {
  builds: string[];
  /** Paths inside a build's folder; also of files that are gone. */
  files: string[];
}

/** A dump that takes the place of the one that an existing build was made of. */
export interface Replacement {
  /** The game's folder. */
  game: string;
  existing: FoundBuild;
  dump: Dump;
  addition: Addition;
  paths: ReadPaths;
  scope: DumpScope;
}

/**
 * Replaces what a build has of its dump. What a maintainer wrote stays: build.json with its acknowledgements, and files that no table names.
 *
 * @param staging a folder on the same disk
 */
export async function replaceFiles(replacement: Replacement, staging: string): Promise<void> {
  const { game, existing, dump, addition, paths, scope } = replacement;
  const staged = path.join(staging, 'build');
  await cp(existing.folder, staged, { recursive: true, verbatimSymlinks: true });
  const ofDump = new Set(dump.files.map((file) => path.posix.join(scope.into, file.path)));
  const stays = (file: string) =>
    !ofDump.has(file) && (scope.partial || !isInside(file, scope) || !paths.comesWithDump(file));
  const references = existing.references.filter(({ file }) => stays(file));
  const named = new Set(existing.references.map(({ file }) => file));
  for (const file of findOwnFiles(existing, paths))
    if (!named.has(file) && !stays(file)) await rm(path.join(staged, file));
  if (references.length < existing.references.length) await setReferences(staged, references);
  const files = [...addition.added, ...addition.changed];
  await copyFiles(dump.folder, files, path.join(staged, scope.into));
  const stored = new Set(files.map((file) => path.posix.join(scope.into, file.path)));
  const removed = [...new Set([...existing.removed.filter(stays), ...addition.removed])]
    .filter((file) => !stored.has(file))
    .sort(compareNatural);
  if (removed.join('\n') !== existing.removed.join('\n'))
    await editJsonFile(path.join(staged, 'build.json'), 'removed', removed.length > 0 ? removed : undefined);
  await replaceFolder(staged, path.join(game, existing.build), staging);
}

/** A build's own files that the game reads, by path inside its folder; also those that it names by reference. */
function findOwnFiles(build: FoundBuild, paths: ReadPaths): string[] {
  const files = findPresentFiles([{ ...build, removed: [] }], paths).value;
  return [...files.keys()];
}

function isInside(file: string, { into }: DumpScope): boolean {
  return into === '' || file.startsWith(`${into}/`);
}

/**
 * Finds what the builds after a replaced one have from it, and did not have before.
 *
 * @param changed the files that are other ones in the replaced build, by path inside its folder
 * @param later the builds after it, oldest first
 */
export function findInherited(
  changed: readonly string[],
  later: readonly FoundBuild[],
  paths: ReadPaths,
): Inherited[] {
  const inherited = new Map<string, Inherited>();
  const builds = new Map<string, string[]>(changed.map((file) => [file, []]));
  let open = [...changed];
  for (const build of later) {
    const ownFiles = new Set([...findOwnFiles(build, paths), ...build.removed]);
    open = open.filter((file) => !ownFiles.has(file));
    for (const file of open) builds.get(file)?.push(build.build);
  }
  for (const [file, names] of builds) {
    if (names.length === 0) continue;
    const key = names.join('\n');
    const entry = inherited.get(key) ?? { builds: names, files: [] };
    entry.files.push(file);
    inherited.set(key, entry);
  }
  return [...inherited.values()];
}

/**
 * Finds the files that a build has since it is replaced, and had not before, or with other bytes; and those that it has no more.
 *
 * @param before what it had, by path inside a build's folder
 * @param inherited what it has from the builds before it
 */
export async function findReplaced(
  before: ReadonlyMap<string, PresentFile>,
  { dump, addition, scope }: Pick<Replacement, 'dump' | 'addition' | 'scope'>,
  inherited: ReadonlyMap<string, PresentFile>,
): Promise<string[]> {
  const changed: string[] = [];
  const gone = new Set(addition.removed);
  for (const file of dump.files) {
    const target = path.posix.join(scope.into, file.path);
    const fileBefore = before.get(target);
    if (addition.leftOut.includes(file.path)) continue;
    if (fileBefore === undefined || !(await hasContentOf(path.join(dump.folder, file.path), fileBefore)))
      changed.push(target);
  }
  const ofDump = new Set(dump.files.map((file) => path.posix.join(scope.into, file.path)));
  for (const file of before.keys())
    if (
      !ofDump.has(file) &&
      !scope.partial &&
      isInside(file, scope) &&
      (gone.has(file) || !inherited.has(file))
    )
      changed.push(file);
  return changed.sort(compareNatural);
}
