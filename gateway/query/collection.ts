import { LRUCache } from 'lru-cache';
import {
  eachAttribute,
  eachRecord,
  isObject,
  type Json,
  type JsonObject,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import { Column, type Scalar } from './column.ts';
import {
  type ElementList,
  outermostList,
  type Projection,
  pick,
  projectionOf,
  type ReadField,
  readElements,
  valueAt,
} from './fields.ts';
import { NameIndex } from './name-index.ts';

/** How many row orders are kept. The limit bounds the memory for a client that requests every combination. */
const KEPT_ORDERS = 64;

/** Additional names by id, which are in no record. */
type Aliases = Readonly<Record<string, readonly string[]>>;

/**
 * A list of records, ready for queries: records as bytes, facets as columns. It is read once and never changes. The codes of a column, the index of
 * names and the orders of rows are made when a query first needs them.
 */
export class Collection {
  /** The number of records. */
  readonly count: number;
  /** Facets by dotted key. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Every attribute that is reached through objects, facet or not: the allowed values of `fields`. */
  readonly attributes: ReadonlySet<string>;
  /** The attributes that are lists of objects; filters may refer to their members. */
  readonly objectLists: ReadonlySet<string>;
  /** Whether `records` have fewer attributes than `fullRecords`. */
  readonly isShort: boolean;
  readonly #files: { list: Buffer; fullList: Buffer };
  readonly #aliases: Aliases;
  readonly #fields = new Map<string, ReadField>();
  readonly #elements = new Map<string, ElementList>();
  #orders: LRUCache<string, Int32Array> | undefined;
  #records: readonly Buffer[] | undefined;
  #fullRecords: readonly Buffer[] | undefined;
  #rowOfId: ReadonlyMap<string, number> | null | undefined;
  #names: NameIndex | undefined;

  /**
   * @param list a list file of dist/
   * @param fullList the list file of the full records, with the same rows
   * @param aliases additional names by id, which are in no record
   * @throws Error when the bytes do not have the format
   */
  constructor(list: Buffer, fullList: Buffer = list, aliases: Aliases = {}) {
    const { count, ...read } = readAttributes(fullList);
    if (list !== fullList && count !== [...eachRecord(list)].length)
      throw new Error('roster and characters differ in length');
    this.count = count;
    this.columns = read.columns;
    this.attributes = read.attributes;
    this.objectLists = read.objectLists;
    this.isShort = list !== fullList;
    this.#files = { list, fullList };
    this.#aliases = aliases;
  }

  /** The records of a list response: entries of the roster, or records of a dataset. */
  get records(): readonly Buffer[] {
    // Split at the first request: for most lists there is none.
    this.#records ??= this.isShort ? [...eachRecord(this.#files.list)] : this.fullRecords;
    return this.#records;
  }

  /** The same as `records` if these have all attributes. */
  get fullRecords(): readonly Buffer[] {
    this.#fullRecords ??= [...eachRecord(this.#files.fullList)];
    return this.#fullRecords;
  }

  /** Row numbers by id; undefined for a list without ids. */
  get rowOfId(): ReadonlyMap<string, number> | undefined {
    if (this.#rowOfId === undefined) this.#rowOfId = this.#numberRows() ?? null;
    return this.#rowOfId ?? undefined;
  }

  /** The names of the records, for search. */
  get names(): NameIndex {
    this.#names ??= this.#indexNames();
    return this.#names;
  }

  /** Returns all rows sorted by the keys: rows without a value come last in both directions, ties stay in the list's order. */
  order(keys: readonly SortKey[]): Int32Array {
    const name = keys.map(({ column, descending }) => (descending ? '-' : '') + column.key).join();
    this.#orders ??= new LRUCache({ max: KEPT_ORDERS });
    const hit = this.#orders.get(name);
    if (hit !== undefined) return hit;
    const order = orderRows(keys, this.count);
    this.#orders.set(name, order);
    return order;
  }

  /** Returns the elements of a list of objects, which may itself be inside the elements of another. */
  findElements(key: string): ElementList | undefined {
    const hit = this.#elements.get(key);
    if (hit !== undefined) return hit;
    if (!this.objectLists.has(key)) {
      const outer = outermostList(key, this.objectLists);
      const inside = outer === undefined ? undefined : this.findElements(outer)?.lists;
      if (!inside?.has(key.slice((outer?.length ?? 0) + 1))) return undefined;
    }
    const elements = readElements(key, this.fullRecords);
    this.#elements.set(key, elements);
    return elements;
  }

  /** Whether `fields` may name a key: an attribute, or an attribute of a list's elements. */
  hasField(key: string): boolean {
    return this.attributes.has(key) || this.#listAbove(key) !== undefined;
  }

  /** Returns the list of objects whose elements have an attribute. */
  #listAbove(key: string): string | undefined {
    const outer = outermostList(key, this.objectLists);
    const elements = outer === undefined ? undefined : this.findElements(outer);
    if (outer === undefined || elements === undefined) return undefined;
    const inner = key.slice(outer.length + 1);
    const known = [...elements.columns.keys(), ...elements.lists];
    return known.some((each) => each === inner || each.startsWith(`${inner}.`)) ? outer : undefined;
  }

  /**
   * Returns a projection of the full records onto some of `attributes`, or onto attributes of their lists' elements.
   *
   * @param fieldOf returns an attribute
   */
  project(keys: readonly string[], fieldOf = (key: string): ReadField => this.field(key)): Projection {
    const inside = new Map<string, string[]>();
    const outers = keys.map((key) => {
      const outer = this.attributes.has(key) ? undefined : this.#listAbove(key);
      if (outer === undefined || keys.includes(outer)) return outer ?? key;
      inside.set(outer, [...(inside.get(outer) ?? []), key.slice(outer.length + 1)]);
      return outer;
    });
    return projectionOf([...new Set(outers)], (key) => {
      const inner = inside.get(key);
      const whole = fieldOf(key);
      return inner === undefined
        ? whole
        : (row) => {
            const json = whole(row);
            return json === '' ? '' : JSON.stringify(pick(JSON.parse(json), inner));
          };
    });
  }

  /** Returns one of `attributes`, or the values of one inside a list: scalars from the column, others from the record. */
  field(key: string): ReadField {
    let field = this.#fields.get(key);
    if (field === undefined) {
      field = this.#makeField(key);
      this.#fields.set(key, field);
    }
    return field;
  }

  aliasesOf(id: string): readonly string[] {
    return (Object.hasOwn(this.#aliases, id) && this.#aliases[id]) || [];
  }

  #indexNames(): NameIndex {
    const aliases = new Column('aliases');
    for (const [id, row] of this.rowOfId ?? []) aliases.addList(row, this.aliasesOf(id));
    const columns = [...this.columns.values(), ...(aliases.end(this.count) ? [aliases] : [])];
    return new NameIndex(
      columns.filter(({ key, type }) => isNameKey(key) && type === 'string'),
      this.count,
    );
  }

  #numberRows(): ReadonlyMap<string, number> | undefined {
    const rowOfId = new Map<string, number>();
    if (this.count === 0) return rowOfId;
    const ids = this.columns.get('id');
    if (ids?.type !== 'string' || ids.list || ids.present < this.count) return undefined;
    for (const [row, code] of ids.codes.entries()) rowOfId.set(ids.values[code] as string, row);
    return rowOfId;
  }

  #makeField(key: string): ReadField {
    const column = this.columns.get(key);
    if (column !== undefined) return (row) => column.jsonOf(row);
    return (row) => {
      const value = valueAt(parseRecord(this.fullRecords[row] as Buffer), key);
      return value === undefined ? '' : JSON.stringify(value);
    };
  }
}

/** Matches the columns with names: `name`, `name_xx` for a language xx, and `aliases`. */
export function isNameKey(key: string): boolean {
  return key === 'name' || key === 'aliases' || (key.startsWith('name_') && !key.includes('.'));
}

/** A facet to sort by; not a list. */
export interface SortKey {
  column: Column;
  descending: boolean;
}

function orderRows(keys: readonly SortKey[], rowCount: number): Int32Array {
  const order = Int32Array.from({ length: rowCount }, (_, row) => row);
  const sorted = keys.map(({ column: { codes, ranks, values }, descending }) =>
    Int32Array.from(codes, (code) => {
      if (code === -1) return values.length;
      return descending ? -(ranks[code] ?? 0) : (ranks[code] ?? 0);
    }),
  );
  return sorted.length === 0
    ? order
    : order.sort((a, b) => {
        for (const places of sorted) {
          const difference = (places[a] ?? 0) - (places[b] ?? 0);
          if (difference !== 0) return difference;
        }
        return a - b;
      });
}

/** Reads the attributes of a list's records. @throws Error when the bytes do not have the format */
function readAttributes(list: Buffer) {
  const columns = new Map<string, Column>();
  const attributes = new Set<string>();
  const objectLists = new Set<string>();
  let count = 0;
  const add = (key: string, raw: Json) => {
    attributes.add(key);
    // Null is not a value, also in a list.
    const value = Array.isArray(raw) && raw.includes(null) ? raw.filter((each) => each !== null) : raw;
    const scalars = scalarsOf(value);
    if (scalars === undefined) {
      if (Array.isArray(value) && value.some(isObject)) objectLists.add(key);
      return;
    }
    const column = columns.get(key) ?? new Column(key);
    columns.set(key, column);
    if (isScalar(value)) column.add(count, value);
    else column.addList(count, scalars, JSON.stringify(raw));
  };
  for (const record of eachRecord(list)) {
    eachAttribute(parseRecord(record) as JsonObject, add);
    count++;
  }
  for (const [key, column] of columns) if (!column.end(count)) columns.delete(key);
  return { count, columns, attributes, objectLists };
}

/** Returns the values of a scalar or of a list of scalars; none for null, undefined for anything with objects. */
function scalarsOf(value: Json): Scalar[] | undefined {
  if (value === null) return [];
  if (Array.isArray(value)) return value.every(isScalar) ? value : undefined;
  return isScalar(value) ? [value] : undefined;
}

function isScalar(value: Json): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
