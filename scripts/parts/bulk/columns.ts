import {
  compareNatural,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
} from '../../core/format/dist-format.ts';

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
export function makeTable(records: readonly JsonObject[], inOrder: readonly string[]): Table {
  const values = new Map<string, (Json | undefined)[]>();
  for (const [row, record] of records.entries()) {
    eachAttribute(record, (key, value) => {
      if (isObject(value)) return;
      const column = values.get(key) ?? [];
      column[row] = value;
      values.set(key, column);
    });
  }
  const known = new Map(inOrder.map((key, place) => [key, place]));
  const placeOf = (key: string) => known.get(key) ?? inOrder.length;
  const names = [...values.keys()].sort((a, b) => placeOf(a) - placeOf(b) || compareNatural(a, b));
  const columns = names.map((name) =>
    Array.from({ length: records.length }, (_, row) => values.get(name)?.[row]),
  );
  return { names, columns };
}
