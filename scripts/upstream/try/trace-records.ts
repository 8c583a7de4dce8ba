import { plainEvaluation, selectRows, withTextId } from '../../compile/compile-build.ts';
import { compileMappings, type MappedRows } from '../../compile/mapping.ts';
import type { Expression } from '../../compile/expression.ts';
import type { LookedUp } from '../../compile/joins.ts';
import type { Finding, Steps } from '../../findings.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import type { GameSource } from '../../read/game.ts';
import type { BuildTables } from '../../read/tables.ts';

/** A row of upstream, or the part of one that a record was made of. */
interface RawRow {
  /** Its file and JSON Pointer, or its table and key. */
  place: string;
  /** Its key in its table, if it is the row of the record. */
  key?: string;
  value: Json;
}

/** A record, and the rows that it was made of: its own first, then those that expressions looked up. */
export interface TracedRecord {
  record: JsonObject;
  rows: RawRow[];
}

/** Some records of a collection. */
export interface TracedCollection {
  /** `characters` or the key of a dataset. */
  list: string;
  /** The table of its rows; undefined if a file is served as it is. */
  from: string | undefined;
  /** How many rows the mapping keeps. */
  count: number;
  records: TracedRecord[];
}

/** More looked up rows of a record are not shown. */
const MAX_LOOKED_UP = 6;

/**
 * Makes some records of each collection of a build again, evenly chosen, and records which rows of the tables they were made of.
 *
 * @param count how many records of each collection
 */
export async function traceRecords(
  game: GameSource,
  tables: BuildTables,
  count: number,
  steps: Steps,
): Promise<TracedCollection[]> {
  const mappings = compileMappings(game).value;
  const mapping = mappings.get(tables.source.definition);
  const collections: TracedCollection[] = [];
  if (mapping?.roster) collections.push(await traceRows('characters', mapping.roster, tables, count, steps));
  for (const [key, rows] of mapping?.datasets ?? [])
    if ('from' in rows) collections.push(await traceRows(key, rows, tables, count, steps));
  for (const [list, { value, place }] of tables.served) {
    const rows = Array.isArray(value) ? value.filter(isObject) : [];
    const records = chooseEvenly(rows, count).map((record) => ({
      record,
      rows: [{ place: place.file, value: record }],
    }));
    collections.push({ list, from: undefined, count: rows.length, records });
  }
  return collections.filter(({ records }) => records.length > 0);
}

async function traceRows(
  list: string,
  rows: MappedRows & { record?: Expression },
  tables: BuildTables,
  count: number,
  steps: Steps,
): Promise<TracedCollection> {
  const evaluation = plainEvaluation(tables, steps);
  const findings: Finding[] = [];
  const selected = [];
  for await (const row of selectRows(rows, tables, findings, evaluation)) selected.push(row);
  const records: TracedRecord[] = [];
  for (const { key, row, place, bindings } of chooseEvenly(selected, count)) {
    const looked: LookedUp[] = [];
    const made = (expression: Expression | undefined) => {
      const value = expression && evaluation.evaluate(expression, row, bindings, place, findings);
      looked.push(...(evaluation.joins?.lookedUp ?? []));
      return isObject(value) ? value : {};
    };
    const record = withTextId({ ...made(rows.entry), ...made(rows.record) });
    const rawRow = { place: `${place.file} ${place.pointer}`, key, value: row };
    records.push({ record, rows: [rawRow, ...describeLookedUp(looked, row)] });
  }
  return { list, from: rows.from, count: selected.length, records };
}

/** What expressions looked up in tables, by table and key. */
function describeLookedUp(looked: readonly LookedUp[], row: Json): RawRow[] {
  const rows = new Map<string, { place: string; value: Json }>();
  for (const { table, part, key, value } of looked) {
    if (value === undefined || value === row) continue;
    const place = `${table} ${part ?? key}`;
    const known = rows.get(place)?.value ?? {};
    rows.set(place, {
      place,
      value: part === undefined ? value : { ...(isObject(known) && known), [key]: value },
    });
  }
  return [...rows.values()].slice(0, MAX_LOOKED_UP);
}

/** Chooses elements at equal distances. */
function chooseEvenly<T>(all: readonly T[], count: number): T[] {
  if (all.length <= count) return [...all];
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as T);
}
