import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { compareNatural } from '../dist-format.ts';
import { addFindings, type Finding } from '../findings.ts';
import { pointerTo } from '../json-pointer.ts';
import { isKnownFile, KNOWN_FILES } from './formats.ts';
import type { BuildSource } from './read-game.ts';
import { realPathOf } from './real-path.ts';

/** What of a build its files depend on. */
type Source = Pick<BuildSource, 'folder' | 'removed'>;

/** Which file stands for a path, by path inside the build's folder: the newest build's that has it. */
export type Overlay = Map<string, string>;

/** The overlay of every pattern by which files are looked for. */
export type Overlays = Map<string, Overlay>;

/**
 * Brings the overlays from one build to the next: less the files that the build says are gone, with those that its folder has.
 *
 * @returns findings about useless removals, and about what lies outside the folder
 */
export function advanceOverlays(overlays: Overlays, source: Source): Finding[] {
  const findings: Finding[] = [];
  const gone = source.removed.map((file) =>
    [...overlays.values()].map((overlay) => overlay.delete(file)).includes(true),
  );
  for (const [pattern, overlay] of overlays) {
    addFindings(findings, addFiles(overlay, pattern, source));
  }
  addFindings(findings, findUselessRemovals(source, overlays, gone));
  return findings;
}

/** Adds a build's own files. A pattern or a link that leads out of the build's folder is a finding, and nothing there is read. */
function addFiles(overlay: Overlay, pattern: string, { folder }: Source): Finding[] {
  const root = `${realpathSync.native(folder)}${path.sep}`;
  const files = findFiles(pattern, folder);
  const strays: string[] = [];
  for (const file of files) {
    if (realPathOf(path.join(folder, file))?.startsWith(root))
      overlay.set(file, path.posix.join(folder, file));
    else strays.push(file);
  }
  return strays.sort(compareNatural).map((file) => ({
    check: 'table-files',
    severity: 'error',
    place: { file: path.posix.join(folder, 'build.json'), pointer: '', line: 1 },
    found: `"${file}" by the pattern "${pattern}", which lies outside the build's folder`,
    expected: 'files inside the folder, not reached by ".." or a link',
  }));
}

/** The path of one file inside the folder, spelt so that it stands for nothing but itself. */
const PLAIN_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** The files that a pattern finds in a build's folder. Few need a search, which costs a multiple of a look: a game can have hundreds of builds. */
function findFiles(pattern: string, folder: string): string[] {
  if (pattern === KNOWN_FILES) {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return files.map(({ name }) => name).filter((name) => isKnownFile(name) && name !== 'build.json');
  }
  if (!PLAIN_PATH.test(pattern)) {
    return fastGlob.sync(pattern, { cwd: folder, followSymbolicLinks: false, ignore: ['build.json'] });
  }
  const stats = lstatSync(path.join(folder, pattern), { throwIfNoEntry: false });
  return stats?.isFile() && pattern !== 'build.json' ? [pattern] : [];
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
