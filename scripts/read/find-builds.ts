import { type Dirent, lstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import { errorOf } from '../lib/system-error.ts';
import { AMENDMENTS_FOLDER } from './game/amendments.ts';
import { RENAMED_FOLDER } from './game/read-renamed.ts';
import { listFolder } from './list-folder.ts';

/** The folders in a game's folder that hold no build, and that game.json does not name. */
const OWN_FOLDERS: readonly string[] = [AMENDMENTS_FOLDER, RENAMED_FOLDER];

/**
 * Finds the builds in a game's folder: the folders with a build.json. Other folders, and links to folders, are findings.
 *
 * @param names folders that are not builds, because game.json names files in them; undefined if it cannot be read, so that any folder
 *   without a build.json may be one of them
 * @returns their names, in order
 */
export async function findBuilds(
  folder: string,
  names: ReadonlySet<string | undefined> | undefined,
  findings: Finding[],
): Promise<string[]> {
  const builds: string[] = [];
  const entries = listFolder(folder, findings);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (names?.has(entry.name)) continue;
    const problem = await findProblem(folder, entry, names === undefined);
    if (problem === 'none') builds.push(entry.name);
    else if (problem && !OWN_FOLDERS.includes(entry.name)) {
      findings.push({
        check: 'build-definition',
        place: { file: path.posix.join(folder, entry.name), pointer: '', line: 1 },
        ...problem,
      });
    }
  }
  return builds;
}

/** Returns 'none' for a build, what is wrong with a folder that is not one, and undefined for entries to ignore. */
async function findProblem(
  folder: string,
  entry: Dirent,
  mayHoldFiles: boolean,
): Promise<'none' | Pick<Finding, 'severity' | 'found' | 'expected' | 'fix'> | undefined> {
  const file = path.join(folder, entry.name);
  if (entry.isSymbolicLink()) {
    const target = await stat(file).catch(() => undefined);
    if (target && !target.isDirectory()) return undefined;
    return {
      severity: 'error',
      found: target ? 'a link to a folder' : 'a broken link',
      expected: "folders in a game's folder, not links",
      fix: 'replace the link with the folder itself; a build needs only the files that differ from the build before it',
    };
  }
  if (!entry.isDirectory()) return undefined;
  const hidden = entry.name.startsWith('.');
  const defined = mayHaveDefinition(file, hidden);
  if (defined && !hidden) return 'none';
  if (!defined && (hidden || mayHoldFiles)) return undefined;
  return {
    severity: 'warning',
    found: hidden
      ? 'a hidden folder with a build.json, which is ignored'
      : 'a folder without a build.json, which is ignored',
    expected: hidden ? 'a name that does not start with "."' : 'a build.json in the folder of every build',
  };
}

/** Returns whether a build.json exists. An unreadable folder counts as having one unless it is hidden: reading it reports the error. */
function mayHaveDefinition(folder: string, hidden: boolean): boolean {
  try {
    lstatSync(path.join(folder, 'build.json'));
    return true;
  } catch (error) {
    return !hidden && errorOf(error).code !== 'ENOENT';
  }
}
