import path from 'node:path';
import { errorAt, type Finding, type Place, type WithFindings } from '../findings.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import type { ExpressionSource, GameDefinition, RowMapping } from '../read/definition.ts';
import type { GameSource } from '../read/game.ts';
import type { BuildTables, SourceTable } from '../read/tables.ts';
import { listNames, suggestFix } from '../text.ts';
import {
  atLine,
  compileExpression,
  compileSharedFunctions,
  type Expression,
  type Helpers,
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
  if (others.length === 0) return tables.get(from);
  const present = [from, ...others].flatMap((name) => tables.get(name) ?? []);
  const [first, ...more] = present;
  if (first === undefined || more.length === 0) return first;
  const union = unions.get(first)?.find(({ of }) => areSame(of, present));
  if (union) return union.table;
  const table = unite([first, ...more]);
  unions.set(first, [...(unions.get(first) ?? []), { of: present, table }]);
  return table;
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

/** United tables by their first one, because several checks request the same. */
const unions = new WeakMap<SourceTable, { of: readonly SourceTable[]; table: SourceTable }[]>();

function areSame(tables: readonly SourceTable[], others: readonly SourceTable[]): boolean {
  return tables.length === others.length && tables.every((table, index) => table === others[index]);
}

function unite(tables: readonly [SourceTable, ...SourceTable[]]): SourceTable {
  const [first] = tables;
  const rows = new Map<string, { value: Json; table: SourceTable }>();
  for (const table of tables) {
    if (!isObject(table.value)) continue;
    for (const [key, value] of Object.entries(table.value))
      if (!rows.has(key)) rows.set(key, { value, table });
  }
  return {
    name: tables.map(({ name }) => name).join(', '),
    value: Object.fromEntries([...rows].map(([key, { value }]) => [key, value])),
    place: first.place,
    placeOfRow: (key) => (rows.get(String(key))?.table ?? first).placeOfRow(key),
  };
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
    if (!parsed.has(source)) parsed.set(source, parseExpression(source, folder, findings, helpers));
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
  const outcome = compileSharedFunctions(source.text, placeOf(source, folder));
  if ('finding' in outcome) return { value: undefined, findings: [outcome.finding] };
  const declared = builds.flatMap(({ definition }) => definition.tables.map(({ name }) => name));
  const { names } = outcome.value;
  const { tables } = outcome.value.reachedFrom(names);
  const unknown = [...(tables ?? [])].filter((name) => !declared.includes(name));
  const findings = unknown.map((name): Finding => {
    const index = source.text?.search(new RegExp(`\\$tables\\.${name}\\b`)) ?? 0;
    const line = (source.text ?? '').slice(0, Math.max(0, index)).split('\n').length;
    const expected = 'a table that game.json declares for at least one build';
    return errorAt('mapping-tables', atLine(placeOf(source, folder), line), `the table "${name}"`, expected);
  });
  return { value: outcome.value, findings };
}

type Parse = (source: ExpressionSource) => Expression | undefined;

function compileMapping(
  definition: GameDefinition,
  file: string,
  parse: Parse,
  findings: Finding[],
): Mapping {
  const parseKnown = (source: ExpressionSource): Expression | undefined => {
    const expression = parse(source);
    if (expression) findings.push(...findUnknownNames(source.text ?? '', expression, definition));
    return expression;
  };
  const compileRows = (rows: RowMapping): MappedRows | undefined => {
    findings.push(...findUnknownTable(rows, definition, file));
    const where = rows.where && parseKnown(rows.where);
    const entry = parseKnown(rows.entry);
    const place = { file, pointer: rows.pointer };
    return entry && { ...tablesOfRows(rows, definition), place, entry, ...(where && { where }) };
  };

  const { roster, datasets } = definition;
  const rosterRows = roster && compileRows(roster);
  const record = roster?.record && parseKnown(roster.record);
  const mapping: Mapping = {
    ...(rosterRows && { roster: { ...rosterRows, ...(record && { record }) } }),
    datasets: new Map(),
  };
  for (const dataset of datasets) {
    if ('expression' in dataset) {
      const expression = parseKnown(dataset.expression);
      if (expression) mapping.datasets.set(dataset.key, { expression });
    } else {
      const rows = compileRows(dataset);
      if (rows) mapping.datasets.set(dataset.key, rows);
    }
  }
  return mapping;
}

/** Finds undeclared tables: in an expression they would silently be undefined. */
function findUnknownNames(text: string, { place }: Expression, definition: GameDefinition): Finding[] {
  const tables = mentionable(definition);
  const lines = new Map<string, number>();
  for (const { 1: name = '', index } of text.matchAll(/\$tables\.([A-Za-z]\w*)/g))
    if (!tables.includes(name) && !lines.has(name)) lines.set(name, text.slice(0, index).split('\n').length);
  return [...lines].map(([name, line]) => unknownTable(name, definition, atLine(place, line)));
}

function findUnknownTable({ from }: RowMapping, definition: GameDefinition, file: string): Finding[] {
  const tables = mentionable(definition);
  return from.tables.flatMap((name): Finding[] => {
    if (tables.includes(name) || regionsOf(name, definition).length > 0) return [];
    return [unknownTable(name, definition, { file, pointer: from.pointer })];
  });
}

/** Returns the tables whose rows a mapping uses. A name stands for the tables of all regions with that declaration. */
export function tablesOfRows({ from: { tables } }: RowMapping, definition: GameDefinition): TableNames {
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

/** The tables that expressions may name. Those that a change removed are empty. */
function mentionable({ tables, removed = [] }: GameDefinition): string[] {
  return [...tables.map(({ name }) => name), ...removed];
}

function unknownTable(name: string, { tables, since }: GameDefinition, place: Place): Finding {
  const from = since === undefined ? '' : ` (from build ${since} on)`;
  const names = tables.map((table) => table.name);
  const listed = names.length > 0 ? `one of ${listNames(name, names)}` : 'a table declared under "tables"';
  return errorAt('mapping-tables', place, `the table "${name}"`, listed + from, suggestFix(name, names).fix);
}

function parseExpression(
  source: ExpressionSource,
  folder: string,
  findings: Finding[],
  helpers: Helpers | undefined,
): Expression | undefined {
  // A file that could not be read is already reported.
  if (source.text === undefined) return undefined;
  const outcome = compileExpression(source.text, placeOf(source, folder), helpers);
  if ('value' in outcome) return outcome.value;
  findings.push(outcome.finding);
  return undefined;
}

function placeOf({ pointer, file }: ExpressionSource, folder: string): Place {
  return file === undefined
    ? { file: path.posix.join(folder, 'game.json'), pointer }
    : { file: path.posix.join(folder, file), pointer: '', line: 1 };
}
