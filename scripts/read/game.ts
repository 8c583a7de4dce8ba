import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import {
  CORRECTIONS_FILE,
  type Correction,
  correctionsOf,
  correctionsSchema,
  readCorrections,
} from '../corrections/corrections.ts';
import {
  addFindings,
  type CheckName,
  errorAt,
  type Finding,
  hasErrors,
  type Place,
  type WithFindings,
} from '../findings.ts';
import * as dist from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { list, map, open, type Schema, text } from '../format/json-schema.ts';
import { DEFAULT_UPSTREAM_CACHE } from '../system.ts';
import {
  type BuildDefinition,
  defineBuilds,
  type GameDefinition,
  listExpressionFiles,
  readExpressionFiles,
} from './definition.ts';
import { listFolder, readInside } from './files.ts';
import {
  type AttributeDefinitions,
  aliasesSchema,
  attributesSchema,
  buildSchema,
  type CheckSettings,
  gameSchema,
  type PackageOrigin,
  type RawAmendment,
  type RawGameDefinition,
  type RawReferences,
  renamedSchema,
} from './game-schema.ts';
import { parseJson } from './json.ts';
import {
  checkSchema,
  compileDatasetSchema,
  compileSchema,
  type DatasetSchema,
  readInstant,
} from './schema.ts';

/** A file of a build that is in a commit of a repository, not in the build's folder. */
export interface Reference {
  /** Its path inside the build's folder. */
  file: string;
  /** SHA-256 of its content, hexadecimal. */
  sha256: string;
  /** The address of the repository. */
  git: string;
  commit: string;
  /** Its path in the repository. */
  path: string;
  /** Where its copy is after the download. */
  cached: string;
}

/** How upstream repositories and files are downloaded. */
export interface UpstreamOptions {
  /** The folder for copies of repositories and of their files. */
  cache: string;
  /** Whether a repository may be in a private network or on this machine. */
  allowLocal: boolean;
}

/** The path of a file's copy. It keeps its name, which decides its format and can be the key of a row. */
export function cachedFile(cache: string, sha256: string, file: string): string {
  return path.posix.join(cache, 'files', sha256, path.posix.basename(file));
}

/** The folder in a game's folder with the changes of amendments. */
export const AMENDMENTS_FOLDER = 'amendments';
/** The folder in a game's folder with the renumbered records of builds that have many. */
export const RENAMED_FOLDER = 'renamed';
/** The file in a game's folder with additional names of records. */
export const ALIASES_FILE = 'aliases.json';

/** A correction of a released build, with its changes if they are known. */
export interface ReadAmendment extends dist.Amendment {
  changes?: dist.JsonObject;
}

/** A game's own schemas by dataset key or `characters`: the text, and a function that checks a record. */
type DatasetSchemas = ReadonlyMap<string, { text: string; mismatchesOf: DatasetSchema }>;

/** What all builds of a game share. */
interface SharedByBuilds {
  /** The game's own schemas, which the records of every build must match. */
  schemas: DatasetSchemas;
  /** The thresholds of checks that the game sets. */
  checks: CheckSettings;
  /** The checks that hold back a build, if the game names them (`hold_on` of `source`). */
  holdOn?: readonly string[] | undefined;
  /** The language of `name`; undefined if unknown. */
  language?: string | undefined;
  /** The language of the game itself, if its texts are in another one. */
  played_in?: string | undefined;
  /** Where the game's images are; undefined if the game does not say. */
  images?: dist.GameDescription['images'];
  /** Additional names of records, some of which may not be in a build. */
  aliases: dist.Aliases;
}

/** A game's definition and builds, read from its folder; tables are not read yet. */
export interface GameSource extends dist.GameDescription, SharedByBuilds {
  slug: string;
  /** The game's folder as given on the command line, for messages: `data/arknights`. */
  folder: string;
  draft: boolean;
  /** Whether the definitions have no errors. With errors, only the files can be checked. */
  usable: boolean;
  /** Oldest first. */
  builds: BuildSource[];
  /** The released builds that were removed. */
  withdrawn: readonly dist.Withdrawal[];
}

/** A build, read from its folder without game.json. */
export interface FoundBuild extends BuildDefinition {
  build: string;
  /** `data/arknights/2020-06-28`. */
  folder: string;
  /** The files that build.json references. */
  references: readonly Reference[];
  package?: PackageOrigin | undefined;
}

/** A build, read from its folder; tables are not read yet. */
export interface BuildSource extends FoundBuild, SharedByBuilds {
  /** The game's definition for this build. */
  definition: GameDefinition;
  /** The lasting corrections that apply to this build. */
  corrections: readonly Correction[];
}

const validSlug = new RegExp(dist.SLUG);
const validBuildName = new RegExp(dist.BUILD_NAME);

/** Reads the files of a game's folder that maintainers write, and collects their faults. */
class DefinitionReader {
  readonly folder: string;
  readonly findings: Finding[];

  constructor(folder: string, findings: Finding[]) {
    this.folder = folder;
    this.findings = findings;
  }

  report(...fault: Parameters<typeof errorAt>): void {
    this.findings.push(errorAt(...fault));
  }

  has(name: string): boolean {
    // A broken link counts: reading it reports it.
    return lstatSync(path.posix.join(this.folder, name), { throwIfNoEntry: false }) !== undefined;
  }

  /**
   * Reads a JSON file. @param named the place that names the file; absent if its name is fixed
   * @returns undefined if it cannot be read, or does not match its schema
   */
  async read<T>(name: string, schema: Schema<T>, check: CheckName, named?: Place): Promise<T | undefined> {
    const parsed = await this.readJson(name, check, named);
    if (parsed === undefined) return undefined;
    const file = path.posix.join(this.folder, name);
    const validate = compileSchema(schema);
    const faults = checkSchema(validate, parsed.value, check, { file, pointer: '' });
    addFindings(this.findings, faults);
    return faults.length === 0 && parsed.isSound && validate(parsed.value) ? parsed.value : undefined;
  }

  /** Reads a JSON file without a schema. */
  async readJson(
    name: string,
    check: CheckName,
    named?: Place,
  ): Promise<{ text: string; value: dist.Json; isSound: boolean } | undefined> {
    const text = await readInside(this.folder, name, named, named && check);
    const parsed = 'value' in text ? parseJson(text.value, path.posix.join(this.folder, name)) : text;
    if ('finding' in parsed) this.findings.push(parsed.finding);
    if ('finding' in parsed || 'finding' in text) return undefined;
    addFindings(this.findings, parsed.findings);
    return { text: text.value, value: parsed.value, isSound: parsed.findings.length === 0 };
  }
}

/**
 * Reads the definition of a game and those of its builds.
 *
 * @param folder the game's folder
 * @param cache the folder with copies of referenced files
 * @returns undefined if the game's definition cannot be used
 */
export async function readGame(
  folder: string,
  slug: string,
  cache = DEFAULT_UPSTREAM_CACHE,
): Promise<WithFindings<GameSource | undefined>> {
  const findings: Finding[] = [];
  const reader = new DefinitionReader(folder, findings);
  const gameFile = path.posix.join(folder, 'game.json');
  const raw = await readGameFile(folder, findings);
  const findingsBefore = findings.length;
  const builds = await readBuilds(folder, raw, findings, cache);
  const readable = !hasErrors(findings.slice(findingsBefore));
  if (!validSlug.test(slug)) {
    const expected = 'lowercase letters, digits and single hyphens; at most 64';
    reader.report('slug', gameFile, `a game named "${slug}"`, expected, 'rename the folder');
  }
  if (builds.length === 0 && !hasErrors(findings)) {
    const fix = `write ${folder}/<build>/build.json with {"released_at": "…"}, next to the build's files`;
    const expected = 'at least one folder with a build.json';
    reader.report('build-definition', gameFile, 'no build', expected, fix);
  }
  if (raw === undefined || builds.length === 0) return { value: undefined, findings };

  const files = listExpressionFiles(raw);
  const { value: texts, findings: ofFiles } = await readExpressionFiles(folder, gameFile, files);
  const names = builds.map(({ build }) => build);
  const attributes = await readAttributes(reader, gameFile, raw.attributes);
  const { value: definitions, findings: ofChanges } = defineBuilds(raw, gameFile, names, texts, attributes);
  const schemas = await readSchemaFiles(reader, gameFile, raw.schemas);
  const corrected = await readCorrectionsFile(reader, names, readable);
  const { $schema: _, ...aliases } =
    (reader.has(ALIASES_FILE) && (await reader.read(ALIASES_FILE, aliasesSchema, 'aliases'))) || {};
  // A build that could not be read may be the one that a change names.
  addFindings(findings, ofFiles, readable ? ofChanges : []);
  const { language, played_in, images, draft = false, checks = {}, source } = raw;
  const shared = { schemas, checks, holdOn: source?.hold_on, language, played_in, images, aliases };
  const value = {
    ...dist.descriptionOf(raw),
    ...shared,
    slug,
    folder,
    draft,
    withdrawn: corrected.withdrawn,
    usable: !hasErrors([...ofFiles, ...ofChanges]),
    builds: builds.map((found, index) => ({
      ...found,
      ...shared,
      definition: definitions[index] as GameDefinition,
      corrections: corrected.ofBuilds[index] ?? [],
    })),
  };
  return { value, findings };
}

/** Reads `game.json`. @returns undefined, with findings, if it does not match its schema */
export async function readGameFile(
  folder: string,
  findings: Finding[],
): Promise<RawGameDefinition | undefined> {
  const reader = new DefinitionReader(folder, findings);
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    return await reader.read('game.json', gameSchema, 'definition');
  const fix = 'replace the link with the folder itself, or pass its parent folder with --data';
  reader.report('slug', folder, "a link instead of a game's folder", 'a folder', fix);
  return undefined;
}

/** Reads the meaning of the attributes from `game.json`, or from the file that it names. */
async function readAttributes(
  reader: DefinitionReader,
  gameFile: string,
  raw: AttributeDefinitions | string | undefined,
): Promise<AttributeDefinitions | undefined> {
  if (typeof raw !== 'string') return raw;
  const named = { file: gameFile, pointer: '/attributes' };
  const content = await reader.read(raw, attributesSchema, 'attributes-file', named);
  const { $schema: _, ...definitions } = content ?? {};
  return content && definitions;
}

/** Reads the JSON Schemas that a `game.json` names for its datasets. One that cannot be used is left out with a finding. */
async function readSchemaFiles(
  reader: DefinitionReader,
  gameFile: string,
  files: Record<string, string> = {},
): Promise<DatasetSchemas> {
  const schemas = new Map<string, { text: string; mismatchesOf: DatasetSchema }>();
  for (const [key, file] of Object.entries(files)) {
    const named = { file: gameFile, pointer: pointerTo('/schemas', key) };
    const parsed = await reader.readJson(file, 'schema-file', named);
    if (parsed === undefined) continue;
    const { value, findings } = compileDatasetSchema(parsed.value, path.posix.join(reader.folder, file));
    addFindings(reader.findings, findings);
    if (value) schemas.set(key, { text: parsed.text, mismatchesOf: value });
  }
  return schemas;
}

/** @param isWhole whether all builds could be read */
async function readCorrectionsFile(
  reader: DefinitionReader,
  builds: readonly string[],
  isWhole: boolean,
): Promise<{ ofBuilds: readonly Correction[][]; withdrawn: readonly dist.Withdrawal[] }> {
  if (!reader.has(CORRECTIONS_FILE)) return { ofBuilds: [], withdrawn: [] };
  const file = path.posix.join(reader.folder, CORRECTIONS_FILE);
  const raw = await reader.read(CORRECTIONS_FILE, correctionsSchema, 'corrections');
  const { value, findings } = readCorrections(raw ?? {}, file, isWhole ? builds : undefined);
  addFindings(reader.findings, findings);
  const { corrections, withdrawn } = value;
  return { ofBuilds: builds.map((_, at) => correctionsOf(corrections, builds, at)), withdrawn };
}

/**
 * Reads the builds of a game's folder, oldest first.
 *
 * @param raw the game's definition, which may name files in folders that are not builds; undefined if it cannot be used
 * @param cache the folder with copies of referenced files
 */
export async function readBuilds(
  folder: string,
  raw: RawGameDefinition | undefined,
  findings: Finding[],
  cache = DEFAULT_UPSTREAM_CACHE,
): Promise<FoundBuild[]> {
  const reader = new DefinitionReader(folder, findings);
  const builds: FoundBuild[] = [];
  for (const build of findBuilds(reader, raw)) {
    const file = path.posix.join(folder, build, 'build.json');
    if (!validBuildName.test(build)) {
      const expected = 'letters, digits, ".", "_", "~", "-", at most 64 of them, and not "latest"';
      reader.report('build-name', file, `a build named "${build}"`, expected, 'rename the folder');
    }
    const definition = await reader.read(path.posix.join(build, 'build.json'), buildSchema, 'definition');
    if (definition === undefined) continue;
    const { released_in = {}, note = null, removed = [], from, amended = [], renamed = {} } = definition;
    for (const region of Object.keys(released_in)) {
      if (raw?.regions === undefined || Object.hasOwn(raw.regions, region)) continue;
      const found = `the region "${region}", which game.json does not name`;
      const expected = `one of its regions: ${Object.keys(raw.regions).join(', ')}`;
      reader.report('definition', { file, pointer: pointerTo('/released_in', region) }, found, expected);
    }
    const inRegions = Object.entries(released_in).map(([region, time]) => [region, toUtc(time)]);
    builds.push({
      build,
      folder: path.posix.join(folder, build),
      released_at: toUtc(definition.released_at),
      releasedIn: Object.fromEntries(inRegions),
      note,
      removed,
      package: definition.package,
      references: from ? resolveReferences(reader, from, raw?.source?.git, cache, file) : [],
      amended: await readAmendments(reader, file, amended),
      overrides: definition.overrides ?? [],
      carried: definition.carried ?? {},
      as_of: definition.as_of ?? {},
      ...(await readRenamed(reader, file, renamed)),
    });
  }
  builds.sort((a, b) => Date.parse(a.released_at) - Date.parse(b.released_at));
  for (const [index, { folder: own, released_at }] of builds.entries()) {
    const before = builds[index - 1];
    if (before === undefined || Date.parse(before.released_at) !== Date.parse(released_at)) continue;
    const place = { file: path.posix.join(own, 'build.json'), pointer: '/released_at' };
    const found = `${released_at}, which is also the time of ${before.build}`;
    reader.report('build-order', place, found, 'a different time, because builds are ordered by it');
  }
  return builds;
}

/**
 * Finds the builds in a game's folder: the folders with a build.json. Other folders, and links to folders, are findings.
 *
 * @param raw names files in folders that are not builds; undefined if any folder without a build.json may be one of them
 * @returns their names, in order
 */
function findBuilds({ folder, findings }: DefinitionReader, raw: RawGameDefinition | undefined): string[] {
  const named = raw && [
    ...[...listExpressionFiles(raw).keys(), ...Object.values(raw.schemas ?? {})],
    ...(typeof raw.attributes === 'string' ? [raw.attributes] : []),
    ...[AMENDMENTS_FOLDER, RENAMED_FOLDER],
  ];
  const others = new Set(named?.map((file) => file.split('/')[0]));
  const builds: string[] = [];
  for (const entry of listFolder(folder, findings).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.posix.join(folder, entry.name);
    const isDefined = existsSync(path.posix.join(file, 'build.json'));
    const isHidden = entry.name.startsWith('.');
    if (entry.isSymbolicLink() && !others.has(entry.name) && (isDefined || !existsSync(file))) {
      const fix =
        'replace it with the folder itself; a build needs only the files that differ from the one before';
      const expected = "folders in a game's folder, not links";
      findings.push(errorAt('build-definition', file, 'a link instead of a folder', expected, fix));
    }
    if (!entry.isDirectory()) continue;
    if (isDefined && !isHidden) builds.push(entry.name);
    else if (isDefined || (!isHidden && named && !others.has(entry.name))) {
      const found = `a ${isHidden ? 'hidden folder' : 'folder without a build.json'}, which is ignored`;
      const expected = 'a build.json in the folder of every build, whose name does not start with "."';
      findings.push({ ...errorAt('build-definition', file, found, expected), severity: 'warning' });
    }
  }
  return builds;
}

/** @param instant a valid date or date-time */
function toUtc(instant: string): string {
  return readInstant(instant) ?? instant;
}

/** Resolves `from` of a build.json. @param git the repository of references that name none */
function resolveReferences(
  reader: DefinitionReader,
  raw: RawReferences | RawReferences[],
  git: string | undefined,
  cache: string,
  place: string,
): Reference[] {
  const references = new Map<string, Reference>();
  for (const [index, { git: own = git, commit, files }] of [raw].flat().entries()) {
    const at = Array.isArray(raw) ? pointerTo('/from', index) : '/from';
    if (own === undefined) {
      const found = 'no "git", and game.json names no repository in "source" either';
      reader.report('definition', { file: place, pointer: at }, found, 'the address of one');
      continue;
    }
    for (const [file, named] of Object.entries(files)) {
      const { path: inside, sha256 } = typeof named === 'string' ? { path: file, sha256: named } : named;
      const pointer = pointerTo(`${at}/files`, file);
      if (references.has(file))
        reader.report('definition', { file: place, pointer }, `"${file}" a second time`, 'it once');
      const cached = cachedFile(cache, sha256, file);
      references.set(file, { file, sha256, git: own, commit, path: inside, cached });
    }
  }
  return [...references.values()];
}

/** The part of an amendment's changes by which its file is recognised. */
const changed = list(open({ id: text(), changes: list(open({ path: text() })) }));
const changesSchema = open({
  characters: open({ changed }),
  datasets: map(open({}, { changed })),
}) as unknown as Schema<dist.JsonObject>;

/** Reads the changes of a build's amendments. */
async function readAmendments(
  reader: DefinitionReader,
  file: string,
  amended: readonly RawAmendment[],
): Promise<ReadAmendment[]> {
  const read: ReadAmendment[] = [];
  const before = reader.findings.length;
  for (const [index, { at, reason, changes: name }] of amended.entries()) {
    const named = { file, pointer: `/amended/${index}/changes` };
    const changes = name && (await reader.read(name, changesSchema, 'build-definition', named));
    read.push({ at: toUtc(at), reason, ...(changes && { changes }) });
  }
  const fix =
    'restore it from version control; if it is lost, remove "changes", and the history does not show what was served before';
  for (const finding of reader.findings.slice(before)) finding.fix ??= fix;
  return read;
}

/** Reads the renumbered records of a build, from build.json or from a file of the game's folder. */
async function readRenamed(
  reader: DefinitionReader,
  file: string,
  raw: dist.Renames | string,
): Promise<{ renamed: dist.Renames; renamedAt: Place }> {
  const place = { file, pointer: '/renamed' };
  if (typeof raw !== 'string') return { renamed: raw, renamedAt: place };
  const renamed = (await reader.read(raw, renamedSchema, 'renamed', place)) ?? {};
  return { renamed, renamedAt: { file: path.posix.join(reader.folder, raw), pointer: '' } };
}
