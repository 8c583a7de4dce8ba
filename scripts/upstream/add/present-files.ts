import { addFindings, type Finding, type Outcome } from '../../findings.ts';
import { REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { defineTables, type RawGameDefinition } from '../../read/definition.ts';
import { KNOWN_FILES, stemOf } from '../../read/files.ts';
import { matchPattern } from '../../read/patterns.ts';
import { advanceOverlays, type Overlays } from '../../read/tables.ts';
import type { FoundBuild, Reference } from '../../read/game.ts';

/** The paths inside a build's folder that a game reads. */
export interface ReadPaths {
  /** The patterns of all tables, including those of only some builds. */
  tables: string[];
  /** The patterns of all tables, including those of only some builds, and the pattern of files served unchanged. */
  patterns: string[];
  /** Returns whether the game reads a path. */
  isRead(file: string): boolean;
  /**
   * Returns whether a path comes from dumps: then a file that is missing in the next dump is removed. If the game declares tables, all other
   * files are from the maintainer; so are the datasets that every game must have.
   */
  comesWithDump(file: string): boolean;
}

/** Returns the paths that a game's definition reads in any build. */
export function readPathsOf({ tables, regions = {}, changes = [] }: RawGameDefinition): ReadPaths {
  const declared = [tables ?? {}, ...changes.map((change) => change.tables ?? {})].flatMap((layer) =>
    Object.entries(layer).flatMap(([name, raw]) =>
      raw === null ? [] : defineTables(name, raw, '', regions).map(({ files }) => files),
    ),
  );
  const patterns = [...new Set([...declared, KNOWN_FILES])];
  const matchDeclared = declared.map(matchPattern);
  const isServed = matchPattern(KNOWN_FILES);
  const isDeclared = (file: string) => matchDeclared.some((matches) => matches(file));
  return {
    tables: declared,
    patterns,
    isRead: (file) => file !== 'build.json' && (isDeclared(file) || isServed(file)),
    comesWithDump: (file) =>
      declared.length > 0 ? isDeclared(file) : !REQUIRED_DATASETS.includes(stemOf(file)),
  };
}

/** A file that a build has: in a folder of data/, or named by reference. */
export interface PresentFile {
  /** Its path, or that of its copy, which need not exist. */
  path: string;
  reference: Reference | undefined;
}

/**
 * Finds the files that a build after the given ones would inherit, by path inside a build's folder.
 *
 * @param builds oldest first
 */
export function findPresentFiles(
  builds: readonly Pick<FoundBuild, 'folder' | 'removed' | 'references'>[],
  { patterns }: ReadPaths,
): Outcome<Map<string, PresentFile>> {
  const overlays: Overlays = new Map(patterns.map((pattern) => [pattern, new Map()]));
  const findings: Finding[] = [];
  for (const build of builds) addFindings(findings, advanceOverlays(overlays, build));
  const references = new Map(builds.flatMap((build) => build.references.map((each) => [each.cached, each])));
  const files = [...overlays.values()].flatMap((overlay) => [...overlay]);
  // Files with the same content and basename share a copy, so `file` of its reference can be the path of another one.
  const describe = (name: string, file: string): PresentFile => {
    const reference = references.get(file);
    return { path: file, reference: reference && { ...reference, file: name } };
  };
  return { value: new Map(files.map(([name, file]) => [name, describe(name, file)])), findings };
}
