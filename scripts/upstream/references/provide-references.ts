import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../findings.ts';
import { CommandError, orCommandError } from '../../system.ts';
import { CORRECTIONS_FILE, type FoundBuild, type UpstreamOptions } from '../../read/game.ts';
import { findNeeded, type SomeBuilds } from './needed-references.ts';

/**
 * Fetches the files that builds of a game name by reference and that the cache lacks. Faults in the definitions are left to those who read the
 * game.
 *
 * @param only undefined for all builds; if the game has corrections, all are needed in any case
 * @returns why they cannot be fetched
 */
export async function provideReferences(
  folder: string,
  options: UpstreamOptions,
  only?: SomeBuilds,
): Promise<Finding[]> {
  if (!mayHaveReferences(folder)) return [];
  // Loaded here, because most games need none of it.
  const { readBuilds, readGameFile } = await import('../../read/game.ts');
  const raw = await readGameFile(folder, []);
  const builds = raw ? await readBuilds(folder, raw, [], options.cache) : [];
  // Whether a correction still holds can depend on all builds before, which are compiled then.
  const needed = findNeeded(builds, existsSync(path.join(folder, CORRECTIONS_FILE)) ? undefined : only);
  const missing = needed.filter(({ cached }) => !existsSync(cached));
  if (missing.length === 0) return [];
  try {
    const { fetchReferences } = await import('./fetch-references.ts');
    const work = fetchReferences(missing, options);
    await orCommandError(work, (reason) => `${options.cache} cannot be written: ${reason}`);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [notFetched(builds, error.message)];
  }
}

/** Longer ones are not searched: they are written by hand or by a pull. */
const MAX_BUILD_FILE_BYTES = 64 * 1024 * 1024;

/** Returns whether the build.json of a build contains the word `from`. That is found faster than the definitions are read. */
function mayHaveReferences(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true }).some(
      (entry) => entry.isDirectory() && hasWord(path.join(folder, entry.name, 'build.json')),
    );
  } catch {
    return false;
  }
}

function hasWord(file: string): boolean {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  return (
    facts?.isFile() === true && facts.size <= MAX_BUILD_FILE_BYTES && readFileSync(file).includes('"from"')
  );
}

function notFetched(builds: readonly FoundBuild[], reason: string): Finding {
  const folder = builds.find(({ references }) => references.length > 0)?.folder ?? '';
  return {
    check: 'upstream-file',
    severity: 'error',
    place: { file: path.posix.join(folder, 'build.json'), pointer: '/from' },
    found: `files that builds name by reference and that cannot be fetched: ${reason}`,
    expected: 'the files in the cache, or in a repository that can be reached',
    fix: 'run it again when the repository can be reached; if it is gone, run gamedata vendor where the cache still has the files, or add the dumps again (gamedata add --replace)',
  };
}
