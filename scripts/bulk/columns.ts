import {
  compareNatural,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
} from '../format/dist-format.ts';
import { type BulkCollection, recordsOf } from './collections.ts';

/** A collection as a table. */
export interface Table {
  /** The names of the columns: dotted keys. */
  names: string[];
  /** For each column, the value of each row; undefined where it has none. */
  columns: (Json | undefined)[][];
}

/**
 * Makes a table of records: a column for each attribute that is reached through objects, and is no object itself.
 *
 * @param inOrder the keys of attributes in the order of the dictionary; all others come after them
 */
function makeTable(records: readonly JsonObject[], inOrder: readonly string[]): Table {
  const values = new Map<string, (Json | undefined)[]>();
  for (const [row, record] of records.entries()) {
    eachAttribute(record, (key, value) => {
      if (isObject(value)) return;
      let column = values.get(key);
      if (column === undefined) {
        column = new Array<Json | undefined>(records.length).fill(undefined);
        values.set(key, column);
      }
      column[row] = value;
    });
  }
  const places = new Map(inOrder.map((key, place) => [key, place]));
  const placeOf = (key: string) => places.get(key) ?? inOrder.length;
  const names = [...values.keys()].sort((a, b) => placeOf(a) - placeOf(b) || compareNatural(a, b));
  const columns = names.map((name) => values.get(name) ?? []);
  return { names, columns };
}

const tables = new WeakMap<readonly JsonObject[], { order: string; table: Table }>();

/** The table of a collection. It is made once for all formats, and for all builds that share its records. */
export function tableOf(collection: BulkCollection, inOrder: readonly string[]): Table {
  const records = recordsOf(collection);
  const order = JSON.stringify(inOrder);
  const cachedTable = tables.get(records);
  if (cachedTable?.order === order) return cachedTable.table;
  const table = makeTable(records, inOrder);
  tables.set(records, { order, table });
  return table;
}
