import { copyFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import type { Dump, DumpFile } from './list-files.ts';
import { putInPlace } from './put-in-place.ts';
import { compareNatural } from '../../format/dist-format.ts';
import { cachedFile, type RawReferences, type Reference } from '../../read/game.ts';
import { editJsonFile } from '../../check/recorded.ts';
import { hashFile } from './plan-addition.ts';

/** Where the files of a dump can be fetched at any time. */
export interface DumpOrigin {
  /** The repository, the commit and the path there, by the path in the dump. */
  files: ReadonlyMap<string, Pick<Reference, 'git' | 'commit' | 'path'>>;
  /** The folder for copies of files that builds name by reference. */
  cache: string;
}

/** Names files of a dump by reference. Their copies are put into the cache, so that they are not fetched again. */
export async function makeReferences(
  { folder }: Dump,
  files: readonly DumpFile[],
  { files: origins, cache }: DumpOrigin,
): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const { path: file } of files) {
    const origin = origins.get(file);
    if (origin === undefined) throw new Error(`no origin of ${file}`);
    const full = path.join(folder, file);
    const sha256 = await hashFile(full);
    const cached = cachedFile(cache, sha256, file);
    if (!existsSync(cached)) putInPlace(cached, (temporary) => copyFileSync(full, temporary));
    references.push({ file, sha256, ...origin, cached });
  }
  return references;
}

/** Sets the files that the build.json in a folder names by reference. */
export async function setReferences(folder: string, references: readonly Reference[]): Promise<void> {
  await editJsonFile(path.join(folder, 'build.json'), 'from', describeReferences(references));
}

/** The value of `from` in build.json for references; undefined for none. */
export function describeReferences(
  references: readonly Reference[],
): RawReferences | RawReferences[] | undefined {
  const commits = new Map<string, RawReferences>();
  for (const { file, sha256, git, commit, path: inside } of [...references].sort(byFile)) {
    const entry = commits.get(`${git} ${commit}`) ?? { git, commit, files: {} };
    commits.set(`${git} ${commit}`, entry);
    entry.files[file] = inside === file ? sha256 : { path: inside, sha256 };
  }
  const all = [...commits.values()];
  return all.length > 1 ? all : all[0];
}

function byFile(a: Reference, b: Reference): number {
  return compareNatural(a.file, b.file);
}
