import type { Listing } from '../add/missed-files.ts';
import { type ReadPaths, readPathsOf } from '../add/present-files.ts';
import { type RawGameDefinition, relativePath } from '../../read/definition.ts';
import { type RawSource, sourceOf, WHOLE_REPOSITORY } from './source-definition.ts';

/** Returns the path that a file of the repository has in the folder of a build; undefined when it is not part of one. */
export type PlaceFile = (file: string) => string | undefined;

const inside = new RegExp(relativePath.pattern);

/** Makes the function that finds the files of a game: those that `paths` names and the game reads; without `paths`, those of its tables. */
export function placeFiles(raw: RawGameDefinition, mapped = sourceOf(raw)?.paths): PlaceFile {
  const paths = readPathsOf(raw);
  const move = moveFiles(mapped);
  return (file) => {
    const target = move(file);
    return target !== undefined && isWanted(target, paths, mapped !== undefined) ? target : undefined;
  };
}

/** Makes the function that moves files as `paths` says, also those that the game does not read. */
export function moveFiles(mapped: RawSource['paths']): PlaceFile {
  const rules = mapped && Object.entries(mapped).sort(([a], [b]) => b.length - a.length);
  return (file) => {
    const target = rules === undefined ? file : applyRules(file, rules);
    return target !== undefined && isPlain(target) ? target : undefined;
  };
}

/** Places files of a commit: those that belong to a build, with their paths in its folder. @param inside the folder of the repository that is the build */
export function placeAll<T extends { path: string }>(
  files: readonly T[],
  place: PlaceFile,
  inside?: string,
): (T & { target: string })[] {
  const start = inside === undefined ? 0 : inside.length + 1;
  return files.flatMap((file) => {
    const target = place(file.path.slice(start));
    return target === undefined ? [] : { ...file, target };
  });
}

/** Lists the files of a commit as those of a build: which of them the game reads, and which are beside them. */
export function listPlaced(
  files: readonly { path: string }[],
  raw: RawGameDefinition,
  { paths: mapped, inside }: { paths: RawSource['paths']; inside?: string | undefined },
): Listing {
  const place = placeFiles(raw, mapped);
  const { isRead } = readPathsOf(raw);
  const all = placeAll(files, moveFiles(mapped), inside).map(({ target }) => target);
  const read = placeAll(files, place, inside).map(({ target }) => target);
  return { read, leftOut: all.filter((file) => !isRead(file)) };
}

function isWanted(file: string, paths: ReadPaths, isMapped: boolean): boolean {
  return paths.isRead(file) && (isMapped || paths.comesWithDump(file));
}

/** Returns whether a path stays inside the folder and has no hidden step, control character or backslash, as in a dump. */
function isPlain(file: string): boolean {
  return inside.test(file) && !/(^|\/)\.|\p{Cc}/u.test(file);
}

/** @param rules the longest first */
function applyRules(file: string, rules: readonly [string, string][]): string | undefined {
  for (const [from, to] of rules) {
    if (file === from) return to;
    if (from === WHOLE_REPOSITORY) return `${to}/${file}`;
    if (file.startsWith(`${from}/`)) return `${to}/${file.slice(from.length + 1)}`;
  }
  return undefined;
}

/** The files and folders of the repository outside of which no file is part of a build; empty when they are not known. */
export function upstreamFolders(raw: RawGameDefinition): string[] {
  const mapped = sourceOf(raw)?.paths;
  const named = mapped ? Object.keys(mapped) : readPathsOf(raw).tables.map(literalPart);
  return named.some((each) => each === '' || each === WHOLE_REPOSITORY) ? [] : [...new Set(named)];
}

/** The steps of a pattern before the first one that is not a plain name. */
function literalPart(pattern: string): string {
  const steps = pattern.split('/');
  const special = steps.findIndex((step) => /[*?{}[\]()!+@|\\]/.test(step));
  return (special === -1 ? steps : steps.slice(0, special)).join('/');
}
