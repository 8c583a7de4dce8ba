import { LRUCache } from 'lru-cache';
import {
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  sliceList,
} from '../../scripts/format/dist-format.ts';
import { once } from '../lib/once.ts';
import { type Column, ColumnBuilder, type Scalar } from './column.ts';
import { ElementList } from './element-list.ts';
import { createFinder, type Field, type Projection, pathOf } from './fields.ts';
import { NameIndex } from './name-index.ts';
import { orderRows, type SortKey } from './order.ts';

/** How many orders of rows are kept: a client that requests every combination costs no more memory than this. */
const KEPT_ORDERS = 64;

/**
 * A list of records, ready for queries: records as bytes, facets as columns. It is read once at load and never changes. What only some
 * queries need is made by the first of them: the order of a column's values, an index of names, an order of rows.
 */
export class Collection {
  /** The number of records. */
  readonly count: number;
  /** Facets by dotted key. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Every attribute that is reached through objects, facet or not: `fields` may name them. */
  readonly attributes: ReadonlySet<string>;
  /** The attributes that are lists of objects. Filters reach into them (`elements`). */
  readonly objectLists: ReadonlySet<string>;
  /** Whether `records` have fewer attributes than `fullRecords`. */
  readonly isShort: boolean;

  readonly #records: () => readonly Buffer[];
  readonly #fullRecords: () => readonly Buffer[];
  readonly #rowOfId = once(() => this.#numberRows());
  readonly #aliases: Readonly<Record<string, readonly string[]>>;
  readonly #names = once(() => new NameIndex([...this.columns.values(), ...this.#aliasColumn()]));
  readonly #fields = new Map<string, Field>();
  readonly #elements = new Map<string, ElementList>();
  readonly #orders = once(() => new LRUCache<string, Int32Array>({ max: KEPT_ORDERS }));

  /**
   * @param list a list file of dist/
   * @param fullList the list file of the full records, with the same rows
   * @param aliases further names by id, which are in no record
   * @throws Error when the bytes do not follow the format
   */
  constructor(
    list: Buffer,
    fullList: Buffer = list,
    aliases: Readonly<Record<string, readonly string[]>> = {},
  ) {
    const fullRecords = sliceList(fullList);
    this.count = fullRecords.length;
    if (list !== fullList && sliceList(list).length !== this.count)
      throw new Error('roster and characters differ in length');

    const { columns, attributes, objectLists } = readAttributes(fullRecords);
    this.columns = columns;
    this.attributes = attributes;
    this.objectLists = objectLists;
    this.#aliases = aliases;
    this.isShort = list !== fullList;
    // Sliced only when they are first requested: in most lists they never are.
    this.#fullRecords = once(() => sliceList(fullList));
    this.#records = list === fullList ? this.#fullRecords : once(() => sliceList(list));
  }

  /** The records of a list response: roster entries, or the records of a dataset. */
  get records(): readonly Buffer[] {
    return this.#records();
  }

  /** The full records; the same as `records` when they have no more attributes. */
  get fullRecords(): readonly Buffer[] {
    return this.#fullRecords();
  }

  /** Row numbers by id; undefined for a list without ids. */
  get rowOfId(): ReadonlyMap<string, number> | undefined {
    return this.#rowOfId();
  }

  /** The names of the records, for search. */
  get names(): NameIndex {
    return this.#names();
  }

  /** The aliases of a row: those in its record, then those that are only for search; each once. */
  aliasesAt(row: number): readonly string[] {
    const { values = [], codes } = this.columns.get('id') ?? {};
    const added = this.#aliasesOf(String(values[codes?.[row] ?? -1]));
    if (!this.columns.has('aliases')) return added;
    const { aliases = [] } = JSON.parse(String(this.fullRecords[row])) as JsonObject;
    const own = [aliases].flat().filter((alias) => typeof alias === 'string');
    return [...new Set([...own, ...added])];
  }

  /** Returns all rows in the order of the sort keys, ties in the list's own order. */
  order(keys: readonly SortKey[]): Int32Array {
    const name = keys.map(({ column, descending }) => (descending ? '-' : '') + column.key).join();
    const orders = this.#orders();
    let order = orders.get(name);
    if (order === undefined) {
      order = orderRows(keys, this.count);
      orders.set(name, order);
    }
    return order;
  }

  /**
   * Returns the elements of a list of objects, which are read when they are first requested.
   *
   * @param key one of `objectLists`, or of the lists inside its elements
   */
  elements(key: string): ElementList {
    let elements = this.#elements.get(key);
    if (elements === undefined) {
      elements = new ElementList(key, this.fullRecords);
      this.#elements.set(key, elements);
    }
    return elements;
  }

  /**
   * Returns a projection of the full records onto some of `attributes`.
   *
   * @param fieldOf returns the writer of an attribute
   */
  project(keys: readonly string[], fieldOf = (key: string): Field => this.field(key)): Projection {
    const projection: Projection = [];
    for (const key of keys) {
      let level = projection;
      const steps = key.split('.');
      for (const [depth, step] of steps.entries()) {
        let attribute = level.find(({ name }) => name === step);
        if (attribute === undefined) {
          attribute = { name: step, opening: Buffer.from(`${JSON.stringify(step)}:`), value: [] };
          level.push(attribute);
        }
        if (depth === steps.length - 1) attribute.value = fieldOf(key);
        // This key or an earlier one selects the whole object.
        if (typeof attribute.value === 'function') break;
        level = attribute.value;
      }
    }
    return projection;
  }

  /** Returns the writer of one of `attributes`: a scalar from its column, anything else from the record's bytes. */
  field(key: string): Field {
    const known = this.#fields.get(key);
    if (known) return known;
    const field = this.#makeField(key);
    this.#fields.set(key, field);
    return field;
  }

  #aliasesOf(id: string): readonly string[] {
    return Object.hasOwn(this.#aliases, id) ? (this.#aliases[id] as readonly string[]) : [];
  }

  #aliasColumn(): Column[] {
    const builder = new ColumnBuilder('aliases');
    let isEmpty = true;
    for (const [id, row] of this.rowOfId ?? []) {
      const aliases = this.#aliasesOf(id);
      if (aliases.length === 0) continue;
      builder.addList(row, aliases);
      isEmpty = false;
    }
    return isEmpty ? [] : [builder.build(this.count)];
  }

  #numberRows(): ReadonlyMap<string, number> | undefined {
    if (this.count === 0) return new Map();
    const ids = this.columns.get('id');
    if (ids?.type !== 'string' || ids.list || ids.present < this.count) return undefined;
    const { values, codes } = ids;
    return new Map(Array.from(codes, (code, row) => [values[code] as string, row]));
  }

  #makeField(key: string): Field {
    const column = this.columns.get(key);
    const writeFound = createFinder(() => this.fullRecords, pathOf(key));
    if (column === undefined) return writeFound;
    // Without a scalar, a facet has a short list or nothing.
    const { list, codes, json } = column;
    return (draft, row) => {
      const code = list ? -1 : (codes[row] as number);
      if (code === -1) return writeFound(draft, row);
      draft.writePiece(json, code);
      return true;
    };
  }
}

function readAttributes(
  records: readonly Buffer[],
): Pick<Collection, 'columns' | 'attributes' | 'objectLists'> {
  const builders = new Map<string, ColumnBuilder>();
  const attributes = new Set<string>();
  const objectLists = new Set<string>();
  for (const [row, json] of records.entries()) {
    // One at a time: this is as fast as all at once, and each record is freed before the next.
    eachAttribute(JSON.parse(json.toString()) as JsonObject, (key, value) => {
      attributes.add(key);
      const isList = isScalarList(value);
      if (!isList && !isScalar(value)) {
        if (Array.isArray(value) && value.some(isObject)) objectLists.add(key);
        return;
      }
      const builder = builders.get(key) ?? new ColumnBuilder(key);
      builders.set(key, builder);
      if (isList) builder.addList(row, value);
      else builder.add(row, value);
    });
  }
  const columns = [...builders].map(([key, builder]) => [key, builder.build(records.length)] as const);
  return { columns: new Map(columns), attributes, objectLists };
}

function isScalarList(value: Json): value is Scalar[] {
  return Array.isArray(value) && value.length > 0 && value.every(isScalar);
}

function isScalar(value: Json): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
