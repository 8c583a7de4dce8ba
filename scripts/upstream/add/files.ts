import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { addFindings, type Finding, type WithFindings } from '../../findings.ts';
import { compareNatural, REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { defineTables } from '../../read/definition.ts';
import { KNOWN_FILES, stemOf } from '../../read/formats.ts';
import type { FoundBuild, Reference } from '../../read/game.ts';
import { type RawGameDefinition, RELATIVE_PATH } from '../../read/game-schema.ts';
import { matchPattern } from '../../read/patterns.ts';
import { advanceOverlays, type Overlays } from '../../read/tables.ts';
import { CommandError, orCommandError } from '../../system.ts';
import { countOf, nameSome } from '../../text.ts';
import { type RawSource, sourceOf, WHOLE_REPOSITORY } from '../source.ts';

/** A file of a dump: its path relative to the dump's folder, with `/`. */
export interface DumpFile {
  path: string;
  bytes: number;
}

/** The regular files of a dump in natural order. */
export interface Dump {
  folder: string;
  files: DumpFile[];
  /** Hidden entries, links, what is neither a file nor a folder, and names that game.json cannot contain. */
  skipped: string[];
}

/**
 * Lists the files of a dump at any depth, without hidden entries and symbolic links.
 *
 * @throws CommandError if the folder does not exist or cannot be read
 */
export async function listDump(folder: string): Promise<Dump> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new CommandError(`no folder ${folder}: pass the folder of the dump with --from`, 2);
  const files: DumpFile[] = [];
  const skipped: string[] = [];
  const addFolder = async (inside: string): Promise<void> => {
    for await (const entry of await opendir(path.join(folder, inside))) {
      const relative = path.posix.join(inside, entry.name);
      const isUsable = !entry.name.startsWith('.') && !/[\\\p{Cc}]/u.test(entry.name);
      if (isUsable && entry.isDirectory()) await addFolder(relative);
      else if (!isUsable || !entry.isFile()) skipped.push(JSON.stringify(relative));
      else files.push({ path: relative, bytes: (await stat(path.join(folder, relative))).size });
    }
  };
  await orCommandError(addFolder(''), (reason) => `${folder} cannot be read: ${reason}`);
  files.sort((a, b) => compareNatural(a.path, b.path));
  return { folder, files, skipped };
}

/** Describes the skipped entries of a dump; undefined if there are none. */
export function describeSkipped({ skipped }: Dump): string | undefined {
  return skipped.length > 0
    ? `skipped, because they are hidden, links or no files: ${listFew(skipped.sort())}`
    : undefined;
}

/** The hash of a file, hexadecimal. */
export async function hashFile(file: string, algorithm = 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** The paths inside a build's folder that a game reads, in any build. */
export interface ReadPaths {
  /** The patterns of all tables. */
  tables: string[];
  /** The patterns of all tables, and that of files that are served unchanged. */
  patterns: string[];
  isRead(file: string): boolean;
  /**
   * Returns whether a path belongs to dumps: then a file that the next dump lacks is removed. If the game declares tables, all other files belong to
   * the maintainer; so do the datasets that every game must have, and the folder `facts`.
   */
  comesWithDump(file: string): boolean;
}

export function readPathsOf({ tables, regions = {}, changes = [] }: RawGameDefinition): ReadPaths {
  const layers = [tables ?? {}, ...changes.map((change) => change.tables ?? {})];
  const declared = layers
    .flatMap(Object.entries)
    .flatMap(([name, raw]) =>
      raw === null ? [] : defineTables(name, raw, '', regions).map(({ files }) => files),
    );
  const matchDeclared = declared.map(matchPattern);
  const isServed = matchPattern(KNOWN_FILES);
  const isDeclared = (file: string) => matchDeclared.some((matches) => matches(file));
  return {
    tables: declared,
    patterns: [...new Set([...declared, KNOWN_FILES])],
    isRead: (file) => file !== 'build.json' && (isDeclared(file) || isServed(file)),
    comesWithDump: (file) =>
      declared.length > 0
        ? isDeclared(file) && !file.startsWith('facts/')
        : !REQUIRED_DATASETS.includes(stemOf(file)),
  };
}

/** A file of a build: in a folder of data/, or referenced; then it is at `path` after its download. */
export interface PresentFile {
  path: string;
  reference: Reference | undefined;
}

/** Finds the files that a build after the given ones would inherit, by path inside a build's folder. @param builds oldest first */
export function findPresentFiles(
  builds: readonly Pick<FoundBuild, 'folder' | 'removed' | 'references'>[],
  { patterns }: ReadPaths,
): WithFindings<Map<string, PresentFile>> {
  const overlays: Overlays = new Map(patterns.map((pattern) => [pattern, new Map()]));
  const findings: Finding[] = [];
  for (const build of builds) addFindings(findings, advanceOverlays(overlays, build));
  const references = new Map(builds.flatMap((build) => build.references.map((each) => [each.cached, each])));
  const present = new Map<string, PresentFile>();
  for (const [name, file] of [...overlays.values()].flatMap((overlay) => [...overlay])) {
    const reference = references.get(file);
    // Files with the same content and basename share a copy, so `file` of its reference can be the path of another one.
    present.set(name, { path: file, reference: reference && { ...reference, file: name } });
  }
  return { value: present, findings };
}

/** Returns a build's own files that the game reads, by path inside its folder, including referenced ones. */
export function findOwnFiles(build: FoundBuild, paths: ReadPaths): string[] {
  return [...findPresentFiles([{ ...build, removed: [] }], paths).value.keys()];
}

/** The difference between a dump and the present files. Paths are inside the build's folder, except those of `DumpFile`. */
export interface Addition {
  added: DumpFile[];
  /** Present with other bytes. */
  changed: DumpFile[];
  unchanged: number;
  /** Present, but missing in the dump. */
  removed: string[];
  /** Files of the dump that the game does not read. */
  leftOut: string[];
}

/** How a dump is added. */
export interface DumpScope {
  /** The sub-folder of the build that the dump replaces; `''` for the whole build. */
  into: string;
  /** Whether the dump is incomplete, so that missing files are not removed. */
  partial: boolean;
  /** Whether a path inside the build's folder can be in such a dump; other files stay. By default, all can. */
  covers?: (file: string) => boolean;
}

/** Compares a dump with the present files. */
export async function planAddition(
  { folder, files }: Dump,
  present: ReadonlyMap<string, PresentFile>,
  paths: ReadPaths,
  { into, partial, covers = () => true }: DumpScope,
): Promise<Addition> {
  const addition: Addition = { added: [], changed: [], unchanged: 0, removed: [], leftOut: [] };
  const inDump = new Set<string>();
  for (const file of files) {
    const target = path.posix.join(into, file.path);
    const known = present.get(target);
    inDump.add(target);
    if (!paths.isRead(target)) addition.leftOut.push(file.path);
    else if (known === undefined) addition.added.push(file);
    else if (await hasContentOf(path.join(folder, file.path), known)) addition.unchanged++;
    else addition.changed.push(file);
  }
  for (const file of [...present.keys()].sort(compareNatural)) {
    if (partial || inDump.has(file) || !file.startsWith(into === '' ? '' : `${into}/`)) continue;
    if (paths.comesWithDump(file) && covers(file)) addition.removed.push(file);
  }
  return addition;
}

/** Whether a file has the same bytes as one of a build. A referenced file need not be downloaded for this. */
async function hasContentOf(file: string, known: PresentFile): Promise<boolean> {
  if (known.reference) return (await hashFile(file)) === known.reference.sha256;
  if ((await stat(file)).size !== (await stat(known.path)).size) return false;
  return (await hashFile(file)) === (await hashFile(known.path));
}

/** Returns the path of an upstream file in the folder of a build; undefined if it is not part of one. */
export type PlaceFile = (file: string) => string | undefined;

const insideFolder = new RegExp(RELATIVE_PATH);

/** Returns a function that moves files according to `paths` of a source, including those that the game does not read. */
export function moveFiles(mapped: RawSource['paths'] = { [WHOLE_REPOSITORY]: '' }): PlaceFile {
  // The longest path counts.
  const rules = Object.entries(mapped).sort(([a], [b]) => b.length - a.length);
  return (file) => {
    const isIn = (folder: string) => folder === WHOLE_REPOSITORY || `${file}/`.startsWith(`${folder}/`);
    const [from, to] = rules.find(([folder]) => isIn(folder)) ?? [];
    const rest = from === WHOLE_REPOSITORY ? file : file.slice((from ?? '').length + 1);
    const target = [to, rest].filter(Boolean).join('/');
    // No hidden step, control character or backslash, as in a dump.
    const isPlain = insideFolder.test(target) && !/(^|\/)\.|\p{Cc}/u.test(target);
    return from !== undefined && isPlain ? target : undefined;
  };
}

/** Returns a function that finds the files of a game: those that `paths` names and the game reads; without `paths`, those of its tables. */
export function placeFiles(raw: RawGameDefinition, mapped = sourceOf(raw)?.paths): PlaceFile {
  const paths = readPathsOf(raw);
  const move = moveFiles(mapped);
  return (file) => {
    const target = move(file);
    if (target === undefined || !paths.isRead(target)) return undefined;
    return mapped !== undefined || paths.comesWithDump(target) ? target : undefined;
  };
}

/** The files and folders of a repository that contain all files of a build; empty if unknown. */
export function upstreamFolders(raw: RawGameDefinition): string[] {
  const mapped = sourceOf(raw)?.paths;
  const literalPart = (pattern: string) => {
    const steps = pattern.split('/');
    const special = steps.findIndex((step) => /[*?{}[\]()!+@|\\]/.test(step));
    return (special === -1 ? steps : steps.slice(0, special)).join('/');
  };
  const named = mapped ? Object.keys(mapped) : readPathsOf(raw).tables.map(literalPart);
  return named.some((each) => each === '' || each === WHOLE_REPOSITORY) ? [] : [...new Set(named)];
}

/** The files that a source with `paths` or `parts` can have. All others belong to the maintainer. */
export function coverageOf({ parts, paths }: RawSource): Pick<DumpScope, 'covers'> {
  if (parts === undefined && paths === undefined) return {};
  const inPaths = Object.values(paths ?? {}).flatMap((to) => [to, `${to.replace(/\/$/, '')}/**`]);
  const patterns = parts ? Object.values(parts).flatMap(Object.keys) : inPaths;
  const covered = patterns.map(matchPattern);
  return { covers: (file) => covered.some((matches) => matches(file)) };
}

const MAX_SHOWN = 5;

/** Lists some of many files with their number: `2 files (a.json, b.json)`. */
export function listFew(files: readonly string[]): string {
  return `${countOf(files.length, 'file')} (${nameSome(files, MAX_SHOWN)})`;
}
