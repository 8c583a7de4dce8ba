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
 * Lists a build's folder. No link is followed, and a wildcard would pass over them in silence: what is there and cannot be listed, and
 * each of the links, goes to `findings`.
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
      fix: 'put there what it leads to; what the build before has already is inherited',
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
    found: `"${file}" by the pattern "${pattern}", which lies outside the build's folder`,
    expected: 'files inside the folder, not reached by ".."',
  }));
}

function liesInside(file: string, folder: string): boolean {
  return realPathOf(path.join(folder, file))?.startsWith(`${realPathOf(folder)}${path.sep}`) === true;
}

/** The path of one file inside the folder, spelt so that it stands for nothing but itself. */
const PLAIN_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

/** The files that a pattern finds. Few need a search, which costs a multiple of a look: a game can have hundreds of builds. */
function findFiles(pattern: string, folder: string, { files }: Listing): string[] {
  if (PLAIN_PATH.test(pattern)) return files.has(pattern) && pattern !== DEFINITION ? [pattern] : [];
  if (pattern === KNOWN_FILES) return [...files].filter((file) => isKnownFile(file) && file !== DEFINITION);
  // What cannot be listed is found with the links.
  const options = { cwd: folder, followSymbolicLinks: false, ignore: [DEFINITION], suppressErrors: true };
  return fastGlob.sync(pattern, options);
}

const DEFINITION = 'build.json';

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
