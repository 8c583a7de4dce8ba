import type { Finding, Outcome } from '../../findings/findings.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { AttributeDefinitions } from './attribute-definition.ts';
import type {
  DatasetMapping,
  ExpressionSource,
  GameDefinition,
  RawChange,
  RawDataset,
  RawExpression,
  RawGameDefinition,
  RawMapping,
  RawRosterMapping,
  RawRowMapping,
  RosterMapping,
  RowMapping,
} from './definition.ts';
import { defineTables, type RawTable, type Regions, type TableDefinition } from './table-definition.ts';

/** The texts of expression files by path inside the game's folder; undefined for a file that could not be read. */
export type ExpressionTexts = ReadonlyMap<string, string | undefined>;

/** The parts of the roster's mapping; a change can replace each of them. */
interface RosterParts {
  pointer: string;
  from?: RowMapping['from'];
  where?: ExpressionSource;
  entry?: ExpressionSource;
  record?: ExpressionSource;
}

/** The definition while changes are applied to it; parts are kept by name, so that a change can replace or remove them. */
interface State {
  /** By the names in game.json: a table of regions is several. */
  tables: Map<string, TableDefinition[]>;
  removed: Set<string>;
  roster: RosterParts | undefined;
  datasets: Map<string, DatasetMapping>;
}

/**
 * Resolves a valid `game.json` into the definition of each build. Builds between two changes share one definition, and definitions share
 * the parts that do not change. Pure.
 *
 * @param file the path of game.json for findings
 * @param builds names of the builds, oldest first
 * @param attributes what attributes mean, in all builds
 */
export function defineBuilds(
  raw: RawGameDefinition,
  file: string,
  builds: readonly string[],
  texts: ExpressionTexts,
  attributes?: AttributeDefinitions,
): Outcome<GameDefinition[]> {
  const findings: Finding[] = [];
  const report = (pointer: string, found: string, expected: string) =>
    findings.push({ check: 'mapping-changes', severity: 'error', place: { file, pointer }, found, expected });
  const regions = raw.regions ?? {};
  const state: State = { tables: new Map(), removed: new Set(), roster: undefined, datasets: new Map() };
  applyLayer(state, raw, '', texts, regions, report);

  const changes = new Map<string, { change: RawChange; pointer: string }>();
  for (const [index, change] of (raw.changes ?? []).entries()) {
    const pointer = pointerTo('/changes', index);
    if (!builds.includes(change.from)) findings.push(notYetAdded(change.from, pointer, file, builds));
    if (changes.has(change.from))
      report(
        `${pointer}/from`,
        `a second change from build "${change.from}" on`,
        'one change for each build',
      );
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

/** The definition may be written before its build is added. */
function notYetAdded(build: string, pointer: string, file: string, builds: readonly string[]): Finding {
  return {
    check: 'mapping-changes',
    severity: 'warning',
    place: { file, pointer: `${pointer}/from` },
    found: `the build "${build}", which the game does not have: the change has no effect until it is added`,
    expected: `a build of the game: ${builds.join(', ')}`,
  };
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
    // Without some of its regions, a table is removed there.
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
