import { copyFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { compareNatural } from '../../format/dist-format.ts';
import type { FoundBuild } from '../../read/game.ts';
import { editJsonFile } from '../../check/recorded.ts';
import type { Addition } from './plan-addition.ts';
import { findPresentFiles, type PresentFile, type ReadPaths } from './present-files.ts';
import { setReferences } from './write-references.ts';
import { makeFolder } from '../../system.ts';

/**
 * Makes the build after a new one independent of it: it gets copies of the files that it inherits and that the new one changes or removes (of
 * those named by reference, the references), and lists as removed what the new one adds. So it and the builds after it have the same files as before.
 *
 * @param present the files that the new build inherits, by path inside a build's folder
 * @param staging a folder on the same disk
 */
export async function keepNext(
  next: FoundBuild,
  { added, changed, removed }: Addition,
  present: ReadonlyMap<string, PresentFile>,
  paths: ReadPaths,
  staging: string,
): Promise<void> {
  const files = new Set([
    ...findPresentFiles([{ ...next, removed: [] }], paths).value.keys(),
    ...next.removed,
  ]);
  const references = [...next.references];
  for (const file of [...changed.map((each) => each.path), ...removed]) {
    const presentFile = present.get(file);
    if (presentFile === undefined || files.has(file)) continue;
    if (presentFile.reference) {
      references.push(presentFile.reference);
      continue;
    }
    const target = path.join(next.folder, file);
    const staged = path.join(staging, 'kept');
    await copyFile(presentFile.path, staged);
    await makeFolder(path.dirname(target));
    await rename(staged, target);
  }
  if (references.length > next.references.length) await setReferences(next.folder, references);
  const more = added.map((each) => each.path).filter((file) => !files.has(file));
  if (more.length > 0) await setRemoved(next, [...next.removed, ...more]);
}

/** Takes back what `keepNext` listed as removed, after the new build was taken out again; copies may stay, as they have the inherited content. */
export async function forgetNeedlessRemoved(builds: readonly FoundBuild[], paths: ReadPaths): Promise<void> {
  for (const [index, build] of builds.entries()) {
    if (build.removed.length === 0) continue;
    const present = findPresentFiles(builds.slice(0, index), paths).value;
    const needed = build.removed.filter((file) => present.has(file));
    if (needed.length < build.removed.length) await setRemoved(build, needed);
  }
}

async function setRemoved({ folder }: FoundBuild, removed: readonly string[]): Promise<void> {
  const sorted = [...removed].sort(compareNatural);
  await editJsonFile(
    path.posix.join(folder, 'build.json'),
    'removed',
    sorted.length > 0 ? sorted : undefined,
  );
}
