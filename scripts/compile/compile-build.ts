import path from 'node:path';
import { type Finding, type Outcome, type Place, placeBelow, quoteValue } from '../findings/findings.ts';
import { compareNatural, isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import type { BuildSource } from '../read/game/read-game.ts';
import type { BuildTables } from '../read/read-tables.ts';
import type { Table } from '../read/table.ts';
import { canonicalise, sortAttributes } from './canonical.ts';
import {
  type Evaluation,
  evaluateRecord,
  plainEvaluation,
  type Selection,
  selectRows,
  shapeFinding,
} from './evaluate-rows.ts';
import { describePlace, type Expression } from './expression.ts';
import { joinRecord, NOTHING_MORE, withTextId } from './join-record.ts';
import { Joins } from './joins.ts';
import type { MappedRows, Mapping } from './mapping.ts';
import { tableOfRows } from './union-table.ts';

/** A compiled record and the raw row that it was made of. */
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

/** A build in its served form. Lists whose records have ids are in the natural order of these. */
export interface CompiledBuild {
  source: BuildSource;
  /** Where the roster comes from. */
  rosterPlace: Place;
  /** Whether the table that the roster is mapped from is absent: it is optional, or its fault is reported already. */
  rosterTableMissing: boolean;
  /** The full records. */
  characters: CompiledRecord[];
  /** The roster entries, one per character and in the same order. */
  roster: JsonObject[];
  /** In order of their keys. */
  datasets: CompiledDataset[];
  trace: MappingTrace;
  /** The datasets that are those of an earlier build, with its name. */
  carriedFrom?: Readonly<Record<string, string>>;
}

/** How a mapping made a build, for checks of the mapping. */
export interface MappingTrace {
  mapping: Mapping;
  tables: BuildTables['tables'];
  /** The rows that each mapping saw and kept, by `characters` or the key of the dataset. */
  selections: ReadonlyMap<string, Selection>;
  /** Empty if the evaluation does not record what it reads. */
  joins: Joins;
}

const NOT_A_LIST = 'a list of records or one object';

/**
 * Compiles a build's tables into roster and datasets. Pure: the same tables and mapping give the same build.
 *
 * @param evaluation of expressions on these tables
 */
export function compileBuild(
  tables: BuildTables,
  mapping: Mapping,
  evaluation = plainEvaluation(tables),
): Outcome<CompiledBuild> {
  const findings: Finding[] = [];
  const { source, served } = tables;
  const buildPlace: Place = { file: path.posix.join(source.folder, 'build.json'), pointer: '', line: 1 };

  const selections = new Map<string, Selection>();
  const selectionOf = (list: string) => {
    const selection = { rows: 0, kept: 0 };
    selections.set(list, selection);
    return selection;
  };

  const characters = mapping.roster
    ? mapRoster(mapping.roster, tables, evaluation, findings, selectionOf('characters'))
    : convertRoster(served.get('characters'), findings);
  characters.sort((a, b) => compareIds(a.record, b.record));

  const datasets: CompiledDataset[] = [];
  for (const [key, dataset] of mapping.datasets) {
    const compiled = mapDataset(key, dataset, tables, evaluation, findings, selectionOf(key));
    if (compiled) datasets.push(compiled);
  }
  for (const [key, table] of served) {
    if (key === 'characters' && !mapping.roster) continue;
    const mapped = datasets.find((dataset) => dataset.key === key);
    if (mapped) {
      findings.push({
        check: 'dataset-file',
        severity: 'error',
        place: { ...table.place, line: 1 },
        found: `a file for the dataset "${key}", which game.json maps too`,
        expected: 'one source for a dataset',
      });
      continue;
    }
    const dataset = convertDataset(key, table, findings, true);
    if (dataset) datasets.push(dataset);
  }
  datasets.sort((a, b) => (a.key < b.key ? -1 : 1));

  return {
    value: {
      source,
      rosterPlace: mapping.roster?.place ?? served.get('characters')?.place ?? buildPlace,
      rosterTableMissing: mapping.roster !== undefined && tableOfRows(mapping.roster, tables) === undefined,
      characters: characters.map(({ record, place, raw }) => ({ record, place, raw })),
      roster: characters.map(({ entry }) => entry),
      datasets,
      trace: { mapping, tables: tables.tables, selections, joins: evaluation.joins ?? new Joins() },
    },
    findings,
  };
}

type CompiledCharacter = CompiledRecord & { entry: JsonObject };

function mapRoster(
  mapping: NonNullable<Mapping['roster']>,
  tables: BuildTables,
  evaluation: Evaluation,
  findings: Finding[],
  selection: Selection,
): CompiledCharacter[] {
  const characters: CompiledCharacter[] = [];
  const selected = selectRows(mapping, tables, findings, evaluation, selection);
  for (const { key, row, place, bindings } of selected) {
    const entry = evaluateRecord(mapping.entry, row, bindings, place, findings, evaluation);
    const more = mapping.record
      ? evaluateRecord(mapping.record, row, bindings, place, findings, evaluation)
      : NOTHING_MORE;
    if (!entry || !more) continue;
    for (const clash of Object.keys(more).filter((name) => Object.hasOwn(entry, name))) {
      findings.push({
        check: 'full-record',
        severity: 'error',
        place,
        found: `"${clash}" in both the roster entry and the full record of row "${key}"`,
        expected: 'each attribute in one of them; the full record includes the roster entry',
        fix: `remove it from ${describePlace(mapping.record ?? mapping.entry)}`,
      });
    }
    characters.push({ ...joinRecord(entry, more), place, raw: false });
  }
  return characters;
}

/** Without a mapping, the roster entry is the record without the attributes that contain lists of objects. */
function convertRoster(table: Table | undefined, findings: Finding[]): CompiledCharacter[] {
  if (table === undefined) return [];
  if (!Array.isArray(table.value) && !isObject(table.value)) {
    findings.push(
      shapeFinding(
        table.place,
        quoteValue(table.value),
        'a list of records, or an object of them keyed by id',
      ),
    );
    return [];
  }
  const keyed = !Array.isArray(table.value);
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
  key: string,
  mapping: MappedRows | { expression: Expression },
  tables: BuildTables,
  evaluation: Evaluation,
  findings: Finding[],
  selection: Selection,
): CompiledDataset | undefined {
  if ('expression' in mapping) {
    const { place } = mapping.expression;
    const { values } = evaluation;
    const value = evaluation.evaluate(mapping.expression, values, { tables: values }, place, findings);
    if (value === undefined) return undefined;
    return convertDataset(key, { name: key, value, place, placeOfRow: () => place }, findings, false);
  }
  if (tableOfRows(mapping, tables) === undefined) return undefined;
  const records: CompiledRecord[] = [];
  const selected = selectRows(mapping, tables, findings, evaluation, selection);
  for (const { row, place, bindings } of selected) {
    const record = evaluateRecord(mapping.entry, row, bindings, place, findings, evaluation);
    if (record) records.push({ record: withTextId(record), place, raw: false });
  }
  return { key, place: mapping.place, kind: 'list', records: sortRecords(records) };
}

function convertDataset(
  key: string,
  table: Table,
  findings: Finding[],
  raw: boolean,
): CompiledDataset | undefined {
  if (Array.isArray(table.value)) {
    return {
      key,
      place: table.place,
      kind: 'list',
      records: sortRecords(convertRecords(table, findings, { keyed: false, raw })),
    };
  }
  const object = convertJson(table.value, table.place, findings);
  if (isObject(object)) return { key, place: table.place, kind: 'object', object };
  findings.push(shapeFinding(table.place, quoteValue(table.value), NOT_A_LIST));
  return undefined;
}

/** Makes a record of each row of a table, unmapped. In a keyed table the key is the id. */
function convertRecords(
  table: Table,
  findings: Finding[],
  { keyed, raw }: { keyed: boolean; raw: boolean },
): CompiledRecord[] {
  return Object.entries(table.value as JsonObject).flatMap(([key, value]): CompiledRecord[] => {
    const place = table.placeOfRow(key);
    const row = convertJson(value, place, findings);
    if (!isObject(row)) {
      findings.push(shapeFinding(place, quoteValue(value), 'a record, which is an object'));
      return [];
    }
    const record = withTextId(keyed && row.id === undefined ? sortAttributes({ ...row, id: key }) : row);
    if (keyed && record.id !== key) {
      findings.push({
        check: 'ids',
        severity: 'error',
        place: placeBelow(place, 'id'),
        found: quoteValue(row.id),
        expected: `"${key}", the record's key, or no id`,
      });
    }
    return [{ record, place, raw }];
  });
}

function convertJson(value: Json, place: Place, findings: Finding[]): Json | undefined {
  const { value: canonical, problems } = canonicalise(value);
  for (const { pointer, found } of problems) {
    findings.push(shapeFinding({ ...place, pointer: place.pointer + pointer }, found, 'a JSON value'));
  }
  return canonical;
}

/** Sorts records that have ids into natural order: another order of the rows is not a change. */
function sortRecords(records: CompiledRecord[]): CompiledRecord[] {
  const identified = records.some(({ record }) => typeof record.id === 'string');
  return identified ? records.sort((a, b) => compareIds(a.record, b.record)) : records;
}

function compareIds(a: JsonObject, b: JsonObject): number {
  return compareNatural(String(a.id), String(b.id));
}
