// Compiles a build: evaluates the mapping on the tables and makes the canonical roster, full records and datasets.
// Each row that the mapping keeps becomes a record. Values are made canonical, so that equal builds are equal bytes on any machine; what JSON cannot
// represent is left out and reported. Lists with ids are sorted by them.
// Guarantee: the functions are pure; time, locale and the order of rows do not change the result.
// A failed expression is a finding, not an exception; the rows after it are still compiled.
import path from 'node:path';
import { textsOf } from '../diff/diff-builds.ts';
import {
  addFindings,
  causeOf,
  errorAt,
  type Finding,
  NO_REPORTER,
  type Place,
  placeBelow,
  quoteValue,
  type StepReporter,
  type WithFindings,
} from '../findings.ts';
import type { BuildContent, DatasetContent, EncodedBuild } from '../format/build-content.ts';
import { compareNatural, isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { pointerTo, setOwn } from '../format/json.ts';
import type { BuildSource } from '../read/game.ts';
import type { BuildTables, SourceTable } from '../read/tables.ts';
import { describePlace, type Expression, ExpressionError } from './expression.ts';
import { findUnkeyed, type MappedRows, type Mapping, tableOfRows } from './mapping.ts';

/** The maximum depth of objects and lists in a value. */
const MAX_DEPTH = 64;

/** The part of a value that JSON cannot represent, as a JSON Pointer into the value. */
interface NotJson {
  pointer: string;
  found: string;
}

/**
 * Copies a value into its canonical form, in which equal values have equal text: keys are sorted (`id` and `name` first); undefined attributes, and
 * list elements that are objects without attributes, are left out.
 *
 * @returns the value, and the parts that are left out because JSON cannot represent them: infinite numbers, functions, too many levels
 */
export function canonicalise(value: unknown): { value: Json | undefined; problems: NotJson[] } {
  const problems: NotJson[] = [];
  // The path of the current part. It becomes a pointer only if there is a problem.
  const steps: (string | number)[] = [];
  const reject = (found: string): undefined => {
    problems.push({ pointer: pointerTo('', ...steps), found });
    return undefined;
  };
  const copyBelow = (step: string | number, part: unknown): Json | undefined => {
    steps.push(step);
    const copied = copy(part);
    steps.pop();
    return copied;
  };
  const copy = (part: unknown): Json | undefined => {
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return part;
    if (typeof part === 'number') return Number.isFinite(part) ? part : reject(quoteValue(part));
    if (part === undefined) return undefined;
    if (typeof part !== 'object' || '_jsonata_lambda' in part || '_jsonata_function' in part) {
      return reject('a function');
    }
    if (steps.length === MAX_DEPTH) return reject(`more than ${MAX_DEPTH} levels of nesting`);
    if (Array.isArray(part)) {
      return part
        .map((element, index) => copyBelow(index, element))
        .filter((element): element is Json => element !== undefined && !isNothing(element));
    }
    const object = part as Record<string, unknown>;
    return sortAttributes(object, (key) => copyBelow(key, object[key]));
  };
  return { value: copy(value), problems };
}

/** Whether a value is an object without attributes: the result of a mapping for an element that has none of those it names. */
function isNothing(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function compareKeys(key: string, other: string): number {
  return rankOf(key) - rankOf(other) || (key < other ? -1 : 1);
}

export function rankOf(key: string): number {
  return key === 'id' ? 0 : key === 'name' ? 1 : 2;
}

/** Sorts the keys of an object. @param valueAt returns a canonical value; by default, the object's own ones are */
export function sortAttributes(
  object: object,
  valueAt = (key: string): Json | undefined => (object as JsonObject)[key],
): JsonObject {
  const sorted: JsonObject = {};
  for (const key of Object.keys(object).sort(compareKeys)) {
    const value = valueAt(key);
    if (value !== undefined) setOwn(sorted, key, value);
  }
  return sorted;
}

/** A row that a mapping keeps, with the variables of its expressions. */
interface SelectedRow {
  key: string;
  row: Json;
  place: Place;
  bindings: Record<string, unknown>;
}

/** The evaluation of expressions on the tables of a build. */
export interface Evaluation {
  tables: BuildTables;
  /** The tables by name, as expressions see them. */
  values: Record<string, Json>;
  /** Receives the failures. */
  findings: Finding[];
  /** Each expression is reported when it begins. */
  steps: StepReporter;
  last?: Expression;
}

export function beginEvaluation(
  tables: BuildTables,
  findings: Finding[],
  steps: StepReporter = NO_REPORTER,
): Evaluation {
  const values = Object.fromEntries([...tables.tables].map(([name, { value }]) => [name, value]));
  return { tables, values, findings, steps };
}

/** How many rows a mapping read, and how many its `where` kept. */
interface RowCounts {
  rows: number;
  kept: number;
}

/** Yields the rows of a mapping's table that its `where` keeps. */
export function* selectRows(
  run: Evaluation,
  mapping: MappedRows,
  selection: RowCounts = { rows: 0, kept: 0 },
): Generator<SelectedRow> {
  const { tables, findings, values } = run;
  const table = tableOfRows(mapping, tables);
  // An absent table is either optional or already has a finding.
  if (table === undefined) return;
  if (!isObject(table.value) && !Array.isArray(table.value)) {
    const expected = `rows: table "${table.name}" must be a list or an object`;
    findings.push(errorAt('shape', table.place, quoteValue(table.value), expected));
    return;
  }
  findings.push(...findUnkeyed(mapping, tables));
  for (const [key, row] of Object.entries<Json>(table.value)) {
    const bindings = { key, tables: values };
    const place = table.placeOfRow(key);
    selection.rows++;
    if (mapping.where) {
      const isSelected = evaluate(run, mapping.where, row, bindings, place);
      if (isSelected !== true && isSelected !== false && isSelected !== undefined) {
        findings.push(resultFinding(mapping.where, place, quoteValue(isSelected), 'true or false'));
      }
      if (isSelected !== true) continue;
    }
    selection.kept++;
    yield { key, row, place, bindings };
  }
}

/** Evaluates an expression that must return an object; otherwise adds a finding and returns undefined. */
function evaluateRecord(
  run: Evaluation,
  expression: Expression,
  { row, bindings, place }: SelectedRow,
): JsonObject | undefined {
  const before = run.findings.length;
  const value = evaluate(run, expression, row, bindings, place);
  if (isObject(value)) return value;
  if (run.findings.length === before)
    run.findings.push(resultFinding(expression, place, quoteValue(value), 'an object'));
  return undefined;
}

/** Evaluates an expression to a canonical JSON value. A failure becomes a finding at `place`. */
export function evaluate(
  run: Evaluation,
  expression: Expression,
  context: unknown,
  bindings: Record<string, unknown>,
  place: Place,
): Json | undefined {
  if (expression !== run.last)
    run.steps.beginStep(`evaluating ${describePlace(expression)}`, expression.place);
  run.last = expression;
  try {
    const { value, problems } = canonicalise(expression.evaluate(context, bindings));
    for (const { pointer, found } of problems) {
      const part = `${found} at "${pointer}" of the result`;
      run.findings.push(resultFinding(expression, place, part, 'JSON values'));
    }
    return value;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const expected = 'an expression that works for this row';
    run.findings.push(resultFinding(expression, place, error.message, expected, error));
    return undefined;
  }
}

function resultFinding(
  expression: Expression,
  place: Place,
  found: string,
  expected: string,
  { line, helper }: Partial<Pick<ExpressionError, 'line' | 'helper'>> = {},
): Finding {
  const of = describePlace(expression, line);
  const fix = `correct ${helper ? `${describePlace({ place: helper })}, which ${of} calls` : of}`;
  const cause = `${fix} ${causeOf(found)}`;
  const { tables } = expression;
  const finding = { ...errorAt('expression-result', place, found, expected, fix), cause };
  return tables ? { ...finding, tables: [...tables] } : finding;
}

/** Converts an id that is a number into text; otherwise returns the record itself. */
export function withTextId(record: JsonObject): JsonObject {
  return typeof record.id === 'number' ? { ...record, id: String(record.id) } : record;
}

/** A compiled record, and the raw row that it was made from. */
export interface CompiledRecord {
  record: JsonObject;
  place: Place;
  /** Whether the record is the raw row itself, so that a JSON Pointer into it can be appended to that of `place`. */
  raw: boolean;
}

/** A compiled dataset: a list of records, or one object. */
export type CompiledDataset = { key: string; place: Place } & (
  | { kind: 'list'; records: CompiledRecord[] }
  | { kind: 'object'; object: JsonObject }
);

/** A build as it is served. Lists whose records have ids are in the natural order of the ids. */
export interface CompiledBuild {
  source: BuildSource;
  /** Where the roster comes from. */
  rosterPlace: Place;
  /** Whether the table of the roster is absent, because it is optional or because its fault is already reported. */
  rosterTableMissing: boolean;
  characters: CompiledRecord[];
  /** The roster entries, in the order of `characters`. */
  roster: JsonObject[];
  /** Sorted by key. */
  datasets: CompiledDataset[];
  /** How the mapping made the build, for checks of the mapping. */
  trace: {
    mapping: Mapping;
    tables: BuildTables['tables'];
    /** The rows that each mapping read and kept, by `characters` or the key of the dataset. */
    selections: ReadonlyMap<string, RowCounts>;
  };
  /** The datasets that are taken from an earlier build, with its name. */
  carriedFrom?: Readonly<Record<string, string>>;
}

/** Compiles the tables of a build into roster and datasets. Pure: the same tables and mapping give the same build. */
export function compileBuild(
  tables: BuildTables,
  mapping: Mapping,
  steps?: StepReporter,
): WithFindings<CompiledBuild> {
  const findings: Finding[] = [];
  const run = beginEvaluation(tables, findings, steps);
  const { source, served } = tables;
  const { roster } = mapping;
  const selections = new Map<string, RowCounts>();
  const selectionOf = (list: string) => {
    const selection = { rows: 0, kept: 0 };
    selections.set(list, selection);
    return selection;
  };

  const characters = roster
    ? mapRoster(run, roster, selectionOf('characters'))
    : convertRoster(served.get('characters'), findings);
  characters.sort((a, b) => compareIds(a.record, b.record));

  const datasets: CompiledDataset[] = [];
  for (const [key, dataset] of mapping.datasets) {
    const own: Finding[] = [];
    const compiled = mapDataset({ ...run, findings: own }, key, dataset, selectionOf(key));
    if (compiled) datasets.push(compiled);
    addFindings(
      findings,
      own.map((finding) => ({ ...finding, carry: [key] })),
    );
  }
  for (const [key, table] of served) {
    if (key === 'characters' && !roster) continue;
    if (mapping.datasets.has(key)) {
      const found = `a file for the dataset "${key}", which game.json maps too`;
      findings.push(errorAt('dataset-file', { ...table.place, line: 1 }, found, 'one source for a dataset'));
      continue;
    }
    const dataset = convertDataset(key, table, findings, true);
    if (dataset) datasets.push(dataset);
  }
  datasets.sort((a, b) => (a.key < b.key ? -1 : 1));

  const buildPlace: Place = { file: path.posix.join(source.folder, 'build.json'), pointer: '', line: 1 };
  return {
    value: {
      source,
      rosterPlace: roster?.place ?? served.get('characters')?.place ?? buildPlace,
      rosterTableMissing: roster !== undefined && tableOfRows(roster, tables) === undefined,
      characters: characters.map(({ record, place, raw }) => ({ record, place, raw })),
      roster: characters.map(({ entry }) => entry),
      datasets,
      trace: { mapping, tables: tables.tables, selections },
    },
    findings,
  };
}

type CompiledCharacter = CompiledRecord & { entry: JsonObject };

function mapRoster(
  run: Evaluation,
  { record: more, ...mapping }: NonNullable<Mapping['roster']>,
  selection: RowCounts,
): CompiledCharacter[] {
  // All rows by one expression, then all by the next: each switch of expressions costs a message to another process.
  const rows = [...selectRows(run, mapping, selection)];
  const entries = rows.map((row) => evaluateRecord(run, mapping.entry, row));
  const additions = more ? rows.map((row) => evaluateRecord(run, more, row)) : rows.map(() => ({}));
  return rows.flatMap(({ key, place }, index): CompiledCharacter[] => {
    const [entry, addition] = [entries[index], additions[index]];
    if (!entry || !addition) return [];
    for (const clash of Object.keys(addition).filter((name) => Object.hasOwn(entry, name))) {
      const found = `"${clash}" in both the roster entry and the full record of row "${key}"`;
      const expected = 'each attribute in one of them; the full record includes the roster entry';
      const fix = `remove it from ${describePlace(more ?? mapping.entry)}`;
      run.findings.push(errorAt('full-record', place, found, expected, fix));
    }
    const own = withTextId(entry);
    const record = more ? withTextId(sortAttributes({ ...addition, ...entry })) : own;
    return [{ entry: own, record, place, raw: false }];
  });
}

/** Without a mapping, a roster entry is the record without the attributes that contain lists of objects. */
function convertRoster(table: SourceTable | undefined, findings: Finding[]): CompiledCharacter[] {
  if (table === undefined) return [];
  const keyed = isObject(table.value);
  if (!keyed && !Array.isArray(table.value)) {
    const expected = 'a list of records, or an object of them keyed by id';
    findings.push(errorAt('shape', table.place, quoteValue(table.value), expected));
    return [];
  }
  return convertRecords(table, findings, { keyed, raw: true }).map((converted) => ({
    ...converted,
    entry: Object.fromEntries(Object.entries(converted.record).filter(([, value]) => !holdsRecords(value))),
  }));
}

function holdsRecords(value: Json): boolean {
  if (Array.isArray(value)) return value.some((element) => isObject(element) || holdsRecords(element));
  return isObject(value) && Object.values(value).some(holdsRecords);
}

function mapDataset(
  run: Evaluation,
  key: string,
  mapping: MappedRows | { expression: Expression },
  selection: RowCounts,
): CompiledDataset | undefined {
  if ('expression' in mapping) {
    const { place } = mapping.expression;
    const value = evaluate(run, mapping.expression, run.values, { tables: run.values }, place);
    if (value === undefined) return undefined;
    return convertDataset(key, { name: key, value, place, placeOfRow: () => place }, run.findings, false);
  }
  if (tableOfRows(mapping, run.tables) === undefined) return undefined;
  const records = [...selectRows(run, mapping, selection)].flatMap((row): CompiledRecord[] => {
    const record = evaluateRecord(run, mapping.entry, row);
    return record ? [{ record: withTextId(record), place: row.place, raw: false }] : [];
  });
  return { key, place: mapping.place, kind: 'list', records: sortRecords(records) };
}

function convertDataset(
  key: string,
  table: SourceTable,
  findings: Finding[],
  raw: boolean,
): CompiledDataset | undefined {
  const { place } = table;
  if (Array.isArray(table.value)) {
    const records = sortRecords(convertRecords(table, findings, { keyed: false, raw }));
    return { key, place, kind: 'list', records };
  }
  const object = convertJson(table.value, place, findings);
  if (isObject(object)) return { key, place, kind: 'object', object };
  findings.push(errorAt('shape', place, quoteValue(table.value), 'a list of records or one object'));
  return undefined;
}

/** Makes a record of each row, without a mapping. In a keyed table, the key is the id. */
function convertRecords(
  table: SourceTable,
  findings: Finding[],
  { keyed, raw }: { keyed: boolean; raw: boolean },
): CompiledRecord[] {
  return Object.entries(table.value as JsonObject).flatMap(([key, value]): CompiledRecord[] => {
    const place = table.placeOfRow(key);
    const row = convertJson(value, place, findings);
    if (!isObject(row)) {
      findings.push(errorAt('shape', place, quoteValue(value), 'a record, which is an object'));
      return [];
    }
    const record = withTextId(keyed && row.id === undefined ? sortAttributes({ ...row, id: key }) : row);
    const expected = `"${key}", the record's key, or no id`;
    if (keyed && record.id !== key)
      findings.push(errorAt('ids', placeBelow(place, 'id'), quoteValue(row.id), expected));
    return [{ record, place, raw }];
  });
}

function convertJson(value: Json, place: Place, findings: Finding[]): Json | undefined {
  const { value: canonical, problems } = canonicalise(value);
  for (const { pointer, found } of problems)
    findings.push(errorAt('shape', { ...place, pointer: place.pointer + pointer }, found, 'a JSON value'));
  return canonical;
}

/** Sorts records with ids in natural order, so that another order of the rows is not a change. */
function sortRecords(records: CompiledRecord[]): CompiledRecord[] {
  const identified = records.some(({ record }) => typeof record.id === 'string');
  return identified ? records.sort((a, b) => compareIds(a.record, b.record)) : records;
}

function compareIds(a: JsonObject, b: JsonObject): number {
  return compareNatural(String(a.id), String(b.id));
}

/** Encodes a compiled build of a game. */
export function encodeBuild(
  game: string,
  title: string,
  { source: { build, released_at }, roster, characters, datasets, carriedFrom }: CompiledBuild,
): EncodedBuild {
  const texts = characters.map(({ record }) => JSON.stringify(record));
  return {
    game,
    title,
    build,
    released_at,
    ...(carriedFrom && { carried_from: carriedFrom }),
    roster: roster.map((entry, at) =>
      entry === characters[at]?.record ? (texts[at] ?? '') : JSON.stringify(entry),
    ),
    characters: texts,
    datasets: new Map(datasets.map((dataset) => [dataset.key, encodeDataset(dataset)])),
  };
}

function encodeDataset(dataset: CompiledDataset): DatasetContent {
  if (dataset.kind === 'object') return { kind: 'object', text: JSON.stringify(dataset.object) };
  return { kind: 'list', records: dataset.records.map(({ record }) => JSON.stringify(record)) };
}

/**
 * Replaces records by equal ones of the previous build, in place: checks need not compare them, and the others can be forgotten.
 *
 * @param content the encoded build
 * @param previous the encoded previous build
 * @param lists its lists; `byId` is undefined if there are records without ids
 */
export function shareRecords(
  { characters, datasets }: CompiledBuild,
  content: EncodedBuild,
  previous: BuildContent | undefined,
  lists: ReadonlyMap<string, { records: readonly JsonObject[]; byId: unknown }> | undefined,
): void {
  const share = (key: string, compiled: CompiledRecord[]) => {
    const { records = [], byId } = lists?.get(key) ?? {};
    const earlier = previous ? textsOf(key, previous) : [];
    if (byId === undefined || earlier.length !== records.length) return;
    const known = new Map(records.map((record, at) => [earlier[at], record]));
    const texts = textsOf(key, content);
    for (const [at, each] of compiled.entries()) each.record = known.get(texts[at]) ?? each.record;
  };
  share('characters', characters);
  for (const dataset of datasets) if (dataset.kind === 'list') share(dataset.key, dataset.records);
}
