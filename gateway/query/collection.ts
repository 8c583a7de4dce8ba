import { LRUCache } from 'lru-cache';
import { eachAttribute, type Json, type JsonObject, sliceList } from '../../scripts/dist-format.ts';
import { type Column, ColumnBuilder, type Scalar } from './column.ts';
import { type Field, findValue, type Projection } from './fields.ts';
import { NameIndex } from './name-index.ts';
import { orderRows, type SortKey } from './order.ts';

/** Orders that were asked for are kept; a client that asks for all combinations costs this much memory and no more. */
const KEPT_ORDERS = 64;

/**
 * A list of records, ready to be queried: records as bytes, facets as columns. Built once at load and never changed; an order is made
 * when it is first asked for.
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
  /** The names of the records, for search. */
  readonly names: NameIndex;

  readonly #orders = new LRUCache<string, Int32Array>({ max: KEPT_ORDERS });

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
    this.names = new NameIndex(this.columns.values(), parsed.length);
    this.rowOfId = ids.length === parsed.length ? new Map(ids.map((id, row) => [id, row])) : undefined;
  }

  /** How many records there are. */
  get count(): number {
    return this.records.length;
  }

  /**
   * All rows in the order that the keys ask for, ties in the list's own order.
   *
   * @param sortName what the keys were read from, `-rarity,name`; null for none
   */
  order(keys: readonly SortKey[], sortName: string | null): Int32Array {
    const name = sortName ?? '';
    let order = this.#orders.get(name);
    if (order === undefined) {
      order = orderRows(keys, this.count);
      this.#orders.set(name, order);
    }
    return order;
  }

  /** A projection of the full records onto some of `attributes`. */
  project(keys: readonly string[]): Projection {
    const projection: Projection = [];
    for (const key of keys) {
      let level = projection;
      const steps = key.split('.');
      for (const [depth, step] of steps.entries()) {
        const name = JSON.stringify(step);
        const known = level.find((attribute) => attribute.key === name);
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

  /** Reads one of `attributes` of the full records: a scalar from its column, anything else from the record's bytes. */
  field(key: string): Field {
    const column = this.columns.get(key);
    const path = key.split('.').map((step) => Buffer.from(JSON.stringify(step)));
    return (row) => {
      const code = column && !column.list ? (column.codes[row] as number) : -1;
      if (code !== -1) return column?.texts[code];
      const record = this.fullRecords[row] as Buffer;
      const span = findValue(record, path);
      return span && record.toString('utf8', span[0], span[1]);
    };
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
