import path from 'node:path';
import type { Renames } from '../../format/dist-format.ts';
import { makeFolder, replaceFile } from '../../system.ts';
import type { BuildDefinition } from '../../read/definition.ts';
import { RENAMED_FOLDER } from '../../read/game.ts';
import { editJsonFile } from '../../check/recorded.ts';

/**
 * Records that records of a build have other ids: in a file of the folder `renamed`, which its build.json names from then on. What the build has as
 * `renamed` already is kept.
 *
 * @param folder the game's folder
 * @param build the name of the build, and what it has as `renamed` now
 * @returns the path of the file
 */
export async function recordRenamed(
  folder: string,
  { build, renamed: known, renamedAt }: { build: string } & Pick<BuildDefinition, 'renamed' | 'renamedAt'>,
  renames: Renames,
): Promise<string> {
  const buildFile = path.posix.join(folder, build, 'build.json');
  const isInFile = renamedAt.file !== buildFile;
  const file = isInFile ? renamedAt.file : path.posix.join(folder, RENAMED_FOLDER, `${build}.json`);
  const collections = [...new Set([...Object.keys(known), ...Object.keys(renames)])];
  const all = collections.map((collection) => [collection, { ...known[collection], ...renames[collection] }]);
  await makeFolder(path.dirname(file));
  await replaceFile(file, Buffer.from(`${JSON.stringify(Object.fromEntries(all), null, 1)}\n`));
  if (!isInFile) await editJsonFile(buildFile, 'renamed', `${RENAMED_FOLDER}/${build}.json`);
  return file;
}
