import { realpath } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { compareNatural } from '../dist-format.ts';
import { addFindings, type Finding } from '../findings.ts';
import { pointerTo } from '../json-pointer.ts';
import { listFolder } from './list-folder.ts';
import type { BuildSource } from './read-game.ts';

/** What of a build its files depend on. */
type Source = Pick<BuildSource, 'folder' | 'removed'>;

/** Which file stands for a path, by path inside the build's folder: the newest build's that has it. */
export type Overlay = Map<string, string>;

/** The overlay of every pattern by which files are looked for. */
export type Overlays = Map<string, Overlay>;

/**
 * Brings the overlays from one build to the next: less the files that the build says are gone, with those that its folder has.
 *
 * @returns findings about useless removals, about links, and about what lies outside the folder
 */
export async function advanceOverlays(overlays: Overlays, source: Source): Promise<Finding[]> {
  const findings: Finding[] = [];
  const gone = source.removed.map((file) =>
    [...overlays.values()].map((overlay) => overlay.delete(file)).includes(true),
  );
  const links = await findLinks(source, findings);
  for (const [pattern, overlay] of overlays) {
    addFindings(findings, await addFiles(overlay, pattern, source, links));
  }
  addFindings(findings, findUselessRemovals(source, overlays, gone));
  return findings;
}

/**
 * Finds the links in a build's folder. None is followed, and a wildcard would pass over them in silence.
 *
 * @returns their paths inside the folder; what is there and cannot be listed, and each of the links, goes to `findings`
 */
async function findLinks({ folder }: Source, findings: Finding[]): Promise<Set<string>> {
  const entries = await listFolder(folder, findings, { recursive: true });
  const files = entries
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
  for (const file of files.sort(compareNatural)) {
    findings.push({
      check: 'table-files',
      severity: 'error',
      place: { file: path.posix.join(folder, file), pointer: '', line: 1 },
      found: 'a link, which is not followed',
      expected: "files and folders in a build's folder, not links",
      fix: 'put there what it leads to; what the build before has already is inherited',
    });
  }
  return new Set(files);
}

/** Adds a build's own files. A pattern that leads out of the build's folder is a finding, and nothing there is read. */
async function addFiles(
  overlay: Overlay,
  pattern: string,
  { folder }: Source,
  links: ReadonlySet<string>,
): Promise<Finding[]> {
  const root = `${await realpath(folder)}${path.sep}`;
  const files = await fastGlob(pattern, {
    cwd: folder,
    followSymbolicLinks: false,
    ignore: ['build.json'],
    // What cannot be listed is found with the links.
    suppressErrors: true,
  });
  const strays: string[] = [];
  for (const file of files) {
    if (isBelowLink(file, links)) continue;
    const real = await realpath(path.join(folder, file)).catch(() => undefined);
    if (real?.startsWith(root)) overlay.set(file, path.posix.join(folder, file));
    else strays.push(file);
  }
  return strays.sort(compareNatural).map((file) => ({
    check: 'table-files',
    severity: 'error',
    place: { file: path.posix.join(folder, 'build.json'), pointer: '', line: 1 },
    found: `"${file}" by the pattern "${pattern}", which lies outside the build's folder`,
    expected: 'files inside the folder, not reached by ".."',
  }));
}

/** A path without wildcards leads through links all the same. */
function isBelowLink(file: string, links: ReadonlySet<string>): boolean {
  return (
    links.size > 0 && file.split('/').some((_, depth, steps) => links.has(steps.slice(0, depth).join('/')))
  );
}

/** @param gone of each removed file whether an earlier build had it; one that none had is most likely misspelt */
function findUselessRemovals({ folder, removed }: Source, overlays: Overlays, gone: boolean[]): Finding[] {
  return removed.flatMap((file, index): Finding[] => {
    const back = [...overlays.values()].some((overlay) => overlay.has(file));
    if (!back && gone[index]) return [];
    return [
      {
        check: 'removed-files',
        severity: back ? 'error' : 'warning',
        place: { file: path.posix.join(folder, 'build.json'), pointer: pointerTo('/removed', index) },
        found: back ? `"${file}", which the build's own folder has` : `"${file}", which no table had`,
        expected: 'a file of an earlier build that is gone',
      },
    ];
  });
}
