import { constants } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import path from 'node:path';
import { refusal } from '../add/add-build.ts';
import { hashFile } from '../add/plan-addition.ts';
import { replaceFolder, withStaging } from '../add/write-addition.ts';
import { setReferences } from '../add/write-references.ts';
import { type Finding, hasErrors } from '../../findings.ts';
import { CommandError, makeFolder } from '../../system.ts';
import {
  type FoundBuild,
  readBuilds,
  readGameFile,
  type Reference,
  type UpstreamOptions,
} from '../../read/game.ts';
import { removeCopy } from '../../read/files.ts';
import { fetchReferences } from './fetch-references.ts';

/** A build whose references were turned into copies. */
export interface VendoredBuild {
  build: string;
  files: number;
}

/**
 * Copies the files that builds of a game name by reference into the folders of the builds, and removes `from` from their build.json. A build is
 * replaced as a whole, oldest first.
 *
 * @param names the builds; empty for all
 * @param report is called with each build that had references, after it was replaced
 * @throws CommandError if a file cannot be fetched or the definitions have errors; the builds that were reported stay replaced
 */
export async function vendorGame(
  folder: string,
  names: readonly string[],
  options: UpstreamOptions,
  report: (vendored: VendoredBuild) => void,
): Promise<void> {
  // A build that a killed run was replacing is put back before the builds are read.
  await withStaging(folder, async (staging) => {
    for (const chosenBuild of await chooseBuilds(folder, names, options)) {
      const { build, references } = chosenBuild;
      await fetchReferences(references, options);
      await vendorBuild(chosenBuild, path.join(staging, build), staging);
      report({ build, files: references.length });
    }
  });
}

async function chooseBuilds(
  folder: string,
  names: readonly string[],
  { cache }: UpstreamOptions,
): Promise<FoundBuild[]> {
  const findings: Finding[] = [];
  const raw = await readGameFile(folder, findings);
  const builds = await readBuilds(folder, raw, findings, cache);
  if (raw === undefined || hasErrors(findings)) throw await refusal(findings);
  const unknown = names.filter((name) => builds.every(({ build }) => build !== name));
  if (unknown.length > 0) {
    const buildNames = builds.map(({ build }) => build).join(', ') || 'none';
    throw new CommandError(`no build ${unknown.join(', ')} in ${folder}; it has ${buildNames}`, 2);
  }
  return builds.filter(
    ({ build, references }) => references.length > 0 && (names.length === 0 || names.includes(build)),
  );
}

async function vendorBuild(
  { folder, references }: FoundBuild,
  staged: string,
  staging: string,
): Promise<void> {
  await cp(folder, staged, { recursive: true, verbatimSymlinks: true });
  for (const reference of references) await copyOne(reference, staged);
  await setReferences(staged, []);
  await replaceFolder(staged, folder, staging);
}

async function copyOne({ file, cached, sha256 }: Reference, staged: string): Promise<void> {
  if ((await hashFile(cached)) !== sha256)
    throw new CommandError(`${cached} has another content than build.json names: ${removeCopy(cached)}`);
  const target = path.join(staged, file);
  await makeFolder(path.dirname(target));
  await copyFile(cached, target, constants.COPYFILE_EXCL);
}
