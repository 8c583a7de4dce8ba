import { type Dirent, lstatSync } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { addFindings, type Finding, hasErrors, type Outcome, type Place } from '../findings.ts';
import {
  type Aliases,
  type Amendment,
  BUILD_NAME,
  DATASET_KEY,
  type GameFacts,
  isObject,
  type Json,
  type JsonObject,
  type Renames,
  SLUG,
  type Withdrawal,
} from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { errorOf, isAbsent, sizeOfFolder } from '../system.ts';
import {
  type BuildDefinition,
  type CheckSettings,
  checkTables,
  defineBuilds,
  type GameDefinition,
  listExpressionFiles,
  type RawGameDefinition,
  readExpressionFiles,
  type Regions,
} from './definition.ts';
import { listFolder, readInside, readNamedFile } from './files.ts';
import {
  type AttributeDefinitions,
  attributesSchema,
  buildSchema,
  loadGameSchema,
  renamedSchema,
} from './game-schema.ts';
import { parseJson } from './json.ts';
import { checkSchema, compileSchema, type DatasetSchema, readInstant, type Validate } from './schema.ts';

/** Files of a build that are not in its folder, as `from` in build.json names them. */
export interface RawReferences {
  /** Absent: the repository that `source` in game.json names. */
  git?: string;
  commit: string;
  /** By path in the folder of the build: the SHA-256 of the content; with `path` if the file has another path in the repository. */
  files: Record<string, string | { path: string; sha256: string }>;
}

/** A file of a build that is in a commit of a repository instead of the build's folder. */
export interface Reference {
  /** Its path inside the build's folder. */
  file: string;
  /** Of its content, hexadecimal. */
  sha256: string;
  /** The address of the repository. */
  git: string;
  commit: string;
  /** Its path in the repository. */
  path: string;
  /** Where its copy is, once it was fetched. */
  cached: string;
}

/** How upstream repositories and files are fetched. */
export interface UpstreamOptions {
  /** The folder where copies of repositories and their files are kept. */
  cache: string;
  /** Whether a repository may be in a private network or on this machine. */
  allowLocal: boolean;
}

export const DEFAULT_UPSTREAM_CACHE = 'var/upstream';

/** Where the copy of a file is. It keeps its name, which decides its format and can be the key of a row. */
export function cachedFile(cache: string, sha256: string, file: string): string {
  return path.posix.join(cache, 'files', sha256, path.posix.basename(file));
}

/**
 * Resolves `from` of a build.json.
 *
 * @param git the repository of those that name none
 * @param place the file, for findings
 */
function resolveReferences(
  raw: RawReferences | RawReferences[],
  git: string | undefined,
  cache: string,
  place: { file: string },
  findings: Finding[],
): Reference[] {
  const references = new Map<string, Reference>();
  const report = (pointer: string, text: string, expected: string) =>
    findings.push({
      ...{ check: 'definition', severity: 'error', place: { ...place, pointer } },
      ...{ found: text, expected },
    });
  for (const [index, { git: own = git, commit, files }] of [raw].flat().entries()) {
    const at = Array.isArray(raw) ? pointerTo('/from', index) : '/from';
    if (own === undefined) {
      report(at, 'no "git", and game.json names no repository in "source" either', 'the address of one');
      continue;
    }
    for (const [file, named] of Object.entries(files)) {
      const { path: inside, sha256 } = typeof named === 'string' ? { path: file, sha256: named } : named;
      if (references.has(file)) report(pointerTo(`${at}/files`, file), `"${file}" a second time`, 'it once');
      const cached = cachedFile(cache, sha256, file);
      references.set(file, { file, sha256, git: own, commit, path: inside, cached });
    }
  }
  return [...references.values()];
}

/**
 * Finds the builds in a game's folder: the folders with a build.json. Other folders, and links to folders, are findings.
 *
 * @param names folders that are not builds, because game.json names files in them; undefined if it cannot be read, so that any folder
 *   without a build.json may be one of them
 * @returns their names, in order
 */
async function findBuilds(
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
    else if (problem && ![AMENDMENTS_FOLDER, RENAMED_FOLDER].includes(entry.name)) {
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

/** The folder in a game's folder with what amendments changed. */
export const AMENDMENTS_FOLDER = 'amendments';

/** A correction of a released build as build.json has it. `changes` is the path of a file in the game's folder, `commit` the one upstream made it with. */
export interface RawAmendment extends Amendment {
  changes?: string;
  commit?: string;
}

/** A correction of a released build: when, why, and what it changed, if that is known. */
export interface ReadAmendment extends Amendment {
  changes?: JsonObject;
}

/**
 * Reads what the amendments of a build changed.
 *
 * @param folder the game's folder
 * @param file the build's build.json
 */
async function readAmendments(
  folder: string,
  file: string,
  amended: readonly RawAmendment[],
  findings: Finding[],
): Promise<ReadAmendment[]> {
  const read: ReadAmendment[] = [];
  for (const [index, { at, reason, changes: name }] of amended.entries()) {
    const amendment = { at: readInstant(at) ?? at, reason };
    const pointer = `/amended/${index}/changes`;
    const changes =
      name === undefined ? undefined : await readChanges(folder, name, { file, pointer }, findings);
    read.push({ ...amendment, ...(changes && { changes }) });
  }
  return read;
}

async function readChanges(
  folder: string,
  name: string,
  place: Finding['place'],
  findings: Finding[],
): Promise<JsonObject | undefined> {
  const text = await readInside(folder, name);
  const parsed = 'value' in text ? parseJson(text.value, path.posix.join(folder, name)) : text;
  if ('value' in parsed && isObject(parsed.value) && isChanges(parsed.value)) return parsed.value;
  findings.push({
    check: 'build-definition',
    severity: 'error',
    place,
    found: `${name}, which ${'finding' in parsed ? 'cannot be read' : 'does not hold the changes of an amendment'}`,
    expected: 'the file that gamedata build --amend wrote',
    fix: 'restore it from version control; if it is lost, remove "changes", and the history does not show what was served before',
  });
  return undefined;
}

function isChanges({ characters, datasets }: JsonObject): boolean {
  return isObject(characters) && Array.isArray(characters.changed) && isObject(datasets);
}

/** A valid date or date-time in UTC. */
function toUtc(instant: string): string {
  return readInstant(instant) ?? instant;
}

/**
 * Reads the releases in regions where they differ.
 *
 * @param regions those of game.json; without them, the names of regions are free
 * @param file the build's build.json
 * @returns the times in UTC, by region
 */
function readReleasedIn(
  times: Readonly<Record<string, string>>,
  regions: Regions | undefined,
  file: string,
  findings: Finding[],
): Record<string, string> {
  for (const region of Object.keys(times)) {
    if (regions === undefined || Object.hasOwn(regions, region)) continue;
    findings.push({
      check: 'definition',
      severity: 'error',
      place: { file, pointer: pointerTo('/released_in', region) },
      found: `the region "${region}", which game.json does not name`,
      expected: `one of its regions: ${Object.keys(regions).join(', ')}`,
    });
  }
  return Object.fromEntries(Object.entries(times).map(([region, time]) => [region, toUtc(time)]));
}

/** The folder in a game's folder with the renumbered records of builds that have many. */
export const RENAMED_FOLDER = 'renamed';

/** The renumbered records of a build, and where they are. */
interface ReadRenamed {
  renamed: Renames;
  renamedAt: Place;
}

const validRenamed = compileSchema<Renames>(renamedSchema);

/**
 * Reads the renumbered records of a build.
 *
 * @param folder the game's folder
 * @param file the build's build.json
 * @param raw what it has as `renamed`: the records themselves, or the path of a file in the game's folder
 */
async function readRenamed(
  folder: string,
  file: string,
  raw: Renames | string,
  findings: Finding[],
): Promise<ReadRenamed> {
  const place = { file, pointer: '/renamed' };
  if (typeof raw !== 'string') return { renamed: raw, renamedAt: place };
  const renamedAt = { file: path.posix.join(folder, raw), pointer: '' };
  const text = await readNamedFile(folder, raw, place, 'renamed');
  const parsed = 'value' in text ? parseJson(text.value, renamedAt.file) : text;
  if ('finding' in parsed) {
    findings.push(parsed.finding);
    return { renamed: {}, renamedAt };
  }
  const faults = [...parsed.findings, ...checkSchema(validRenamed, parsed.value, 'renamed', renamedAt)];
  findings.push(...faults);
  return { renamed: faults.length === 0 && validRenamed(parsed.value) ? parsed.value : {}, renamedAt };
}

/** The file of a game's folder with further names of its records. */
export const ALIASES_FILE = 'aliases.json';

const names = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' },
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  description: 'a list of 1 to 20 different names',
  help: 'What people call the record: short names, former names, other spellings. Search ranks them as names.',
};

/** JSON Schema of aliases.json. */
export const aliasesSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../aliases.schema.json". The compiler ignores it.',
    },
  },
  patternProperties: {
    [DATASET_KEY]: {
      type: 'object',
      additionalProperties: names,
      help: 'Further names by id, of `characters` or of the dataset with this key: {"10000052": ["raiden", "ei"]}.',
    },
  },
};

const validAliases = compileSchema<Aliases & { $schema?: string }>(aliasesSchema);
const CHECK = 'aliases';

/** Reads a game's aliases.json. @returns no aliases if the file does not exist, or does not match its schema */
async function readAliases(folder: string): Promise<Outcome<Aliases>> {
  const file = path.posix.join(folder, ALIASES_FILE);
  if (await isAbsent(file)) return { value: {}, findings: [] };
  const text = await readInside(folder, ALIASES_FILE);
  const parsed = 'value' in text ? parseJson(text.value, file) : text;
  if ('finding' in parsed) return { value: {}, findings: [parsed.finding] };
  const content: unknown = parsed.value;
  const findings = [...parsed.findings, ...checkSchema(validAliases, content, CHECK, { file, pointer: '' })];
  if (findings.length > 0 || !validAliases(content)) return { value: {}, findings };
  const { $schema: _schema, ...aliases } = content;
  return { value: aliases, findings };
}

const validAttributes = compileSchema<AttributeDefinitions & { $schema?: string }>(attributesSchema);

/**
 * Reads what a `game.json` says about attributes: itself, or in a file that it names. A file that cannot be used describes nothing, with
 * findings.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json for findings
 */
async function readAttributes(
  folder: string,
  gameFile: string,
  raw: AttributeDefinitions | string | undefined,
): Promise<Outcome<AttributeDefinitions | undefined>> {
  if (typeof raw !== 'string') return { value: raw, findings: [] };
  const text = await readNamedFile(
    folder,
    raw,
    { file: gameFile, pointer: '/attributes' },
    'attributes-file',
  );
  const file = path.posix.join(folder, raw);
  const parsed = 'value' in text ? parseJson(text.value, file) : text;
  if ('finding' in parsed) return { value: undefined, findings: [parsed.finding] };
  const content: unknown = parsed.value;
  const findings: Finding[] = [
    ...parsed.findings,
    ...checkSchema(validAttributes, content, 'attributes-file', { file, pointer: '' }),
  ];
  if (hasErrors(findings) || !validAttributes(content)) return { value: undefined, findings };
  const { $schema: _schema, ...definitions } = content;
  return { value: definitions, findings };
}

/** A game's own schemas by dataset key or `characters`: the text, and a function that checks a record. */
export type DatasetSchemas = ReadonlyMap<string, { text: string; mismatchesOf: DatasetSchema }>;

/**
 * Reads the JSON Schemas that a `game.json` names for its datasets. A schema that cannot be used is left out with a finding.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json for findings
 * @param files paths inside the folder, by dataset key
 */
async function readSchemaFiles(
  folder: string,
  gameFile: string,
  files: Record<string, string> = {},
): Promise<Outcome<DatasetSchemas>> {
  const findings: Finding[] = [];
  if (Object.keys(files).length === 0) return { value: new Map(), findings };
  const { compileDatasetSchema } = await import('./schema.ts');
  const schemas = new Map<string, { text: string; mismatchesOf: DatasetSchema }>();
  for (const [key, file] of Object.entries(files)) {
    const place = { file: gameFile, pointer: pointerTo('/schemas', key) };
    const text = await readNamedFile(folder, file, place, 'schema-file');
    const fullPath = path.posix.join(folder, file);
    const parsed = 'value' in text ? parseJson(text.value, fullPath) : text;
    if ('finding' in parsed) findings.push(parsed.finding);
    else {
      const { value: schema, findings: ofSchema } = compileDatasetSchema(parsed.value, fullPath);
      addFindings(findings, parsed.findings, ofSchema);
      if (schema && 'value' in text) schemas.set(key, { text: text.value, mismatchesOf: schema });
    }
  }
  return { value: schemas, findings };
}

/** The file with a game's lasting corrections, in the game's folder. */
export const CORRECTIONS_FILE = 'corrections.json';

/** The value of `until` for a correction that ends with the first build in which upstream has the right value. */
export const UNTIL_AGREED = 'upstream agrees';

/** A lasting correction: from a build on, an attribute of a record has a value that upstream does not have. */
export interface Correction {
  /** Where corrections.json has it, as a JSON Pointer. */
  pointer: string;
  /** `characters` or the key of a dataset. */
  collection: string;
  /** Absent for a dataset that is one object. */
  id?: string;
  /** A dotted key. */
  attribute: string;
  value: Json;
  reason: string;
  /** The first build that is corrected. */
  since: string;
  /** `UNTIL_AGREED`, or the first build that is not corrected any more. */
  until?: string;
}

/** What corrections.json says. */
export interface CorrectionsFile {
  corrections: readonly Correction[];
  /** Released builds that were removed. */
  withdrawn: readonly Withdrawal[];
}

/** Reads a game's corrections.json. @param isWhole whether all of its builds could be read */
async function readCorrections(
  folder: string,
  builds: readonly string[],
  isWhole: boolean,
): Promise<Outcome<{ ofBuilds: readonly Correction[][]; withdrawn: readonly Withdrawal[] }>> {
  const none = { ofBuilds: builds.map(() => []), withdrawn: [] };
  const file = path.posix.join(folder, CORRECTIONS_FILE);
  if (await isAbsent(file)) return { value: none, findings: [] };
  const { readCorrectionsFile } = await import('../corrections/corrections.ts');
  const { correctionsOf } = await import('../corrections/corrections.ts');
  const { value, findings } = await readCorrectionsFile(folder, isWhole ? builds : undefined);
  const ofBuilds = builds.map((_, at) => correctionsOf(value.corrections, builds, at));
  return { value: { ofBuilds, withdrawn: value.withdrawn }, findings };
}

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
