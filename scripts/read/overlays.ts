import type { Dirent } from 'node:fs';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { addFindings, type Finding } from '../findings/findings.ts';
import { compareNatural } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { isKnownFile, KNOWN_FILES } from './formats.ts';
import { listFolder } from './list-folder.ts';
import type { BuildSource } from './read-game.ts';
import { realPathOf } from './real-path.ts';

/** The part of a build that decides which files it has. */
type Source = Pick<BuildSource, 'folder' | 'removed'>;

/** For each path inside a build's folder, the file of the newest build that has it. */
export type Overlay = Map<string, string>;

/** An overlay for each pattern that finds files. */
export type Overlays = Map<string, Overlay>;

/**
 * Updates the overlays for the next build: drops the files that the build removes, and adds those in its folder.
 *
 * @returns findings about useless removals, links, and files outside the folder
 */
export function advanceOverlays(overlays: Overlays, source: Source): Finding[] {
  const findings: Finding[] = [];
  const gone = source.removed.map((file) =>
    [...overlays.values()].map((overlay) => overlay.delete(file)).includes(true),
  );
  const listing = listBuild(source, findings);
  for (const [pattern, overlay] of overlays) {
    addFindings(findings, addFiles(overlay, pattern, source, listing));
  }
  addFindings(findings, findUselessRemovals(source, overlays, gone));
  return findings;
}

/** All files and links of a build's folder, by their paths inside it. */
interface Listing {
  files: Set<string>;
  links: Set<string>;
}

/**
 * Lists a build's folder. Links are not followed, and a wildcard would silently skip them. So each link is a finding, and so is each folder
 * that cannot be listed.
 */
function listBuild({ folder }: Source, findings: Finding[]): Listing {
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
  return { files: new Set(files), links: new Set(links) };
}

/** Adds a build's own files. A pattern that leads out of the build's folder is a finding, and nothing there is read. */
function addFiles(overlay: Overlay, pattern: string, { folder }: Source, listing: Listing): Finding[] {
  const strays: string[] = [];
  for (const file of findFiles(pattern, folder, listing)) {
    if (isBelowLink(file, listing.links)) continue;
    if (listing.files.has(file) || liesInside(file, folder)) overlay.set(file, path.posix.join(folder, file));
    else strays.push(file);
  }
  return strays.sort(compareNatural).map((file) => ({
    check: 'table-files',
    severity: 'error',
    place: { file: path.posix.join(folder, 'build.json'), pointer: '', line: 1 },
    found: `"${file}" by the pattern "${pattern}", which is outside of the build's folder`,
    expected: 'files inside the folder, not reached by ".."',
  }));
}

function liesInside(file: string, folder: string): boolean {
  return realPathOf(path.join(folder, file))?.startsWith(`${realPathOf(folder)}${path.sep}`) === true;
}

/** A path of one file inside the folder, without wildcards and other special characters. */
const PLAIN_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** Returns the files that match a pattern. Most patterns are looked up in the listing, which is much faster than a search. */
function findFiles(pattern: string, folder: string, { files }: Listing): string[] {
  if (PLAIN_PATH.test(pattern)) return files.has(pattern) && pattern !== DEFINITION ? [pattern] : [];
  if (pattern === KNOWN_FILES) return [...files].filter((file) => isKnownFile(file) && file !== DEFINITION);
  // `listBuild` already reports folders that cannot be listed.
  const options = { cwd: folder, followSymbolicLinks: false, ignore: [DEFINITION], suppressErrors: true };
  return fastGlob.sync(pattern, options);
}

const DEFINITION = 'build.json';

/** Returns whether a path leads through a link, which a path without wildcards can. */
function isBelowLink(file: string, links: ReadonlySet<string>): boolean {
  return (
    links.size > 0 && file.split('/').some((_, depth, steps) => links.has(steps.slice(0, depth).join('/')))
  );
}

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
