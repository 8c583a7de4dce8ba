import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { type Finding, hasErrors, type Outcome } from '../../findings/findings.ts';
import {
  type Aliases,
  BUILD_NAME,
  type GameFacts,
  type Renames,
  SLUG,
  type Withdrawal,
} from '../../format/dist-format.ts';
import { sizeOfFolder } from '../../lib/folder-size.ts';
import { checkSchema, compileSchema, type Validate } from '../../schemas/schema.ts';
import { findBuilds } from '../find-builds.ts';
import { parseJson } from '../formats/json.ts';
import { readInside } from '../named-file.ts';
import {
  DEFAULT_UPSTREAM_CACHE,
  type RawReferences,
  type Reference,
  resolveReferences,
} from '../reference.ts';
import { type RawAmendment, readAmendments } from './amendments.ts';
import { buildSchema } from './build-schema.ts';
import { checkTables } from './check-tables.ts';
import { type Correction, readCorrections } from './corrections.ts';
import type { BuildDefinition, CheckSettings, GameDefinition, RawGameDefinition } from './definition.ts';
import { defineBuilds } from './definition-of-builds.ts';
import { listExpressionFiles, readExpressionFiles } from './expression-files.ts';
import { loadGameSchema } from './game-schema.ts';
import { readAliases } from './read-aliases.ts';
import { readAttributes } from './read-attributes.ts';
import { readReleasedIn, toUtc } from './read-released-in.ts';
import { readRenamed } from './read-renamed.ts';
import { type DatasetSchemas, readSchemaFiles } from './schema-files.ts';

/** A game's definition and builds, read from its folder; no table is read yet. */
export interface GameSource extends GameFacts {
  slug: string;
  /** The game's folder as given on the command line, for messages: `data/arknights`. */
  folder: string;
  draft: boolean;
  /** Whether the definitions have no errors. With errors, only the files can be checked. */
  usable: boolean;
  /** Oldest first. */
  builds: BuildSource[];
  /** The game's own schemas, which the records of every build must match. */
  schemas: DatasetSchemas;
  /** The thresholds of checks that the game sets. */
  checks: CheckSettings;
  /** The checks that hold a build, if the game says which (`hold_on` of `source`). */
  holdOn?: readonly string[] | undefined;
  /** Further names of records. */
  aliases: Aliases;
  /** Released builds that were removed. */
  withdrawn: readonly Withdrawal[];
  /** The size of all files in its folder. */
  bytes: number;
}

/** A build, read from its folder; no table is read yet. */
export interface BuildSource extends BuildDefinition {
  build: string;
  /** `data/arknights/2020-06-28`. */
  folder: string;
  /** The game's definition for this build. */
  definition: GameDefinition;
  /** The game's own schemas. */
  schemas: DatasetSchemas;
  /** The thresholds of checks that the game sets. */
  checks: CheckSettings;
  /** The checks that hold a build, if the game says which (`hold_on` of `source`). */
  holdOn?: readonly string[] | undefined;
  /** The language of `name`; undefined if it is not known. */
  language?: string | undefined;
  /** Where the game's images are; undefined if it says nothing. */
  images?: GameFacts['images'];
  /** Further names of records; some may not be in this build. */
  aliases: Aliases;
  /** The files that build.json names instead of the folder holding them. */
  references: readonly Reference[];
  /** The lasting corrections that apply to this build. */
  corrections: readonly Correction[];
}

const validBuild = compileSchema<RawBuildDefinition>(buildSchema);
const validSlug = new RegExp(SLUG);
const validBuildName = new RegExp(BUILD_NAME);

/**
 * Reads a game's definition and those of its builds.
 *
 * @param folder the game's folder
 * @param cache the folder with copies of files that builds name by reference
 * @returns the game; undefined when its definition cannot be used
 */
export async function readGame(
  folder: string,
  slug: string,
  cache = DEFAULT_UPSTREAM_CACHE,
): Promise<Outcome<GameSource | undefined>> {
  const findings: Finding[] = [];
  const gameFile = path.posix.join(folder, 'game.json');
  const raw = await readGameFile(folder, findings);
  const expressionFiles = raw ? listExpressionFiles(raw) : [];
  const findingsBefore = findings.length;
  const builds = await readBuilds(folder, raw, findings, cache);
  const readable = findings.slice(findingsBefore).every(({ severity }) => severity === 'warning');
  if (!validSlug.test(slug)) findings.push(wrongSlug(slug, gameFile));
  if (builds.length === 0 && findings.every(({ severity }) => severity === 'warning')) {
    findings.push(noBuild(folder, gameFile));
  }
  if (raw === undefined || builds.length === 0) return { value: undefined, findings };

  const { value: texts, findings: ofFiles } = await readExpressionFiles(folder, gameFile, expressionFiles);
  const names = builds.map(({ build }) => build);
  const { value: attributes, findings: ofAttributes } = await readAttributes(
    folder,
    gameFile,
    raw.attributes,
  );
  const { value: definitions, findings: ofChanges } = defineBuilds(raw, gameFile, names, texts, attributes);
  const { value: schemas, findings: ofSchemas } = await readSchemaFiles(folder, gameFile, raw.schemas);
  const { value: corrected, findings: ofCorrections } = await readCorrections(folder, names, readable);
  const { value: aliases, findings: ofAliases } = await readAliases(folder);
  const ofPatterns = checkTables(raw, gameFile);
  // A build that could not be read may be the one that a change names.
  findings.push(...ofFiles, ...ofPatterns, ...(readable ? ofChanges : []));
  findings.push(...ofAttributes, ...ofSchemas, ...ofCorrections, ...ofAliases);
  const { title, language, successor, other_regions, images, draft = false, checks = {}, source } = raw;
  const holdOn = source?.hold_on;
  return {
    value: {
      ...{ slug, folder, title, language, successor, other_regions, images, draft },
      schemas,
      checks,
      holdOn,
      aliases,
      withdrawn: corrected.withdrawn,
      bytes: sizeOfFolder(folder),
      usable: !hasErrors([...ofFiles, ...ofPatterns, ...ofChanges]),
      builds: builds.map((source, index) => ({
        ...source,
        ...{ language, images },
        definition: definitions[index] as GameDefinition,
        schemas,
        checks,
        holdOn,
        aliases,
        corrections: corrected.ofBuilds[index] ?? [],
      })),
    },
    findings,
  };
}

function wrongSlug(slug: string, file: string): Finding {
  return {
    check: 'slug',
    severity: 'error',
    place: { file, pointer: '', line: 1 },
    found: `a game named "${slug}"`,
    expected: 'lowercase letters, digits and single hyphens; at most 64',
    fix: 'rename the folder',
  };
}

function noBuild(folder: string, file: string): Finding {
  return {
    check: 'build-definition',
    severity: 'error',
    place: { file, pointer: '', line: 1 },
    found: 'no build',
    expected: 'at least one folder with a build.json',
    fix: `write ${folder}/<build>/build.json with {"released_at": "…"}, next to the build's files`,
  };
}

/** Reads a game's `game.json`; undefined, with findings, when it does not match its schema. */
export async function readGameFile(
  folder: string,
  findings: Finding[],
): Promise<RawGameDefinition | undefined> {
  const facts = await lstat(folder).catch(() => undefined);
  if (facts?.isSymbolicLink()) {
    findings.push({
      check: 'slug',
      severity: 'error',
      place: { file: folder, pointer: '', line: 1 },
      found: "a link instead of a game's folder",
      expected: 'a folder',
      fix: 'replace the link with the folder itself, or pass its parent folder with --data',
    });
    return undefined;
  }
  return await readDefinition(folder, 'game.json', compileSchema(await loadGameSchema()), findings);
}

type RawBuildDefinition = Partial<
  Omit<BuildDefinition, 'amended' | 'renamed' | 'renamedAt' | 'releasedIn'>
> & {
  released_at: string;
  released_in?: Record<string, string>;
  from?: RawReferences | RawReferences[];
  package?: PackageOrigin;
  renamed?: Renames | string;
  amended?: RawAmendment[];
};

/** A build, read from its folder without game.json. */
export type FoundBuild = { package?: PackageOrigin | undefined } & Omit<
  BuildSource,
  'definition' | 'schemas' | 'checks' | 'aliases' | 'corrections'
>;

/** The version of a package of the npm registry that a build was made from, and the SHA-512 of its tarball as `sha512-…`. */
export type PackageOrigin = { npm: string; version: string; integrity: string };

/**
 * Reads the builds of a game's folder, oldest first.
 *
 * @param raw the game's definition, which may name files in folders that are not builds; undefined when it cannot be used
 * @param cache the folder with copies of files that builds name by reference
 */
export async function readBuilds(
  folder: string,
  raw: RawGameDefinition | undefined,
  findings: Finding[],
  cache = DEFAULT_UPSTREAM_CACHE,
): Promise<FoundBuild[]> {
  const named = raw && [
    ...listExpressionFiles(raw).map(({ file }) => file),
    ...Object.values(raw.schemas ?? {}),
    ...(typeof raw.attributes === 'string' ? [raw.attributes] : []),
  ];
  const folders = named && new Set(named.map((file) => file.split('/')[0]));
  const builds: FoundBuild[] = [];
  for (const build of await findBuilds(folder, folders, findings)) {
    const file = path.posix.join(build, 'build.json');
    const fullPath = path.posix.join(folder, file);
    if (!validBuildName.test(build)) {
      findings.push({
        check: 'build-name',
        severity: 'error',
        place: { file: fullPath, pointer: '', line: 1 },
        found: `a build named "${build}"`,
        expected: 'a URL-safe name (letters, digits, ".", "_", "~", "-"; at most 64) other than "latest"',
        fix: 'rename the folder',
      });
    }
    const definition = await readDefinition(folder, file, validBuild, findings);
    if (definition === undefined) continue;
    const { source, regions } = raw ?? {};
    builds.push({
      build,
      folder: path.posix.join(folder, build),
      released_at: toUtc(definition.released_at),
      releasedIn: readReleasedIn(definition.released_in ?? {}, regions, fullPath, findings),
      note: definition.note ?? null,
      removed: definition.removed ?? [],
      package: definition.package,
      references: definition.from
        ? resolveReferences(definition.from, source?.git, cache, { file: fullPath }, findings)
        : [],
      amended: await readAmendments(folder, fullPath, definition.amended ?? [], findings),
      overrides: definition.overrides ?? [],
      carried: definition.carried ?? {},
      ...(await readRenamed(folder, fullPath, definition.renamed ?? {}, findings)),
    });
  }
  builds.sort((a, b) => Date.parse(a.released_at) - Date.parse(b.released_at));
  findings.push(...findSameRelease(builds));
  return builds;
}

function findSameRelease(builds: FoundBuild[]): Finding[] {
  return builds.flatMap(({ folder, released_at }, index) => {
    const before = builds[index - 1];
    if (before === undefined || Date.parse(before.released_at) !== Date.parse(released_at)) return [];
    return {
      check: 'build-order',
      severity: 'error',
      place: { file: path.posix.join(folder, 'build.json'), pointer: '/released_at' },
      found: `${released_at}, which is also the time of ${before.build}`,
      expected: 'a different time, because builds are ordered by it',
    };
  });
}

/** Reads a JSON definition and checks it against its schema; adds what is wrong with it to `findings`. */
async function readDefinition<T>(
  folder: string,
  name: string,
  validate: Validate<T>,
  findings: Finding[],
): Promise<T | undefined> {
  const file = path.posix.join(folder, name);
  const place = { file, pointer: '' };
  const text = await readInside(folder, name);
  if ('finding' in text) {
    findings.push(text.finding);
    return undefined;
  }
  const parsed = parseJson(text.value, file);
  if ('finding' in parsed) findings.push(parsed.finding);
  else if (parsed.findings.length === 0 && validate(parsed.value)) return parsed.value;
  else findings.push(...parsed.findings, ...checkSchema(validate, parsed.value, 'definition', place));
  return undefined;
}
