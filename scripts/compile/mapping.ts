import path from 'node:path';
import { errorAt, type Finding, type Place, type WithFindings } from '../findings.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import type { ExpressionSource, GameDefinition, RowMapping } from '../read/definition.ts';
import type { GameSource } from '../read/game.ts';
import type { BuildTables, SourceTable } from '../read/tables.ts';
import { listNames, suggestFix } from '../text.ts';
import {
  compileExpression,
  compileSharedFunctions,
  type Expression,
  type Helpers,
  tablesIn,
} from './expression.ts';

/** The tables whose rows a mapping uses, in order of precedence. */
export interface TableNames {
  from: string;
  others: readonly string[];
}

/**
 * Returns the rows that a mapping uses: those of one table, or of several tables united by key. Of rows with the same key, that of the first table
 * counts.
 *
 * @returns undefined if the build has none of the tables
 */
export function tableOfRows(
  { from, others }: TableNames,
  { tables }: Pick<BuildTables, 'tables'>,
): SourceTable | undefined {
  const present = [from, ...others].flatMap((name) => tables.get(name) ?? []);
  const [first, ...more] = present;
  if (first === undefined || more.length === 0) return first;
  const rows = new Map<string, { value: Json; table: SourceTable }>();
  for (const table of present) {
    if (!isObject(table.value)) continue;
    for (const [key, value] of Object.entries(table.value))
      if (!rows.has(key)) rows.set(key, { value, table });
  }
  return {
    name: present.map(({ name }) => name).join(', '),
    value: Object.fromEntries([...rows].map(([key, { value }]) => [key, value])),
    place: first.place,
    placeOfRow: (key) => (rows.get(String(key))?.table ?? first).placeOfRow(key),
  };
}

/** Finds tables that cannot be united: positions in a list are not keys. */
export function findUnkeyed(
  { from, others }: TableNames,
  { tables }: Pick<BuildTables, 'tables'>,
): Finding[] {
  if (others.length === 0) return [];
  return [from, ...others].flatMap((name): Finding[] => {
    const table = tables.get(name);
    if (table === undefined || isObject(table.value)) return [];
    const found = `a list, as the table "${name}", whose rows are united with those of others`;
    const fix = `declare the field that names a row in all regions: "${name}": {"files": …, "key": "id"}`;
    return [errorAt('shape', table.place, found, 'an object of rows', fix)];
  });
}

/** The tables for messages: `"jp_cards", "kr_cards"`. */
export function nameTables({ from, others }: TableNames): string {
  return [from, ...others].map((name) => `"${name}"`).join(', ');
}

/** The mapping of a build, with its expressions parsed. */
export interface Mapping {
  roster?: MappedRows & { record?: Expression };
  datasets: Map<string, MappedRows | { expression: Expression }>;
}

/** The rows of a table, and the expressions that make records from them. */
export interface MappedRows extends TableNames {
  place: Place;
  where?: Expression;
  entry: Expression;
}

/** The mapping of each definition of a game's builds. */
export type Mappings = Map<GameDefinition, Mapping>;

/** Parses the expressions of a game's definitions, each once for all builds. */
export function compileMappings({
  folder,
  builds,
}: Pick<GameSource, 'folder' | 'builds'>): WithFindings<Mappings> {
  const findings: Finding[] = [];
  const { value: helpers, findings: ofHelpers } = compileGameHelpers({ folder, builds });
  findings.push(...ofHelpers);
  const parsed = new Map<ExpressionSource, Expression | undefined>();
  const parse = (source: ExpressionSource): Expression | undefined => {
    // A file that could not be read is already reported.
    if (source.text === undefined || parsed.has(source)) return parsed.get(source);
    const outcome = compileExpression(source.text, placeOf(source, folder), helpers);
    if ('finding' in outcome) findings.push(outcome.finding);
    parsed.set(source, 'value' in outcome ? outcome.value : undefined);
    return parsed.get(source);
  };
  const mappings: Mappings = new Map();
  for (const { definition } of builds) {
    if (mappings.has(definition)) continue;
    mappings.set(
      definition,
      compileMapping(definition, path.posix.join(folder, 'game.json'), parse, findings),
    );
  }
  return { value: mappings, findings };
}

/** Parses the functions that a game's expressions share. @returns undefined if it has none, or with findings */
export function compileGameHelpers({
  folder,
  builds,
}: Pick<GameSource, 'folder' | 'builds'>): WithFindings<Helpers | undefined> {
  const source = builds[0]?.definition.helpers;
  if (source?.text === undefined) return { value: undefined, findings: [] };
  const place = placeOf(source, folder);
  const outcome = compileSharedFunctions(source.text, place);
  if ('finding' in outcome) return { value: undefined, findings: [outcome.finding] };
  const declared = builds.flatMap(({ definition: { tables, ahead } }) => [
    ...tables.map(({ name }) => name),
    ...ahead,
  ]);
  const expected = 'a table that game.json declares for at least one build';
  const findings = tablesIn(outcome.value, place)
    .filter(({ name }) => !declared.includes(name))
    .map(({ name, place }) => errorAt('mapping-tables', place, `the table "${name}"`, expected));
  return { value: outcome.value, findings };
}

function compileMapping(
  definition: GameDefinition,
  file: string,
  parse: (source: ExpressionSource) => Expression | undefined,
  findings: Finding[],
): Mapping {
  // Those that a change removed are empty.
  const known = new Set([...definition.tables.map(({ name }) => name), ...(definition.removed ?? [])]);
  // Undeclared tables would silently be undefined.
  const checkTable = (name: string, place: Place) => {
    if (!known.has(name)) findings.push(unknownTable(name, definition, place));
  };
  const parseKnown = (source: ExpressionSource): Expression | undefined => {
    const expression = parse(source);
    if (expression)
      for (const { name, place } of tablesIn(expression.parsed, expression.place)) checkTable(name, place);
    return expression;
  };
  const compileRows = (rows: RowMapping): MappedRows | undefined => {
    for (const name of rows.from.tables)
      if (regionsOf(name, definition).length === 0) checkTable(name, { file, pointer: rows.from.pointer });
    const where = rows.where && parseKnown(rows.where);
    const entry = parseKnown(rows.entry);
    const place = { file, pointer: rows.pointer };
    return entry && { ...tablesOfRows(rows, definition), place, entry, ...(where && { where }) };
  };

  const { roster } = definition;
  const rosterRows = roster && compileRows(roster);
  const record = roster?.record && parseKnown(roster.record);
  const datasets: Mapping['datasets'] = new Map();
  for (const dataset of definition.datasets) {
    const expression = 'expression' in dataset ? parseKnown(dataset.expression) : undefined;
    const rows = 'expression' in dataset ? expression && { expression } : compileRows(dataset);
    if (rows) datasets.set(dataset.key, rows);
  }
  return { ...(rosterRows && { roster: { ...rosterRows, ...(record && { record }) } }), datasets };
}

/** Returns the tables whose rows a mapping uses. A name stands for the tables of all regions with that declaration. */
function tablesOfRows({ from: { tables } }: RowMapping, definition: GameDefinition): TableNames {
  const names = tables.flatMap((name) => {
    const ofRegions = regionsOf(name, definition);
    return ofRegions.length > 0 ? ofRegions : [name];
  });
  const [from = '', ...others] = new Set(names);
  return { from, others };
}

function regionsOf(name: string, { tables }: GameDefinition): string[] {
  return tables.flatMap((table) => (table.declaredAs === name ? [table.name] : []));
}

function unknownTable(name: string, { tables, since }: GameDefinition, place: Place): Finding {
  const from = since === undefined ? '' : ` (from build ${since} on)`;
  const names = tables.map((table) => table.name);
  const listed = names.length > 0 ? `one of ${listNames(name, names)}` : 'a table declared under "tables"';
  return errorAt('mapping-tables', place, `the table "${name}"`, listed + from, suggestFix(name, names).fix);
}

function placeOf({ pointer, file }: ExpressionSource, folder: string): Place {
  return file === undefined
    ? { file: path.posix.join(folder, 'game.json'), pointer }
    : { file: path.posix.join(folder, file), pointer: '', line: 1 };
}
