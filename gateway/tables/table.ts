import {
  compareNatural,
  eachAttribute,
  isObject,
  type Json,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import { LINE_END } from '../../scripts/bulk/tables.ts';
import type { Collection } from '../query/collection.ts';
import type { Field } from '../query/fields.ts';
import type { Translation } from '../query/translation.ts';
import { safeCell, safeText } from './safe-cell.ts';

const tables = new WeakMap<Collection, Table>();

/**
 * Returns the table of a list, which is made for the first request of CSV.
 *
 * @param inOrder returns the keys of the attributes in the order of the dictionary
 */
export function tableOf(list: Collection, inOrder: () => readonly string[]): Table {
  const table = tables.get(list) ?? new Table(list, inOrder());
  tables.set(list, table);
  return table;
}

/** A list of records as lines of CSV. */
export class Table {
  /** The keys of all columns that there can be, those of full records, in order. */
  readonly keys: readonly string[];
  readonly #list: Collection;
  #defaultKeys: readonly string[] | undefined;
  readonly #cells = new Map<string, Field>();
  /** The lines of records with the default columns, once they were requested. */
  readonly #lines: string[] = [];

  /** @param inOrder the keys of attributes in the order of the dictionary; attributes that it lacks follow */
  constructor(list: Collection, inOrder: readonly string[]) {
    this.#list = list;
    const { attributes } = list;
    const others = [...attributes].sort(compareNatural);
    const keys = new Set([...inOrder.filter((key) => attributes.has(key)), ...others]);
    const objects = new Set([...attributes].flatMap(objectsAbove));
    this.keys = [...keys].filter((key) => !objects.has(key));
  }

  /** The keys of the columns that are written unless a request chooses others: those of the records in a list. */
  get defaultKeys(): readonly string[] {
    this.#defaultKeys ??= this.#findDefaultKeys();
    return this.#defaultKeys;
  }

  /**
   * Returns the line with the names of the columns.
   *
   * @param keys some of `keys`, or of those that exist only in a translation; undefined for the default ones
   */
  head(keys: readonly string[] = this.defaultKeys): string {
    return keys.map(safeText).join() + LINE_END;
  }

  /** Returns the lines of rows. @param keys as for `head` */
  lines(
    rows: readonly number[],
    keys: readonly string[] | undefined,
    translation: Translation | undefined,
  ): string {
    const cells = (keys ?? this.defaultKeys).map((key) => this.#cellOf(key, translation));
    const isDefault = keys === undefined && translation === undefined;
    let lines = '';
    for (const row of rows) {
      const line = (isDefault ? this.#lines[row] : undefined) ?? lineOf(cells, row);
      if (isDefault) this.#lines[row] = line;
      lines += line;
    }
    return lines;
  }

  /** Returns a column's cells. */
  #cellOf(key: string, translation: Translation | undefined): Field {
    const list = this.#list;
    const column = list.columns.get(key);
    const isScalar = column?.list === false;
    if (translation !== undefined && !(isScalar && !translation.translates(key)))
      return (row) => cellOf(translation.field(key)(row));
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      const texts = isScalar ? column.values.map((value) => safeCell(value)) : [];
      const field = list.attributes.has(key) ? list.field(key) : membersOf(list, key);
      cell = isScalar ? (row) => texts[column.codes[row] ?? -1] ?? '' : (row) => cellOf(field(row));
      this.#cells.set(key, cell);
    }
    return cell;
  }

  #findDefaultKeys(): readonly string[] {
    if (!this.#list.isShort) return this.keys;
    const short = new Set<string>();
    for (const json of this.#list.records)
      eachAttribute(parseRecord(json), (key, value) => {
        // A list of objects that is empty stays in the roster, and those of other records do not.
        if (!Array.isArray(value) || value.length > 0) short.add(key);
      });
    return this.keys.filter((key) => short.has(key));
  }
}

/** Returns the values that an attribute has inside a list: `skills.name`. */
function membersOf(list: Collection, key: string): Field {
  const projection = list.project([key]);
  const [outer] = projection;
  return (row) => {
    const json = typeof outer?.value === 'function' ? outer.value(row) : '';
    const values = json === '' ? [] : leavesOf(JSON.parse(json));
    return values.length === 0 ? '' : JSON.stringify(values);
  };
}

function leavesOf(value: Json): Json[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
}

function cellOf(json: string): string {
  return json === '' ? '' : safeCell(JSON.parse(json));
}

function lineOf(cells: readonly Field[], row: number): string {
  let line = '';
  for (let at = 0; at < cells.length; at++) line += (at > 0 ? ',' : '') + (cells[at] as Field)(row);
  // Readers skip an empty line.
  return (line === '' ? '""' : line) + LINE_END;
}

/** Returns the keys of the objects that an attribute is in: `a.b.c` is in `a` and `a.b`. */
function objectsAbove(key: string): string[] {
  const steps = key.split('.');
  return steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('.'));
}
