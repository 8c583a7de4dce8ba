import { LRUCache } from 'lru-cache';
import { eachRecord } from '../../scripts/format/dist-format.ts';
import {
  countWork,
  inSteps,
  NUMBERS_A_STEP,
  once,
  Part,
  runAtOnce,
  runInSlices,
  type Steps,
  TEXTS_A_STEP,
  WORK,
} from '../http/work.ts';
import { type Column, ColumnBuilder } from './column.ts';
import { createFinder, type Field, type Projection, pathOf } from './fields.ts';
import { NameIndex } from '../search/name-index.ts';
import { isNameKey, type NameFinder } from './names.ts';
import { type Attributes, readAttributes } from './read-attributes.ts';

/** How many orders of rows are kept: a client that requests every combination costs no more memory than this. */
const KEPT_ORDERS = 64;

/**
 * A list of records, ready for queries: records as bytes, facets as columns. It is read once at load and never changes. What only some
 * queries need is made for the first of them: the order of a column's values, an index of names, an order of rows. If the list is long, that query
 * fails with an UnpreparedError, and is done again when the part is prepared.
 */
export class Collection {
  /** The number of records. */
  readonly count: number;
  /** Facets by dotted key. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Every attribute that is reached through objects, facet or not: `fields` may name them. */
  readonly attributes: ReadonlySet<string>;
  /** The attributes that are lists of objects. A part lets filters reach into them. */
  readonly objectLists: ReadonlySet<string>;
  /** `fullRecords`, for steps that need them. */
  readonly fullRecordsPart: Part<readonly Buffer[]>;
  /** Whether `records` have fewer attributes than `fullRecords`. */
  readonly isShort: boolean;

  readonly #orderedColumns: Part<ReadonlyMap<string, Column>>;
  readonly #records: Part<readonly Buffer[]>;
  readonly #rowOfId: Part<ReadonlyMap<string, number> | undefined>;
  readonly #aliases: Readonly<Record<string, readonly string[]>>;
  readonly #names: Part<NameFinder>;
  readonly #fields = new Map<string, Field>();
  readonly #orders = once(() => new LRUCache<string, Int32Array>({ max: KEPT_ORDERS }));
  /** Orders that no query has read yet. If `#orders` had them, it could drop them before the queries that wait for them are done again. */
  readonly #newOrders = new Map<string, Part<Int32Array>>();

  /**
   * Reads a list in steps, with other requests between them if it is long.
   *
   * @param list, fullList, aliases as for the constructor
   * @throws Error when the bytes do not follow the format
   */
  static async open(
    list: Buffer,
    fullList: Buffer,
    aliases: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<Collection> {
    return new Collection(list, fullList, aliases, await runInSlices(readAttributes(list, fullList)));
  }

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
    read: Attributes = runAtOnce(readAttributes(list, fullList)),
  ) {
    const { count, columns, attributes, objectLists } = read;
    this.count = count;
    this.columns = columns;
    this.attributes = attributes;
    this.objectLists = objectLists;
    this.#aliases = aliases;
    this.isShort = list !== fullList;
    this.#orderedColumns = new Part(count, () => orderColumns(columns));
    // Sliced only when they are first requested: in most lists they never are.
    this.fullRecordsPart = new Part(count, () => sliceInSteps(fullList));
    this.#records = list === fullList ? this.fullRecordsPart : new Part(count, () => sliceInSteps(list));
    this.#rowOfId = new Part(count, () => this.#numberRows());
    this.#names = new Part(count, () => this.#indexNames());
  }

  /** `columns`, after the values of all of them were put in order: for what reads every column. */
  get orderedColumns(): ReadonlyMap<string, Column> {
    return this.#orderedColumns.get();
  }

  /** The records of a list response: roster entries, or the records of a dataset. */
  get records(): readonly Buffer[] {
    return this.#records.get();
  }

  /** The full records; the same as `records` when they have no more attributes. */
  get fullRecords(): readonly Buffer[] {
    return this.fullRecordsPart.get();
  }

  /** Row numbers by id; undefined for a list without ids. */
  get rowOfId(): ReadonlyMap<string, number> | undefined {
    return this.#rowOfId.get();
  }

  /** The names of the records, for search. */
  get names(): NameFinder {
    return this.#names.get();
  }

  /** Returns all rows in the order of the sort keys, ties in the list's own order. */
  order(keys: readonly SortKey[]): Int32Array {
    const name = keys.map(({ column, descending }) => (descending ? '-' : '') + column.key).join();
    const orders = this.#orders();
    const hit = orders.get(name);
    if (hit !== undefined) return hit;
    const made = this.#newOrders.get(name) ?? new Part(this.count, () => orderRows(keys, this.count));
    this.#newOrders.set(name, made);
    const order = made.get();
    this.#newOrders.delete(name);
    orders.set(name, order);
    return order;
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
    const hit = this.#fields.get(key);
    if (hit) return hit;
    const field = this.#makeField(key);
    this.#fields.set(key, field);
    return field;
  }

  /** Returns the further names of a record by its id, which are in no record. */
  aliasesOf(id: string): readonly string[] {
    return (Object.hasOwn(this.#aliases, id) && this.#aliases[id]) || [];
  }

  *#indexNames(): Steps<NameFinder> {
    yield this.#rowOfId;
    const all = [...this.columns.values(), ...(yield* this.#aliasColumn())];
    const columns = all.filter(({ key, type }) => isNameKey(key) && type === 'string');
    for (const { postings } of columns) yield postings;
    return yield* NameIndex.make(columns, this.count);
  }

  *#aliasColumn(): Steps<Column[]> {
    const builder = new ColumnBuilder('aliases');
    let isEmpty = true;
    const ids = Object.keys(this.#aliases).length === 0 ? [] : [...(this.rowOfId ?? [])];
    yield* inSteps(ids.length, TEXTS_A_STEP, (from, to) => {
      for (const [id, row] of ids.slice(from, to)) {
        const aliases = this.aliasesOf(id);
        if (aliases.length === 0) continue;
        builder.addList(row, aliases);
        isEmpty = false;
      }
    });
    return isEmpty ? [] : [builder.build(this.count)];
  }

  *#numberRows(): Steps<ReadonlyMap<string, number> | undefined> {
    const rowOfId = new Map<string, number>();
    if (this.count === 0) return rowOfId;
    const ids = this.columns.get('id');
    if (ids?.type !== 'string' || ids.list) return undefined;
    yield ids.postings;
    const { values, codes, present } = ids;
    if (present < this.count) return undefined;
    yield* inSteps(codes.length, TEXTS_A_STEP, (from, to) => {
      for (let row = from; row < to; row++) rowOfId.set(values[codes[row] ?? 0] as string, row);
    });
    return rowOfId;
  }

  #makeField(key: string): Field {
    const column = this.columns.get(key);
    const writeFound = createFinder(() => this.fullRecords, pathOf(key));
    if (column === undefined) return writeFound;
    // Without a scalar, a facet has a short list or nothing.
    const { list, codes, json } = column;
    return (draft, row) => {
      const code = list ? -1 : (codes[row] ?? 0);
      if (code === -1) return writeFound(draft, row);
      draft.writePiece(json, code);
      return true;
    };
  }
}

function* orderColumns(columns: ReadonlyMap<string, Column>): Steps<ReadonlyMap<string, Column>> {
  for (const { postings } of columns.values()) yield postings;
  return columns;
}

function* sliceInSteps(file: Buffer): Steps<Buffer[]> {
  const records: Buffer[] = [];
  for (const record of eachRecord(file)) {
    if (records.push(record) % TEXTS_A_STEP === 0) yield;
  }
  return records;
}

/** A facet to sort by. */
export interface SortKey {
  column: Column;
  descending: boolean;
}

/**
 * Returns all rows in the order of the sort keys: rows without a key's facet last in both directions, ties in row order. It is a radix
 * sort, which reads each row once per key however many are equal.
 *
 * @param keys facets that are not lists
 */
export function* orderRows(keys: readonly SortKey[], rowCount: number): Steps<Int32Array> {
  let order = new Int32Array(rowCount);
  for (let row = 0; row < rowCount; row++) order[row] = row;
  for (const key of keys.toReversed()) {
    yield key.column.postings;
    order = yield* orderByOne(key, order);
  }
  return order;
}

/** Orders rows by one facet; rows with equal values keep their order. */
function* orderByOne({ column, descending }: SortKey, rows: Int32Array): Steps<Int32Array<ArrayBuffer>> {
  const { offsets, codes, values, present } = column;
  // The next place for each value; the last one is for rows without any.
  const next = new Int32Array(values.length + 1);
  for (let code = 0; code < values.length; code++) {
    next[code] = descending ? present - (offsets[code + 1] ?? 0) : (offsets[code] ?? 0);
  }
  next[values.length] = present;
  const order = new Int32Array(rows.length);
  countWork(WORK.row * rows.length);
  yield* inSteps(rows.length, NUMBERS_A_STEP, (from, to) => {
    for (let at = from; at < to; at++) {
      const row = rows[at] ?? 0;
      const code = codes[row] ?? 0;
      const slot = code === -1 ? values.length : code;
      const place = next[slot] ?? 0;
      order[place] = row;
      next[slot] = place + 1;
    }
  });
  return order;
}
