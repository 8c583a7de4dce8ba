import type { Dirent } from 'node:fs';
import path from 'node:path';
import { addFindings, type Finding } from '../findings/findings.ts';
import { compareNatural } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { isKnownFile, KNOWN_FILES } from './formats/formats.ts';
import type { BuildSource } from './game/read-game.ts';
import { listFolder } from './list-folder.ts';
import { matchPattern } from './match-pattern.ts';

/** The part of a build that decides which files it has. */
type Source = Pick<BuildSource, 'folder' | 'removed' | 'references'>;

/** For each path inside a build's folder, the file of the newest build that has it. */
export type Overlay = Map<string, string>;

/** An overlay for each pattern that finds files. */
export type Overlays = Map<string, Overlay>;

/**
 * Updates the overlays for the next build: drops the files that the build removes, and adds those in its folder.
 *
 * @returns findings about useless removals, links, and files that are both in the folder and named by reference
 */
export function advanceOverlays(overlays: Overlays, source: Source): Finding[] {
  const findings: Finding[] = [];
  const gone = source.removed.map((file) =>
    [...overlays.values()].map((overlay) => overlay.delete(file)).includes(true),
  );
  const files = listBuild(source, findings);
  for (const [pattern, overlay] of overlays)
    for (const file of findFiles(pattern, files)) overlay.set(file, files.get(file) ?? '');
  addFindings(findings, findUselessRemovals(source, overlays, gone));
  return findings;
}

/**
 * Finds the files of a build, by their paths inside its folder: those in it, and the copies of those that it names by reference. Each link
 * is a finding, as a wildcard would silently skip it, and so is each folder that cannot be listed.
 */
function listBuild({ folder, references }: Source, findings: Finding[]): Map<string, string> {
  const entries = listFolder(folder, findings, { recursive: true });
  const pathOf = ({ parentPath, name }: Dirent) =>
    path.relative(folder, path.join(parentPath, name)).replaceAll(path.sep, '/');
  const files = entries.filter((entry) => entry.isFile()).map(pathOf);
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(pathOf);
  for (const file of links.sort(compareNatural)) {
    findings.push({
      check: 'table-files',
      severity: 'error',
      place: { file: path.posix.join(folder, file), pointer: '', line: 1 },
      found: 'a link, which is not followed',
      expected: "files and folders in a build's folder, not links",
      fix: 'replace the link with the file or folder that it leads to; files of the build before are inherited',
    });
  }
  const paths = new Map(files.map((file) => [file, path.posix.join(folder, file)]));
  for (const { file, cached } of references) {
    if (paths.has(file)) findings.push(namedTwice(folder, file));
    else paths.set(file, cached);
  }
  return paths;
}

function namedTwice(folder: string, file: string): Finding {
  return {
    check: 'table-files',
    severity: 'error',
    place: { file: path.posix.join(folder, file), pointer: '', line: 1 },
    found: 'a file that "from" in build.json names too',
    expected: 'each file either in the folder or in "from"',
    fix: 'remove one of them',
  };
}

/** A path of one file inside the folder, without wildcards and other special characters. */
const PLAIN_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** Returns the files of a listing that match a pattern. The disk is not read, so that no pattern finds anything outside of the folder. */
function findFiles(pattern: string, files: ReadonlyMap<string, string>): string[] {
  if (PLAIN_PATH.test(pattern)) return files.has(pattern) && pattern !== DEFINITION ? [pattern] : [];
  const matches = pattern === KNOWN_FILES ? isKnownFile : matchPattern(pattern);
  return [...files.keys()].filter((file) => file !== DEFINITION && matches(file));
}

const DEFINITION = 'build.json';

/** @param gone whether an earlier build had each removed file; a file that no build had is probably misspelt */
function findUselessRemovals({ folder, removed }: Source, overlays: Overlays, gone: boolean[]): Finding[] {
  return removed.flatMap((file, index): Finding[] => {
    const back = [...overlays.values()].some((overlay) => overlay.has(file));
    if (!back && gone[index]) return [];
    return [
      {
        check: 'removed-files',
        severity: back ? 'error' : 'warning',
        place: { file: path.posix.join(folder, 'build.json'), pointer: pointerTo('/removed', index) },
        found: back ? `"${file}", which the build's own folder has` : `"${file}", which no earlier build has`,
        expected: 'a file of an earlier build that this build does not have',
      },
    ];
  });
}
