import type { Json } from '../format/dist-format.ts';
import { type ColumnType, columnType } from './column-type.ts';

/** A value that SQLite stores. */
export type SqlValue = string | number | null;

/** A column of a database table. */
export interface RelationColumn {
  name: string;
  type: 'INTEGER' | 'REAL' | 'TEXT';
  /** The value of each row. */
  values: readonly SqlValue[];
  /** The column of another table that has all its values. */
  references?: { table: string; column: string };
}

/** A table of a database. */
export interface Relation {
  name: string;
  columns: RelationColumn[];
  /** The names of the columns of its primary key; empty if it has none. */
  key: readonly string[];
}

const TYPES: Readonly<Record<ColumnType, RelationColumn['type']>> = {
  boolean: 'INTEGER',
  string: 'TEXT',
  int32: 'INTEGER',
  int64: 'INTEGER',
  double: 'REAL',
  json: 'TEXT',
};

/** Makes a column of the narrowest type that holds all values. Booleans are 0 and 1; lists, and values of several types, are JSON. */
export function makeColumn(
  name: string,
  values: readonly (Json | undefined)[],
  references?: RelationColumn['references'],
): RelationColumn {
  const type = columnType(values);
  const write = (value: Json): SqlValue => {
    if (type === 'json') return JSON.stringify(value);
    return typeof value === 'boolean' ? Number(value) : (value as string | number);
  };
  const written = values.map((value) => (value === undefined || value === null ? null : write(value)));
  return { name, type: TYPES[type], values: written, ...(references && { references }) };
}

/** Makes names distinct where SQL would not: a second name that differs in the case of letters only ends with `_2`. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let made = name;
    for (let number = 2; taken.has(foldCase(made)); number++) made = `${name}_${number}`;
    taken.add(foldCase(made));
    return made;
  });
}

/** SQLite compares names by the letters of ASCII. */
function foldCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
