import { posix } from 'node:path';
import { errorAt, type Finding, type Place, placeBelow, type WithFindings } from '../findings.ts';
import type { Renames } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { readNamedFile } from './files.ts';
import type { ReadAmendment } from './game.ts';
import type {
  AttributeDefinitions,
  Override,
  RawChange,
  RawDataset,
  RawExpression,
  RawGameDefinition,
  RawMapping,
  RawRosterMapping,
  RawRowMapping,
  RawTable,
  ReadOptions,
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
  return {
    name,
    pointer,
    files,
    at,
    optional,
    ...(key !== undefined && { key: [key].flat() }),
    many,
    skipKeyless,
    reading,
  };
}

/**
 * Returns the tables of a declaration: one, or one per region in the order of `regions`. Regions that game.json lacks make none; `checkTables`
 * reports them.
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
  title: string;
  /** The build where a change in game.json starts this definition; undefined for the first definition. */
  since?: string;
  tables: TableDefinition[];
  /** The tables that a change removed, which expressions may still name. */
  removed?: readonly string[];
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
export type ExpressionTexts = ReadonlyMap<string, string | undefined>;

/** The parts of the roster's mapping, each of which a change can replace. */
interface RosterParts {
  pointer: string;
  from?: RowMapping['from'];
  where?: ExpressionSource;
  entry?: ExpressionSource;
  record?: ExpressionSource;
}

/** The definition while changes are applied to it. Parts are kept by name, so that a change can replace or remove them. */
interface State {
  /** By the names in game.json; a table for regions is several tables. */
  tables: Map<string, TableDefinition[]>;
  removed: Set<string>;
  roster: RosterParts | undefined;
  datasets: Map<string, DatasetMapping>;
}

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
  const findings: Finding[] = [];
  const report = (pointer: string, found: string, expected: string) =>
    findings.push(errorAt('mapping-changes', { file, pointer }, found, expected));
  const regions = raw.regions ?? {};
  const state: State = { tables: new Map(), removed: new Set(), roster: undefined, datasets: new Map() };
  applyLayer(state, raw, '', texts, regions, report);

  const changes = new Map<string, { change: RawChange; pointer: string }>();
  for (const [index, change] of (raw.changes ?? []).entries()) {
    const pointer = pointerTo('/changes', index);
    if (!builds.includes(change.from)) findings.push(notYetAdded(change.from, pointer, file, builds));
    const second = `a second change from build "${change.from}" on`;
    if (changes.has(change.from)) report(`${pointer}/from`, second, 'one change for each build');
    changes.set(change.from, { change, pointer });
  }

  const { title, helpers } = raw;
  const game = {
    title,
    ...(helpers !== undefined && { helpers: defineExpression({ file: helpers }, '/helpers', texts) }),
    ...(attributes && { attributes }),
  };
  let definition = freeze(game, state);
  const definitions = builds.map((build) => {
    const changesOfBuild = changes.get(build);
    if (changesOfBuild) {
      applyLayer(state, changesOfBuild.change, changesOfBuild.pointer, texts, regions, report);
      definition = { ...freeze(game, state), since: build };
    }
    return definition;
  });
  return { value: definitions, findings };
}

/** A definition may be written before its build is added. */
function notYetAdded(build: string, pointer: string, file: string, builds: readonly string[]): Finding {
  const found = `the build "${build}", which the game does not have: the change has no effect until it is added`;
  const expected = `a build of the game: ${builds.join(', ')}`;
  const place = { file, pointer: `${pointer}/from` };
  return { ...errorAt('mapping-changes', place, found, expected), severity: 'warning' };
}

type Report = (pointer: string, found: string, expected: string) => void;

function applyLayer(
  state: State,
  layer: RawMapping | RawChange,
  at: string,
  texts: ExpressionTexts,
  regions: Regions,
  report: Report,
): void {
  const defineAll = (name: string, table: RawTable, pointer: string) =>
    defineTables(name, table, pointer, regions);
  for (const [name, table] of Object.entries(layer.tables ?? {})) {
    if (table === null) state.removed.add(name);
    // A table that now lacks some of its regions is removed for those regions.
    for (const tableBefore of state.tables.get(name) ?? []) state.removed.add(tableBefore.name);
  }
  replaceByName(state.tables, layer.tables, `${at}/tables`, defineAll, report);
  const define = (key: string, raw: RawDataset, pointer: string) => defineDataset(key, raw, pointer, texts);
  replaceByName(state.datasets, layer.datasets, `${at}/datasets`, define, report);

  const { roster } = layer;
  const pointer = `${at}/roster`;
  if (roster === undefined) return;
  if (roster === null) {
    if (state.roster === undefined) reportUseless(pointer, report);
    state.roster = undefined;
    return;
  }
  state.roster = replaceParts(state.roster ?? { pointer }, roster, pointer, texts, report);
  for (const part of ['from', 'entry'] as const) {
    if (state.roster[part] === undefined) report(pointer, `no "${part}"`, `"${part}" to be present`);
  }
}

function replaceByName<Raw, Defined>(
  state: Map<string, Defined>,
  layer: Record<string, Raw | null> | undefined,
  at: string,
  define: (name: string, raw: Raw, pointer: string) => Defined,
  report: Report,
): void {
  for (const [name, raw] of Object.entries(layer ?? {})) {
    const pointer = pointerTo(at, name);
    if (raw !== null) state.set(name, define(name, raw, pointer));
    else if (!state.delete(name)) reportUseless(pointer, report);
  }
}

function replaceParts(
  parts: RosterParts,
  raw: NonNullable<RawChange['roster']>,
  pointer: string,
  texts: ExpressionTexts,
  report: Report,
): RosterParts {
  const replaced = { ...parts };
  if (raw.from) replaced.from = { pointer: `${pointer}/from`, tables: [raw.from].flat() };
  for (const part of ['where', 'entry', 'record'] as const) {
    const expression: RawRosterMapping[typeof part] | null = raw[part];
    if (expression) replaced[part] = defineExpression(expression, `${pointer}/${part}`, texts);
    if (expression !== null) continue;
    if (replaced[part] === undefined) reportUseless(`${pointer}/${part}`, report);
    delete replaced[part];
  }
  return replaced;
}

function reportUseless(pointer: string, report: Report): void {
  report(pointer, 'null, but there is nothing to remove', 'the name of something that earlier builds have');
}

function freeze(
  game: Pick<GameDefinition, 'title' | 'helpers' | 'attributes'>,
  { tables, removed, roster, datasets }: State,
): GameDefinition {
  const declared = [...tables.values()].flat();
  const gone = [...removed].filter((name) => declared.every((table) => table.name !== name));
  return {
    ...game,
    tables: declared,
    ...(gone.length > 0 && { removed: gone }),
    ...(roster && isComplete(roster) && { roster }),
    datasets: [...datasets.values()],
  };
}

function isComplete(roster: RosterParts): roster is RosterParts & RosterMapping {
  return roster.from !== undefined && roster.entry !== undefined;
}

function defineDataset(
  key: string,
  raw: RawDataset,
  pointer: string,
  texts: ExpressionTexts,
): DatasetMapping {
  if (!isRowMapping(raw)) return { key, expression: defineExpression(raw, pointer, texts) };
  return {
    key,
    pointer,
    from: { pointer: `${pointer}/from`, tables: [raw.from].flat() },
    entry: defineExpression(raw.entry, `${pointer}/entry`, texts),
    ...(raw.where !== undefined && { where: defineExpression(raw.where, `${pointer}/where`, texts) }),
  };
}

function isRowMapping(raw: RawDataset): raw is RawRowMapping {
  return typeof raw === 'object' && 'from' in raw;
}

function defineExpression(raw: RawExpression, pointer: string, texts: ExpressionTexts): ExpressionSource {
  if (typeof raw === 'string') return { pointer, text: raw };
  if (Array.isArray(raw)) return { pointer, text: raw.join('\n') };
  return { pointer, file: raw.file, text: texts.get(raw.file) };
}

/** An expression file, and where game.json names it. */
interface NamedFile {
  file: string;
  pointer: string;
}

/** Lists the expression files that a `game.json` names, each with the first place that names it. */
export function listExpressionFiles(raw: RawGameDefinition): NamedFile[] {
  const layers: [RawMapping | RawChange, string][] = [
    [raw, ''],
    ...(raw.changes ?? []).map((change, index): [RawChange, string] => [
      change,
      pointerTo('/changes', index),
    ]),
  ];
  const helpers = raw.helpers === undefined ? [] : [{ file: raw.helpers, pointer: '/helpers' }];
  const named = layers.flatMap(([{ roster, datasets }, at]) => [
    ...filesIn(roster, `${at}/roster`),
    ...Object.entries(datasets ?? {}).flatMap(([key, dataset]) =>
      filesIn(dataset, pointerTo(`${at}/datasets`, key)),
    ),
  ]);
  return [
    ...new Map([...helpers, ...named].reverse().map((entry) => [entry.file, entry])).values(),
  ].reverse();
}

/** Lists the files that a mapping names. A mapping is an expression, or has expressions as its parts. */
function filesIn(mapping: object | string | null | undefined, pointer: string): NamedFile[] {
  if (mapping === null || mapping === undefined) return [];
  return [
    { expression: mapping, pointer },
    ...Object.entries(mapping).map(([part, expression]) => ({
      expression,
      pointer: pointerTo(pointer, part),
    })),
  ].flatMap(({ expression, pointer }) => (isFile(expression) ? [{ file: expression.file, pointer }] : []));
}

function isFile(expression: RawExpression | unknown): expression is { file: string } {
  return typeof expression === 'object' && expression !== null && 'file' in expression;
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
  files: readonly NamedFile[],
): Promise<WithFindings<ExpressionTexts>> {
  const findings: Finding[] = [];
  const texts = new Map<string, string | undefined>();
  for (const { file, pointer } of files) {
    const text = await readNamedFile(folder, file, { file: gameFile, pointer }, 'expression-file');
    if ('finding' in text) findings.push(text.finding);
    texts.set(file, 'value' in text ? text.value : undefined);
  }
  return { value: texts, findings };
}

/**
 * Checks the regions of all tables of a game, including those of changes.
 *
 * @param file the path of game.json for findings
 */
export function checkTables(
  { tables, regions = {}, changes = [] }: RawGameDefinition,
  file: string,
): Finding[] {
  const layers = [
    { tables, at: '/tables' },
    ...changes.map((change, index) => ({ tables: change.tables, at: `/changes/${index}/tables` })),
  ];
  return layers.flatMap(({ tables: layer = {}, at }) =>
    Object.entries(layer).flatMap(([name, raw]): Finding[] => {
      if (raw === null) return [];
      const pointer = pointerTo(at, name);
      const [problem] = [
        ...findRegionProblems(raw, regions, { file, pointer }),
        ...findTaken(name, raw, layer, regions, { file, pointer }),
      ];
      return problem ? [problem] : [];
    }),
  );
}

/** Finds regions of a table that game.json does not have. */
function findRegionProblems(raw: RawTable, regions: Regions, place: Place): Finding[] {
  if (typeof raw === 'string' || raw.regions === undefined) return [];
  const names = Object.keys(regions);
  const unknown = raw.regions === true ? [] : raw.regions.filter((region) => !names.includes(region));
  if (names.length > 0 && unknown.length === 0) return [];
  const listed =
    names.length > 0
      ? `one of ${names.join(', ')}`
      : '"regions" of game.json with their folders: {"jp": "jp/"}';
  const found =
    unknown.length > 0 ? `the region "${unknown[0]}"` : 'a table of regions, but the game has none';
  return [errorAt('definition', placeBelow(place, 'regions'), found, listed)];
}

/** Finds a table for a region whose name another table already has. */
function findTaken(name: string, raw: RawTable, layer: object, regions: Regions, place: Place): Finding[] {
  return defineTables(name, raw, place.pointer, regions).flatMap((table): Finding[] => {
    if (table.declaredAs === undefined || !Object.hasOwn(layer, table.name)) return [];
    const found = `"${table.name}", the name of the table of a region and of another table`;
    return [errorAt('definition', place, found, 'another name for one of them')];
  });
}
