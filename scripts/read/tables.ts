import path from 'node:path';
import fastGlob from 'fast-glob';
import {
  addFindings,
  errorAt,
  type Finding,
  NO_REPORTER,
  type Place,
  placeBelow,
  quoteValue,
  type StepReporter,
  type WithFindings,
} from '../findings.ts';
import {
  compareNatural,
  DATASET_KEY,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
} from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import { suggestFix } from '../text.ts';
import type { TableDefinition } from './definition.ts';
import { listFolder, parseFile } from './files.ts';
import { isKnownFile, KNOWN_FILES, type ReadOptions, stemOf } from './formats.ts';
import type { BuildSource, GameSource } from './game.ts';
import { matchPattern } from './patterns.ts';

/** A raw table: its value, and the places of its rows. */
export interface SourceTable {
  name: string;
  value: Json;
  place: Place;
  /** Returns the place of the row with a key: property name, file stem or index. */
  placeOfRow(key: string | number): Place;
}

/** Joins the parts of a key with several fields: `100101:5`. */
const KEY_SEPARATOR = ':';

/**
 * Returns an object with the rows of a table by the values of one or more fields, so that a join is a look-up. A row without the key is left out with
 * a finding, or silently if `skipKeyless` is set; so is a second row with the same key, unless `many` is set: then each key has a list of rows. If a
 * row is a list, as a file with a list is, its elements are the rows.
 *
 * @param fields names of fields, or JSON Pointers into a row if they begin with `/`
 */
function keyTable(
  table: SourceTable,
  fields: string[],
  { many, skipKeyless }: Pick<TableDefinition, 'many' | 'skipKeyless'>,
  findings: Finding[],
): SourceTable {
  if (!isObject(table.value) && !Array.isArray(table.value)) {
    const found = quoteValue(table.value);
    findings.push(errorAt('table-key', table.place, found, 'a list or an object of rows'));
    return table;
  }
  const rows = new Map<string, { values: Json[]; placeOf(): Place }>();
  const paths = fields.map((field) => (field.startsWith('/') ? pointerSteps(field) : [field]));
  const limit = fields.length > 1 ? ` without "${KEY_SEPARATOR}"` : '';
  const addRow = (value: Json, placeOf: () => Place) => {
    const parts = paths.map((steps) => valueBelow(value, steps));
    const isKeyless = parts.some((part) => part === undefined || part === null || part === '');
    if (skipKeyless && isKeyless) return;
    const bad = parts.findIndex((part) => !isKeyPart(part, fields.length > 1));
    if (bad !== -1) {
      const { fix } = suggestFix(fields[bad] ?? '', isObject(value) ? Object.keys(value) : []);
      const hint = parts[bad] === undefined && fix ? `; ${fix}` : '';
      const found = `${quoteValue(parts[bad])} as "${fields[bad]}"${hint}`;
      const expected = `a number or a text${limit}, because it is part of the key of table "${table.name}"`;
      findings.push(errorAt('table-key', placeOf(), found, expected, isKeyless ? SKIP : undefined));
      return;
    }
    const key = parts.join(KEY_SEPARATOR);
    const twin = rows.get(key);
    if (twin === undefined) rows.set(key, { values: [value], placeOf });
    else if (many) twin.values.push(value);
    else {
      const { file, pointer } = twin.placeOf();
      const found = `a second row with the key "${key}"; the first is ${file} ${pointer}`;
      findings.push(errorAt('table-key', placeOf(), found, `distinct ${fields.join(', ')}`, MANY));
    }
  };
  for (const [from, value] of Object.entries(table.value)) {
    const placeOf = () => table.placeOfRow(from);
    if (!Array.isArray(value)) addRow(value, placeOf);
    else for (const [index, row] of value.entries()) addRow(row, () => placeBelow(placeOf(), index));
  }
  const keyed = [...rows].map(([key, { values }]) => [key, many ? values : (values[0] ?? null)]);
  return {
    ...table,
    value: Object.fromEntries(keyed),
    placeOfRow: (key) => rows.get(String(key))?.placeOf() ?? table.placeOfRow(key),
  };
}

const SKIP = 'to leave such rows out, set "skip_keyless": true of the table in game.json';
const MANY =
  'to have a list of rows for each key, set "many": true of the table in game.json, or add a field to its key';

function valueBelow(value: Json, steps: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of steps)
    at = isObject(at) || Array.isArray(at) ? ownValue(at as JsonObject, step) : undefined;
  return at;
}

/** In a key with several fields, a part must not contain the separator: two different keys could become equal. */
function isKeyPart(part: Json | undefined, several: boolean): boolean {
  if (typeof part === 'number') return Number.isFinite(part);
  return typeof part === 'string' && part !== '' && !(several && part.includes(KEY_SEPARATOR));
}

/** The contents of files. Each file is parsed once, even if many builds have it. */
export class ParsedFiles {
  /** By path, then by the options as JSON. */
  readonly #values = new Map<string, Map<string, Json | undefined>>();
  readonly #steps: StepReporter;
  readonly #hashes: ReadonlyMap<string, string>;

  /** @param hashes the expected SHA-256 of referenced files, by path */
  constructor(steps: StepReporter, hashes: ReadonlyMap<string, string> = new Map()) {
    this.#steps = steps;
    this.#hashes = hashes;
  }

  /**
   * Reads a file, once per set of options.
   *
   * @param findings receives the findings about the file when it is parsed
   * @returns undefined if it cannot be parsed
   */
  async read(file: string, options: ReadOptions, findings: Finding[]): Promise<Json | undefined> {
    const readings = this.#values.get(file) ?? new Map<string, Json | undefined>();
    this.#values.set(file, readings);
    const reading = JSON.stringify(options);
    if (!readings.has(reading)) {
      this.#steps.beginStep(`reading ${file}`, file);
      const outcome = await parseFile(file, options, this.#hashes.get(file));
      addFindings(findings, 'finding' in outcome ? [outcome.finding] : outcome.findings);
      readings.set(reading, 'value' in outcome ? outcome.value : undefined);
    }
    return readings.get(reading);
  }

  /** Drops the files that no later build has. */
  dropReplaced(overlays: Overlays): void {
    const current = new Set([...overlays.values()].flatMap((overlay) => [...overlay.values()]));
    for (const file of this.#values.keys()) if (!current.has(file)) this.#values.delete(file);
  }
}

/** The parts of a build that decide which files it has. */
type Source = Pick<BuildSource, 'folder' | 'removed' | 'references'>;

/** For each path inside a build's folder, the file of the newest build that has it. */
export type Overlay = Map<string, string>;

/** An overlay for each pattern of files. */
export type Overlays = Map<string, Overlay>;

/**
 * Updates the overlays for the next build: drops the files that the build removes, and adds those in its folder.
 *
 * @returns findings about useless removals, links, and files that are both in the folder and referenced
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
 * Finds the files of a build by their paths inside its folder: those in it, and the copies of referenced ones. Links are findings, because a wildcard
 * would silently skip them, and so are folders that cannot be listed.
 */
function listBuild({ folder, references }: Source, findings: Finding[]): Map<string, string> {
  const paths = new Map<string, string>();
  const report = (file: string, ...problem: [found: string, expected: string, fix: string]) =>
    findings.push(errorAt('table-files', path.posix.join(folder, file), ...problem));
  for (const entry of listFolder(folder, findings, { recursive: true })) {
    const full = path.join(entry.parentPath, entry.name);
    const file = path.relative(folder, full).replaceAll(path.sep, '/');
    if (entry.isFile()) paths.set(file, path.posix.join(folder, file));
    if (!entry.isSymbolicLink()) continue;
    const fix = 'replace it with what it leads to; files of the build before are inherited';
    report(file, 'a link, which is not followed', "files and folders in a build's folder, not links", fix);
  }
  for (const { file, cached } of references) {
    const expected = 'each file either in the folder or in "from"';
    if (paths.has(file))
      report(file, 'a file that "from" in build.json names too', expected, 'remove one of them');
    else paths.set(file, cached);
  }
  return paths;
}

/** Returns the files of a listing that match a pattern. The disk is not read, so that no pattern finds anything outside the folder. */
function findFiles(pattern: string, files: ReadonlyMap<string, string>): string[] {
  if (!fastGlob.isDynamicPattern(pattern))
    return files.has(pattern) && pattern !== DEFINITION ? [pattern] : [];
  const matches = pattern === KNOWN_FILES ? isKnownFile : matchPattern(pattern);
  return [...files.keys()].filter((file) => file !== DEFINITION && matches(file));
}

const DEFINITION = 'build.json';

/** @param gone whether an earlier build had each removed file; a file that no build had is probably misspelt */
function findUselessRemovals({ folder, removed }: Source, overlays: Overlays, gone: boolean[]): Finding[] {
  return removed.flatMap((file, index): Finding[] => {
    const back = [...overlays.values()].some((overlay) => overlay.has(file));
    if (!back && gone[index]) return [];
    const place = { file: path.posix.join(folder, 'build.json'), pointer: pointerTo('/removed', index) };
    const found = `"${file}", which ${back ? "the build's own folder" : 'no earlier build'} has`;
    const expected = 'a file of an earlier build that this build does not have';
    return [{ ...errorAt('removed-files', place, found, expected), severity: back ? 'error' : 'warning' }];
  });
}

/** A build with its tables: the input of the compile stage. */
export interface BuildTables {
  source: BuildSource;
  tables: Map<string, SourceTable>;
  /** Files directly in the build's folder that no table names, by dataset key or `characters`. They are served unchanged. */
  served: Map<string, SourceTable>;
}

/** Reads a file with a table's options; undefined if it cannot be parsed. */
type ReadValue = (file: string, options: ReadOptions) => Promise<Json | undefined>;

const validKey = new RegExp(DATASET_KEY);
const NO_FILES: Overlay = new Map();

/**
 * Reads the tables of a build.
 *
 * @param overlays the build's files, by the patterns of its tables and the one for served files
 * @param parsed shared by the builds of a game
 */
export async function readTables(
  folder: string,
  source: BuildSource,
  overlays: Overlays,
  parsed: ParsedFiles,
): Promise<WithFindings<BuildTables>> {
  const findings: Finding[] = [];
  const read: ReadValue = (file, options) => parsed.read(file, options, findings);
  const tables = new Map<string, SourceTable>();
  for (const definition of source.definition.tables) {
    const overlay = overlays.get(definition.files) ?? NO_FILES;
    const table = await readTable(definition, overlay, read, findings);
    if (table) tables.set(definition.name, table);
    else if (overlay.size === 0 && !definition.optional)
      findings.push(missingTable(definition, source, folder));
  }
  const claimed = new Set(
    source.definition.tables.flatMap(({ files }) => [...(overlays.get(files) ?? NO_FILES).values()]),
  );
  const served = await readServed(overlays.get(KNOWN_FILES) ?? NO_FILES, claimed, read, findings);
  return { value: { source, tables, served }, findings };
}

async function readTable(
  definition: TableDefinition,
  overlay: Overlay,
  read: ReadValue,
  findings: Finding[],
): Promise<SourceTable | undefined> {
  const { name, files, key, reading } = definition;
  let table: SourceTable | undefined;
  if (fastGlob.isDynamicPattern(files)) table = await readFileRows(definition, overlay, read, findings);
  else {
    const file = overlay.get(files);
    const place = file !== undefined && placeIn(file, definition);
    if (place) table = tableOfFile(name, place, await read(place.file, reading), findings);
  }
  return table && key ? keyTable(table, key, definition, findings) : table;
}

/** The place of a table in a file. It contains options only if the table declares some. */
function placeIn(file: string, { at, reading }: TableDefinition): Place {
  return { file, pointer: at, ...(Object.keys(reading).length > 0 && { reading }) };
}

/** Reads a table in which each file is a row: an object by file stem. */
async function readFileRows(
  definition: TableDefinition,
  overlay: Overlay,
  read: ReadValue,
  findings: Finding[],
): Promise<SourceTable | undefined> {
  const { name } = definition;
  const rows = new Map<string, { value: Json; place: Place }>();
  for (const relative of [...overlay.keys()].sort(compareNatural)) {
    const file = overlay.get(relative) ?? '';
    const stem = stemOf(file);
    const place = placeIn(file, definition);
    const twin = rows.get(stem);
    if (twin) {
      const found = `a second file with the stem "${stem}"; the first is ${twin.place.file}`;
      const expected = `distinct stems, because they are the keys of table "${name}"`;
      findings.push(errorAt('table-files', { ...place, line: 1 }, found, expected));
    }
    const value = valueAt(await read(file, definition.reading), place, findings);
    if (value !== undefined) rows.set(stem, { value, place });
  }
  const [first] = rows.values();
  if (first === undefined) return undefined;
  const { place } = first;
  return {
    name,
    value: Object.fromEntries([...rows].map(([stem, { value }]) => [stem, value])),
    place,
    placeOfRow: (key) => rows.get(String(key))?.place ?? place,
  };
}

function tableOfFile(
  name: string,
  place: Place,
  content: Json | undefined,
  findings: Finding[],
): SourceTable | undefined {
  const value = valueAt(content, place, findings);
  return value === undefined
    ? undefined
    : { name, value, place, placeOfRow: (key) => placeBelow(place, key) };
}

/** Returns the value at a place of a file, with a finding if the file lacks it. */
function valueAt(content: Json | undefined, place: Place, findings: Finding[]): Json | undefined {
  if (content === undefined) return undefined;
  const value = valueBelow(content, pointerSteps(place.pointer));
  const expected = `a table at "${place.pointer}", as game.json declares`;
  if (value === undefined) findings.push(errorAt('table-files', place, 'nothing there', expected));
  return value;
}

function missingTable(
  { pointer, name, files }: TableDefinition,
  { build, removed }: BuildSource,
  folder: string,
): Finding {
  const isRemoved = removed.includes(files);
  return errorAt(
    'table-files',
    { file: path.posix.join(folder, 'game.json'), pointer },
    isRemoved
      ? `the file "${files}", which build ${build} removes`
      : `no file "${files}" in build ${build} or before it`,
    `the files of table "${name}"`,
    isRemoved
      ? `if the dump lacks the file by mistake, or has it in another folder, remove the build and add the dump again (gamedata add, --partial for an incomplete dump); if the game no longer has it, remove the table and its datasets with "changes": {"from": "${build}", "tables": {"${name}": null}}`
      : 'correct the path; or add the dump again, if the table was declared after it was added; or declare {"files": …, "optional": true}, if builds may lack it',
  );
}

async function readServed(
  overlay: Overlay,
  claimed: Set<string>,
  read: ReadValue,
  findings: Finding[],
): Promise<Map<string, SourceTable>> {
  const served = new Map<string, SourceTable>();
  for (const [relative, file] of [...overlay].sort(([a], [b]) => compareNatural(a, b))) {
    if (claimed.has(file)) continue;
    const key = stemOf(relative);
    if (!validKey.test(key)) {
      const found = `a file named "${relative}", which is ignored`;
      const expected = 'a dataset key in snake_case as its stem, or a table in game.json that names it';
      findings.push({ ...errorAt('dataset-file', file, found, expected), severity: 'warning' });
      continue;
    }
    const expected = 'one file for each dataset, in any format';
    if (served.has(key)) findings.push(errorAt('dataset-file', file, `a second file for "${key}"`, expected));
    const table = tableOfFile(key, { file, pointer: '' }, await read(file, {}), findings);
    if (table) served.set(key, unwrap(table));
  }
  return served;
}

/** Unwraps a list in an object, if the list is the only property. */
function unwrap(table: SourceTable): SourceTable {
  if (!isObject(table.value)) return table;
  const [only, ...others] = Object.entries(table.value);
  if (only === undefined || others.length > 0 || !Array.isArray(only[1])) return table;
  const place = placeBelow(table.place, only[0]);
  return { ...table, value: only[1], place, placeOfRow: (key) => placeBelow(place, key) };
}

/** A build whose files are known but not read yet. */
export interface BuildFiles {
  source: BuildSource;
  /** The build's files by pattern: its own, and those it inherits from earlier builds. */
  overlays: Overlays;
  /** Findings about misplaced files. */
  findings: Finding[];
  /** Reads the tables. Call it before the next build is requested from the generator. */
  read(): Promise<WithFindings<BuildTables>>;
}

/**
 * Finds the files of a game's builds, oldest first. A build has its own files and those of the previous build, except the ones that it replaces or
 * removes.
 */
export async function* findBuildFiles(game: GameSource, steps = NO_REPORTER): AsyncGenerator<BuildFiles> {
  const declared = game.builds.flatMap(({ definition }) => definition.tables.map(({ files }) => files));
  const patterns = [...new Set(declared), KNOWN_FILES];
  const overlays: Overlays = new Map(patterns.map((pattern) => [pattern, new Map()]));
  const references = game.builds.flatMap((build) => build.references);
  const hashes = new Map(references.map(({ cached, sha256 }) => [cached, sha256]));
  const parsed = new ParsedFiles(steps, hashes);

  for (const source of game.builds) {
    steps.beginStage('finding the files of the build', path.posix.join(source.folder, 'build.json'));
    const findings = advanceOverlays(overlays, source);
    parsed.dropReplaced(overlays);
    yield { source, overlays, findings, read: () => readTables(game.folder, source, overlays, parsed) };
  }
}
