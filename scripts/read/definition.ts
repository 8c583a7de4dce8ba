import { posix } from 'node:path';
import { type CheckName, errorAt, type Finding, type Place, type WithFindings } from '../findings.ts';
import { isObject, type Renames } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { readInside } from './files.ts';
import type { ReadOptions } from './formats.ts';
import type { ReadAmendment } from './game.ts';
import type {
  AttributeDefinitions,
  Override,
  RawChange,
  RawDataset,
  RawExpression,
  RawGameDefinition,
  RawMapping,
  RawTable,
  Regions,
} from './game-schema.ts';

/** A table as `game.json` declares it, with defaults. */
export interface TableDefinition {
  name: string;
  /** Where game.json declares it, as a JSON Pointer. */
  pointer: string;
  /** The name in game.json of a table for several regions. */
  declaredAs?: string;
  /** A path inside the build's folder, or a glob. With a wildcard, the table is an object by file stem. */
  files: string;
  /** JSON Pointer to the table inside the file; `''` for the whole file. */
  at: string;
  /** Whether a build may lack the files; then the table is absent. */
  optional: boolean;
  /** The fields that form the key of a row: then the table is an object of rows. */
  key?: string[];
  /** Whether several rows may have the same key: then each key has a list of rows. */
  many: boolean;
  /** Whether rows without the key are left out silently. */
  skipKeyless: boolean;
  reading: ReadOptions;
}

/**
 * Adds the defaults to a valid table.
 *
 * @param pointer where game.json declares it
 */
function defineTable(name: string, raw: RawTable, pointer: string): TableDefinition {
  const {
    files,
    at = '',
    optional = false,
    key,
    many = false,
    skip_keyless: skipKeyless = false,
    regions: _,
    ...reading
  } = typeof raw === 'string' ? { files: raw } : raw;
  const keyed = key === undefined ? {} : { key: [key].flat() };
  return { name, pointer, files, at, optional, ...keyed, many, skipKeyless, reading };
}

/**
 * Returns the tables of a declaration: one, or one per region in the order of `regions`. Regions that game.json lacks make none.
 *
 * @param pointer where game.json declares it
 */
export function defineTables(
  name: string,
  raw: RawTable,
  pointer: string,
  regions: Regions,
): TableDefinition[] {
  const wanted = typeof raw === 'string' ? undefined : raw.regions;
  if (wanted === undefined) return [defineTable(name, raw, pointer)];
  return Object.entries(regions).flatMap(([region, folder]) => {
    if (wanted !== true && !wanted.includes(region)) return [];
    const table = defineTable(`${name}_${region}`, raw, pointer);
    return [{ ...table, declaredAs: name, files: posix.join(folder, table.files) }];
  });
}

// The raw form of `game.json` and `build.json` (`Raw…`), and the normalised form that the stages use.

/** An expression that is not parsed yet. */
export interface ExpressionSource {
  /** Where game.json contains or names it, as a JSON Pointer. */
  pointer: string;
  /** The path of its file inside the game's folder; absent if game.json contains the expression. */
  file?: string;
  /** Undefined if the file could not be read. */
  text: string | undefined;
}

/** Makes records from the rows of a table with JSONata expressions. */
export interface RowMapping {
  pointer: string;
  /** Tables in order of precedence; a name can stand for the tables of all regions. */
  from: { pointer: string; tables: readonly string[] };
  where?: ExpressionSource;
  entry: ExpressionSource;
}

/** Makes the roster. `record` returns the attributes that only the full record has. */
interface RosterMapping extends RowMapping {
  record?: ExpressionSource;
}

/** Makes a dataset: row by row, or with one expression over all tables. */
type DatasetMapping = { key: string } & (RowMapping | { expression: ExpressionSource });

/** A game's definition for a build. Without `roster`, the file `characters.json` (`.csv` …) is the roster. */
export interface GameDefinition {
  /** The build where a change in game.json starts this definition; undefined for the first definition. */
  since?: string;
  tables: TableDefinition[];
  /** The tables that a change removed, which expressions may still name. */
  removed?: readonly string[];
  /** The tables of changes whose build is not there yet or was taken back, which the helpers may name. */
  ahead: readonly string[];
  /** The functions that all expressions share. */
  helpers?: ExpressionSource;
  roster?: RosterMapping;
  datasets: DatasetMapping[];
  /** The meaning of the attributes; undefined if the game does not describe them. */
  attributes?: AttributeDefinitions;
}

/**
 * The content of build.json. `released_at` is in UTC; `removed` lists files of earlier builds; `amended` is oldest first; `renamed` are the records
 * that the build renumbered, at the pointer `renamedAt`.
 */
export interface BuildDefinition {
  released_at: string;
  /** The release times of regions where they differ, in UTC. */
  releasedIn: Readonly<Record<string, string>>;
  note: string | null;
  removed: string[];
  amended: ReadAmendment[];
  overrides: Override[];
  /** The datasets that are taken from the previous build, with the reasons. */
  carried: Readonly<Record<string, string>>;
  /** The date of a collection's source, if it is not that of the release. */
  as_of: Readonly<Record<string, string>>;
  renamed: Renames;
  renamedAt: Place;
}

/** The texts of expression files by path inside the game's folder; undefined for a file that could not be read. */
type ExpressionTexts = ReadonlyMap<string, string | undefined>;

/** The definition while changes are applied to it, by the names in game.json, so that a change can replace or remove each part. */
interface State {
  tables: Map<string, TableDefinition[]>;
  /** The names of all tables so far. */
  named: Set<string>;
  /** Where the roster's mapping is. */
  rosterAt: string;
  roster: Map<'from' | 'where' | 'entry' | 'record', RowMapping['from'] | ExpressionSource>;
  datasets: Map<string, DatasetMapping>;
}

type Report = (pointer: string, found: string, expected: string, check?: CheckName) => void;

/**
 * Resolves a valid `game.json` into the definition of each build. Builds between two changes share a definition; definitions share the parts that do
 * not change. Pure.
 *
 * @param file the path of game.json for findings
 * @param builds names of the builds, oldest first
 * @param attributes the meaning of the attributes, in all builds
 */
export function defineBuilds(
  raw: RawGameDefinition,
  file: string,
  builds: readonly string[],
  texts: ExpressionTexts,
  attributes?: AttributeDefinitions,
): WithFindings<GameDefinition[]> {
  const { helpers, regions = {} } = raw;
  const findings: Finding[] = [];
  const report: Report = (pointer, found, expected, check = 'mapping-changes') =>
    findings.push(errorAt(check, { file, pointer }, found, expected));
  const state: State = {
    tables: new Map(),
    named: new Set(),
    rosterAt: '/roster',
    roster: new Map(),
    datasets: new Map(),
  };
  const ahead: string[] = [];
  const game = {
    ahead,
    ...(helpers !== undefined && { helpers: defineExpression({ file: helpers }, '/helpers', texts) }),
    ...(attributes && { attributes }),
  };
  const changes = new Map<string, { change: RawChange; pointer: string }>();
  for (const [index, change] of (raw.changes ?? []).entries()) {
    const pointer = pointerTo('/changes', index);
    const { from } = change;
    if (changes.has(from))
      report(`${pointer}/from`, `a second change from build "${from}" on`, 'one change for each build');
    changes.set(from, { change, pointer });
    if (builds.includes(from)) continue;
    ahead.push(...Object.keys(change.tables ?? {}));
    // A definition may be written before its build is added.
    const found = `the build "${from}", which the game does not have: the change has no effect until it is added`;
    const expected = `a build of the game: ${builds.join(', ')}`;
    const fault = errorAt('mapping-changes', { file, pointer: `${pointer}/from` }, found, expected);
    findings.push({ ...fault, severity: 'warning' });
  }
  applyLayer(state, raw, '', texts, regions, report);
  let definition = freeze(game, state);
  const definitions = builds.map((build) => {
    const found = changes.get(build);
    if (found) {
      applyLayer(state, found.change, found.pointer, texts, regions, report);
      definition = { ...freeze(game, state), since: build };
    }
    return definition;
  });
  return { value: definitions, findings };
}

function applyLayer(
  state: State,
  { tables, datasets, roster }: RawMapping | RawChange,
  at: string,
  texts: ExpressionTexts,
  regions: Regions,
  report: Report,
): void {
  /** Defines the parts of a layer; null removes one. */
  const replace = <Name extends string, Raw, Defined>(
    parts: Map<Name, Defined>,
    layer: { readonly [Part in Name]?: Raw | null } | undefined,
    pointer: string,
    define: (raw: Raw, at: string, name: Name) => Defined,
  ) => {
    for (const [name, raw] of Object.entries(layer ?? {}) as [Name, Raw | null][]) {
      const own = pointerTo(pointer, name);
      if (raw !== null) parts.set(name, define(raw, own, name));
      else if (!parts.delete(name)) reportUseless(own);
    }
  };
  const reportUseless = (pointer: string) =>
    report(pointer, 'null, but there is nothing to remove', 'the name of something that earlier builds have');

  replace(state.tables, tables, `${at}/tables`, (raw: RawTable, pointer, name) => {
    checkRegions(raw, pointer, regions, report);
    return defineTables(name, raw, pointer, regions);
  });
  const names = [...state.tables.values()].flat().map(({ name }) => name);
  const taken = names.find((name, index) => names.indexOf(name) < index);
  if (taken !== undefined) {
    const found = `"${taken}", the name of the table of a region and of another table`;
    report(`${at}/tables`, found, 'another name for one of them', 'definition');
  }
  replace(state.datasets, datasets, `${at}/datasets`, (raw: RawDataset, pointer, key) =>
    defineDataset(key, raw, pointer, texts),
  );
  const pointer = `${at}/roster`;
  if (roster === undefined) return;
  if (roster === null) {
    if (state.roster.size === 0) reportUseless(pointer);
    state.roster.clear();
    return;
  }
  if (state.roster.size === 0) state.rosterAt = pointer;
  replace(state.roster, roster, pointer, (raw: RawExpression | string | string[], own, part) =>
    part === 'from' ? defineFrom(raw as string | string[], own) : defineExpression(raw, own, texts),
  );
  for (const part of ['from', 'entry'] as const)
    if (!state.roster.has(part)) report(pointer, `no "${part}"`, `"${part}" to be present`);
}

/** Reports regions of a table that game.json does not have. */
function checkRegions(raw: RawTable, pointer: string, regions: Regions, report: Report): void {
  if (typeof raw === 'string' || raw.regions === undefined) return;
  const names = Object.keys(regions);
  const unknown = raw.regions === true ? undefined : raw.regions.find((region) => !names.includes(region));
  if (names.length > 0 && unknown === undefined) return;
  const found =
    unknown === undefined ? 'a table of regions, but the game has none' : `the region "${unknown}"`;
  const expected = `a region of game.json: ${names.join(', ') || '"regions": {"jp": "jp/"}'}`;
  report(`${pointer}/regions`, found, expected, 'definition');
}

function freeze(
  game: Pick<GameDefinition, 'ahead' | 'helpers' | 'attributes'>,
  { tables, named, rosterAt, roster, datasets }: State,
): GameDefinition {
  const declared = [...tables.values()].flat();
  const names = new Set(declared.map(({ name }) => name));
  for (const name of names) named.add(name);
  const removed = [...named].filter((name) => !names.has(name));
  const parts = Object.fromEntries(roster) as Partial<RosterMapping>;
  const { from, entry } = parts;
  return {
    ...game,
    tables: declared,
    ...(removed.length > 0 && { removed }),
    ...(from && entry && { roster: { ...parts, pointer: rosterAt, from, entry } }),
    datasets: [...datasets.values()],
  };
}

function defineDataset(
  key: string,
  raw: RawDataset,
  pointer: string,
  texts: ExpressionTexts,
): DatasetMapping {
  if (typeof raw === 'string' || !('from' in raw))
    return { key, expression: defineExpression(raw, pointer, texts) };
  return {
    key,
    pointer,
    from: defineFrom(raw.from, `${pointer}/from`),
    entry: defineExpression(raw.entry, `${pointer}/entry`, texts),
    ...(raw.where !== undefined && { where: defineExpression(raw.where, `${pointer}/where`, texts) }),
  };
}

function defineFrom(raw: string | string[], pointer: string): RowMapping['from'] {
  return { pointer, tables: [raw].flat() };
}

function defineExpression(raw: RawExpression, pointer: string, texts: ExpressionTexts): ExpressionSource {
  if (typeof raw === 'string') return { pointer, text: raw };
  if (Array.isArray(raw)) return { pointer, text: raw.join('\n') };
  return { pointer, file: raw.file, text: texts.get(raw.file) };
}

/** Lists the expression files that a `game.json` names, each with the first place that names it. */
export function listExpressionFiles(raw: RawGameDefinition): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const search = (part: unknown, pointer: string) => {
    if (typeof part !== 'object' || part === null) return;
    const { file } = part as { file?: unknown };
    if (isObject(part) && typeof file === 'string' && file.endsWith('.jsonata') && !files.has(file))
      files.set(file, pointer);
    for (const [name, below] of Object.entries(part)) search(below, pointerTo(pointer, name));
  };
  const { helpers: file, roster, datasets, changes = [] } = raw;
  const later = changes.map((change) => ({ roster: change.roster, datasets: change.datasets }));
  search({ helpers: { file }, roster, datasets, changes: later }, '');
  return files;
}

/**
 * Reads expression files.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json for findings
 */
export async function readExpressionFiles(
  folder: string,
  gameFile: string,
  files: ReadonlyMap<string, string>,
): Promise<WithFindings<ExpressionTexts>> {
  const findings: Finding[] = [];
  const texts = new Map<string, string | undefined>();
  for (const [file, pointer] of files) {
    const text = await readInside(folder, file, { file: gameFile, pointer }, 'expression-file');
    if ('finding' in text) findings.push(text.finding);
    texts.set(file, 'value' in text ? text.value : undefined);
  }
  return { value: texts, findings };
}
