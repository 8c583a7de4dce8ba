import { LRUCache } from 'lru-cache';
import { eachAttribute, type Json, type JsonObject, sliceList } from '../../scripts/dist-format.ts';
import { type Column, ColumnBuilder, type Scalar } from '../query/column.ts';
import { findValue, type Projection } from '../query/fields.ts';
import { NameIndex } from '../query/name-index.ts';
import { orderRows, type SortKey } from '../query/order.ts';

/** Orders that were asked for are kept; a client that asks for all combinations costs this much memory and no more. */
const KEPT_ORDERS = 64;

/**
 * A list of records, ready to be queried: records as bytes, facets as columns. Built once at load and never changed; orders, field
 * positions and the name index are made when they are first asked for, and kept.
 */
export class Collection {
  /** What a list answer holds a row: roster entries, or the records of a dataset. */
  readonly records: readonly Buffer[];
  /** The full records; the same as `records` where there is nothing more. */
  readonly fullRecords: readonly Buffer[];
  /** Facets by dotted key. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Every attribute reached through objects, facet or not: what `fields` may name. */
  readonly attributes: ReadonlySet<string>;
  /** Row numbers by id; undefined for a list without ids. */
  readonly rowOfId: ReadonlyMap<string, number> | undefined;

  #names: NameIndex | undefined;
  readonly #orders = new LRUCache<string, Int32Array>({ max: KEPT_ORDERS });
  readonly #fields = new Map<string, Int32Array>();

  /**
   * @param list a list file of dist/
   * @param fullList the list file of the full records, same rows
   * @throws Error when the bytes are not what the format says
   */
  constructor(list: Buffer, fullList: Buffer = list) {
    this.records = sliceList(list);
    this.fullRecords = fullList === list ? this.records : sliceList(fullList);
    if (this.records.length !== this.fullRecords.length)
      throw new Error('roster and characters differ in length');

    const builders = new Map<string, ColumnBuilder>();
    const attributes = new Set<string>();
    const ids: string[] = [];
    // One parse of the whole file is faster than one a record.
    const parsed = JSON.parse(fullList.toString()) as JsonObject[];
    for (const [row, record] of parsed.entries()) {
      if (typeof record.id === 'string') ids.push(record.id);
      eachAttribute(record, (key, value) => {
        attributes.add(key);
        const values = facetValues(value);
        if (values === undefined) return;
        const builder = builders.get(key) ?? new ColumnBuilder(key);
        builders.set(key, builder);
        builder.add(row, values, Array.isArray(value));
      });
    }
    this.columns = new Map([...builders].map(([key, builder]) => [key, builder.build(parsed.length)]));
    this.attributes = attributes;
    this.rowOfId = ids.length === parsed.length ? new Map(ids.map((id, row) => [id, row])) : undefined;
  }

  /** How many records there are. */
  get count(): number {
    return this.records.length;
  }

  /** The names of the records, for search. */
  get names(): NameIndex {
    this.#names ??= new NameIndex(this.columns.values(), this.count);
    return this.#names;
  }

  /** All rows in the order that the keys ask for, ties in the list's own order. */
  order(keys: readonly SortKey[]): Int32Array {
    const name = keys.map(({ column, descending }) => (descending ? '-' : '') + column.key).join(',');
    let order = this.#orders.get(name);
    if (order === undefined) {
      order = orderRows(keys, this.count);
      this.#orders.set(name, order);
    }
    return order;
  }

  /** A projection of the full records onto the given attributes. */
  project(keys: readonly string[]): Projection {
    const projection: Projection = [];
    for (const key of keys) {
      let level = projection;
      const steps = key.split('.');
      for (const [depth, step] of steps.entries()) {
        const name = Buffer.from(`${JSON.stringify(step)}:`);
        const known = level.find((attribute) => attribute.key.equals(name));
        if (depth === steps.length - 1) {
          const value = this.field(key);
          if (known) known.value = value;
          else level.push({ key: name, value });
        } else if (known) {
          // The whole object is asked for already.
          if (typeof known.value === 'function') break;
          level = known.value;
        } else {
          const value: Projection = [];
          level.push({ key: name, value });
          level = value;
        }
      }
    }
    return projection;
  }

  /**
   * The bytes of one attribute of the full records.
   *
   * @param key one of `attributes`
   * @returns a function from row to the value's JSON, undefined where the record has none
   */
  field(key: string): (row: number) => Buffer | undefined {
    const spans = this.#fields.get(key) ?? this.#findField(key);
    return (row) => {
      const end = spans[2 * row + 1] as number;
      return end === 0 ? undefined : this.fullRecords[row]?.subarray(spans[2 * row], end);
    };
  }

  /** Finds start and end of the attribute in each full record, 0 and 0 where it has none, and keeps them. */
  #findField(key: string): Int32Array {
    const path = key.split('.').map((step) => Buffer.from(JSON.stringify(step)));
    const spans = new Int32Array(2 * this.count);
    for (const [row, record] of this.fullRecords.entries()) {
      const span = findValue(record, path);
      if (span) spans.set(span, 2 * row);
    }
    this.#fields.set(key, spans);
    return spans;
  }
}

/** The values that a row adds to a facet; undefined where the attribute is none: null, an object, a list of other things than scalars. */
function facetValues(value: Json): readonly Scalar[] | undefined {
  if (Array.isArray(value)) return value.length > 0 && value.every(isScalar) ? value : undefined;
  return isScalar(value) ? [value] : undefined;
}

function isScalar(value: Json): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
