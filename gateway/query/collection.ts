import { LRUCache } from 'lru-cache';
import type { Scalar } from '../../scripts/format/attributes.ts';
import * as dist from '../../scripts/format/dist-format.ts';
import { once } from '../../scripts/system.ts';
import { type Projection, pick, projectionOf, type ReadField, valueAt } from './fields.ts';
import { foldTexts } from './fold.ts';
import { NameIndex } from './name-index.ts';

const NUMERIC = /^-?\d+(\.\d+)?$/;
const COLLATOR = new Intl.Collator('und', { numeric: true });
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * A facet over all rows of a list. Numbers are ordered by size, texts in natural order, false before true. Values are added row by row, and sorted at
 * their first use: most facets are never used.
 */
export class Column {
  readonly key: string;
  /** The type of all values. */
  type: 'string' | 'number' | 'boolean' = 'string';
  /** Whether rows may have several values. A list cannot be sorted by such a facet. */
  list = false;
  #isMixed = false;
  #rowCount = 0;
  /** The values in the order in which they were added, each with its row, ascending; without rows, value `n` belongs to row `n`. */
  #added: Scalar[] = [];
  #rows: number[] | undefined;
  /** The JSON of each row whose value is a list or null. */
  readonly #texts = new Map<number, string>();
  #coded: ReturnType<typeof encode> | undefined;
  #json: readonly string[] | undefined;
  #folded: readonly string[] | undefined;
  #ranks: Int32Array | undefined;
  #numbers: Float64Array | null | undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** Adds a row's value: a scalar, a list of scalars, or null, which is no value; rows must ascend. */
  add(row: number, value: dist.Json): void {
    if (typeof value !== 'object') {
      this.#push(row, value);
      return;
    }
    this.#texts.set(row, JSON.stringify(value));
    for (const each of (value ?? []) as (Scalar | null)[]) {
      if (each === null) continue;
      this.list = true;
      this.#push(row, each);
    }
  }

  #push(row: number, value: Scalar): void {
    const last = this.#added.length - 1;
    if (last === -1) this.type = typeof value as Column['type'];
    this.#isMixed ||= typeof value !== this.type;
    // Most facets have a value in every row, so rows are recorded only after the first gap or list.
    if (this.#rows === undefined && row !== last + 1) this.#rows = [...this.#added.keys()];
    for (let at = last; this.#rows?.[at] === row; at--) {
      this.list = true;
      if (this.#added[at] === value) return;
    }
    this.#rows?.push(row);
    this.#added.push(value);
  }

  /** Ends the column when all values are added. @returns whether it is a facet: it has values, all of one type */
  end(rowCount: number): boolean {
    this.#rowCount = rowCount;
    return this.#added.length > 0 && !this.#isMixed;
  }

  get coded(): ReturnType<typeof encode> {
    if (this.#coded === undefined) {
      this.#coded = encode(this.#added, this.#rows, this.type, this.#rowCount);
      [this.#added, this.#rows] = [[], undefined];
    }
    return this.#coded;
  }

  /** The distinct values, ascending. */
  get values(): readonly Scalar[] {
    return this.coded.values;
  }

  /** The code of every row, -1 without a value; meaningless if `list`. */
  get codes(): Int32Array {
    return this.coded.codes;
  }

  /** Returns the JSON of a row's value; empty where it has none. */
  jsonOf(row: number): string {
    this.#json ??= this.values.map((value) => JSON.stringify(value));
    return this.#texts.get(row) ?? this.#json[this.codes[row] ?? -1] ?? '';
  }

  /** The values in the form that search compares, by code. */
  get folded(): readonly string[] {
    this.#folded ??= foldTexts(this.values.map(String));
    return this.#folded;
  }

  /** The position of each code in a sort. Texts are in ICU order, which ignores case and accents at first. */
  get ranks(): Int32Array {
    this.#ranks ??= rank(this);
    return this.#ranks;
  }

  /** The values by code, dates and times in ms since 1970; null unless all can be compared. */
  get numbers(): Float64Array | null {
    if (this.#numbers === undefined) {
      const { type, values } = this;
      const isTime = type === 'string' && values.every((value) => TIME.test(value as string));
      const read = isTime ? (value: Scalar) => readTime(value as string) ?? Number.NaN : Number;
      this.#numbers = isTime || type === 'number' ? Float64Array.from(values, read) : null;
    }
    return this.#numbers;
  }
}

/** Finds the distinct values of a facet, ascending. The code of a value is its position. */
function encode(
  added: readonly Scalar[],
  rows: readonly number[] | undefined,
  type: string,
  rowCount: number,
) {
  const codeOf = new Map<Scalar, number>();
  for (const value of added) codeOf.set(value, 0);
  const values: readonly Scalar[] = [...codeOf.keys()].sort((a, b) =>
    type === 'string' ? dist.compareNatural(a as string, b as string) : Number(a) - Number(b),
  );
  for (const [code, value] of values.entries()) codeOf.set(value, code);
  // -1 for a row without a value; for a list, the code of its last value.
  const codes = new Int32Array(rowCount).fill(-1);
  // The rows with each value, ascending.
  const rowsOf = values.map((): number[] => []);
  for (const [at, value] of added.entries()) {
    const [row, code] = [rows?.[at] ?? at, codeOf.get(value) as number];
    codes[row] = code;
    rowsOf[code]?.push(row);
  }
  return { values, codeOf, codes, rowsOf };
}

function rank({ type, key, values }: Column): Int32Array {
  const ranks = Int32Array.from(values.keys());
  const texts = values as readonly string[];
  if (type !== 'string' || key === 'id' || texts.every((text) => NUMERIC.test(text))) return ranks;
  const codes = [...ranks].sort((a, b) => COLLATOR.compare(texts[a] ?? '', texts[b] ?? '') || a - b);
  for (const [place, code] of codes.entries()) ranks[code] = place;
  return ranks;
}

/** Reads a date or time as ms since 1970, in UTC unless it names a zone; undefined for anything else. */
export function readTime(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const time = Date.parse(text.includes('T') && match[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** What some objects have: the records of a list, or the objects in their lists. */
class Table {
  /** The number of objects. */
  count = 0;
  /** Facets by dotted key. */
  readonly columns = new Map<string, Column>();
  /** Every attribute that is reached through objects, facet or not: the allowed values of `fields`. */
  readonly attributes = new Set<string>();
  /** The attributes that are lists of objects; filters may refer to their members. */
  readonly objectLists = new Set<string>();
  /** Marks the objects that a query selects. All queries share it, one after the other: a new array would cost more than most filters. */
  readonly marks: Uint8Array;

  /** @param isDeep whether what is inside lists of objects belongs to the object too, as for the elements of a list */
  constructor(objects: Iterable<dist.JsonObject>, isDeep: boolean) {
    const { columns, attributes, objectLists } = this;
    const add = (key: string, value: dist.Json): void => {
      attributes.add(key);
      if (dist.isObject(value)) return;
      if (Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null)) {
        if (value.some(dist.isObject)) objectLists.add(key);
        for (const item of isDeep ? value.filter(dist.isObject) : [])
          dist.eachAttribute(item, (inner, member) => add(`${key}.${inner}`, member));
        return;
      }
      const column = columns.get(key) ?? new Column(key);
      columns.set(key, column);
      column.add(this.count, value);
    };
    for (const object of objects) {
      dist.eachAttribute(object, add);
      this.count++;
    }
    for (const [key, column] of columns) if (!column.end(this.count)) columns.delete(key);
    this.marks = new Uint8Array(this.count);
  }
}

/** The objects in a list attribute of all records, such as `ascension.materials`, with the row of each one's record, ascending. */
export type ElementList = Table & { rowOf: Int32Array };

function* parseEach(list: Buffer): Generator<dist.JsonObject> {
  for (const record of dist.eachRecord(list)) yield dist.parseRecord(record);
}

/** @param key the list's dotted key, which may lead through other lists */
function readElements(key: string, records: readonly Buffer[]): ElementList {
  const path = key.split('.');
  const found = records.map((record) => elementsAt(dist.parseRecord(record), path));
  const rowOf = Int32Array.from(found.flatMap((elements, row) => elements.map(() => row)));
  return Object.assign(new Table(found.flat(), true), { rowOf });
}

/** Returns the objects at the end of a path that leads through objects and lists. */
function elementsAt(value: dist.Json | undefined, path: readonly string[]): dist.JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => elementsAt(item, path));
  if (!dist.isObject(value)) return [];
  const [step, ...rest] = path;
  return step === undefined ? [value] : elementsAt(dist.ownValue(value, step), rest);
}

/** Returns the outermost list of objects on the path of a key. */
export function outermostList(key: string, lists: ReadonlySet<string>): string | undefined {
  for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) {
    const outer = key.slice(0, dot);
    if (lists.has(outer)) return outer;
  }
  return undefined;
}

/** How many row orders are kept. The limit bounds the memory for a client that requests every combination. */
const KEPT_ORDERS = 64;

/**
 * A list of records, ready for queries: records as bytes, facets as columns. It never changes. Records are parsed, and the codes of a column, the
 * index of names and the orders of rows are made, when a query first needs them.
 */
export class Collection {
  /** Whether `records` have fewer attributes than `fullRecords`. */
  readonly isShort: boolean;
  readonly #aliases: Readonly<Record<string, readonly string[]>>;
  /** The last record that was parsed for a field. */
  #last: { row: number; record: dist.JsonObject } = { row: -1, record: {} };
  readonly #elements = new Map<string, ElementList>();
  readonly #orders = new LRUCache<string, Int32Array>({ max: KEPT_ORDERS });
  // Made at the first request: for most lists there is none.
  readonly #readTable: () => Table;
  readonly #readRecords: () => readonly Buffer[];
  readonly #readFullRecords: () => readonly Buffer[];
  readonly #numberRows = once(() => numberRows(this));
  readonly #indexNames = once(() => this.#makeNames());

  /**
   * @param list a list file of dist/, with the right SHA-256: it is trusted to have the format, and parsed at the first request for it
   * @param fullList the list file of the full records, with the same rows
   * @param aliases additional names by id, which are in no record
   */
  constructor(list: Buffer, fullList: Buffer = list, aliases: dist.Aliases[string] = {}) {
    this.#readTable = once(() => new Table(parseEach(fullList), false));
    this.isShort = list !== fullList;
    this.#aliases = aliases;
    this.#readFullRecords = once(() => [...dist.eachRecord(fullList)]);
    this.#readRecords = this.isShort ? once(() => [...dist.eachRecord(list)]) : this.#readFullRecords;
  }

  get count(): number {
    return this.#readTable().count;
  }

  get columns(): Table['columns'] {
    return this.#readTable().columns;
  }

  get attributes(): Table['attributes'] {
    return this.#readTable().attributes;
  }

  get objectLists(): Table['objectLists'] {
    return this.#readTable().objectLists;
  }

  get marks(): Uint8Array {
    return this.#readTable().marks;
  }

  /** The records of a list response: entries of the roster, or records of a dataset. */
  get records(): readonly Buffer[] {
    return this.#readRecords();
  }

  /** The same as `records` if these have all attributes. */
  get fullRecords(): readonly Buffer[] {
    return this.#readFullRecords();
  }

  /** Row numbers by id; undefined for a list without ids. */
  get rowOfId(): ReadonlyMap<string, number> | undefined {
    return this.#numberRows();
  }

  /** The names of the records, for search. */
  get names(): NameIndex {
    return this.#indexNames();
  }

  /** Returns all rows sorted by the keys: rows without a value come last in both directions, ties stay in the list's order. */
  order(keys: readonly SortKey[]): Int32Array {
    const name = keys.map(({ column, descending }) => (descending ? '-' : '') + column.key).join();
    let order = this.#orders.get(name);
    if (order === undefined) {
      order = orderRows(keys, this.count);
      this.#orders.set(name, order);
    }
    return order;
  }

  /** Returns the elements of a list of objects, which may itself be inside the elements of another. */
  findElements(key: string): ElementList | undefined {
    let elements = this.#elements.get(key);
    if (elements === undefined && (this.objectLists.has(key) || this.#ofElements(key)?.isList)) {
      elements = readElements(key, this.fullRecords);
      this.#elements.set(key, elements);
    }
    return elements;
  }

  /** Whether `fields` may name a key: an attribute, or an attribute of a list's elements. */
  hasField(key: string): boolean {
    return this.attributes.has(key) || this.#ofElements(key) !== undefined;
  }

  /** Returns the outermost list whose elements have an attribute, the key in them, and whether it is a list of objects too. */
  #ofElements(key: string): { outer: string; inner: string; isList: boolean } | undefined {
    const outer = outermostList(key, this.objectLists);
    if (outer === undefined) return undefined;
    const inner = key.slice(outer.length + 1);
    const elements = this.findElements(outer);
    return elements?.attributes.has(inner)
      ? { outer, inner, isList: elements.objectLists.has(inner) }
      : undefined;
  }

  /**
   * Returns a projection of the full records onto some of `attributes`, or onto attributes of their lists' elements.
   *
   * @param fieldOf returns an attribute
   */
  project(keys: readonly string[], fieldOf = (key: string): ReadField => this.field(key)): Projection {
    const inside = new Map<string, string[]>();
    const outers = keys.map((key) => {
      const { outer, inner } = (!this.attributes.has(key) && this.#ofElements(key)) || {};
      if (outer === undefined || inner === undefined || keys.includes(outer)) return outer ?? key;
      inside.set(outer, [...(inside.get(outer) ?? []), inner]);
      return outer;
    });
    return projectionOf([...new Set(outers)], (key) => {
      const inner = inside.get(key);
      const whole = fieldOf(key);
      if (inner === undefined) return whole;
      return (row) => {
        const json = whole(row);
        return json === '' ? '' : JSON.stringify(pick(JSON.parse(json), inner));
      };
    });
  }

  /** Returns one of `attributes`: facets from the column, others from the record. */
  field(key: string): ReadField {
    const column = this.columns.get(key);
    if (column) return (row) => column.jsonOf(row);
    return (row) => JSON.stringify(this.valueAt(row, key)) ?? '';
  }

  /** Returns an attribute of a full record by its dotted key; undefined if the record lacks it. */
  valueAt(row: number, key: string): dist.Json | undefined {
    // Each key of a projection reads the same record.
    if (this.#last.row !== row)
      this.#last = { row, record: dist.parseRecord(this.fullRecords[row] as Buffer) };
    return valueAt(this.#last.record, key);
  }

  aliasesOf(id: string): readonly string[] {
    return dist.ownValue(this.#aliases, id) ?? [];
  }

  #makeNames(): NameIndex {
    const aliases = new Column('aliases');
    for (const [id, row] of this.rowOfId ?? []) aliases.add(row, [...this.aliasesOf(id)]);
    const columns = [...this.columns.values(), ...(aliases.end(this.count) ? [aliases] : [])];
    const named = columns.filter(({ key, type }) => isNameKey(key) && type === 'string');
    return new NameIndex(named, this.count);
  }
}

/** Matches the columns with names: `name`, `name_xx` for a language xx, and `aliases`. */
export function isNameKey(key: string): boolean {
  return key === 'name' || key === 'aliases' || (key.startsWith('name_') && !key.includes('.'));
}

function numberRows({ count, columns }: Collection): ReadonlyMap<string, number> | undefined {
  if (count === 0) return new Map();
  const ids = columns.get('id');
  if (ids?.type !== 'string' || ids.list || ids.codes.includes(-1)) return undefined;
  return new Map(Array.from(ids.codes, (code, row) => [ids.values[code] as string, row]));
}

/** A facet to sort by; not a list. */
export interface SortKey {
  column: Column;
  descending: boolean;
}

function orderRows(keys: readonly SortKey[], rowCount: number): Int32Array {
  const order = Int32Array.from({ length: rowCount }, (_, row) => row);
  if (keys.length === 0) return order;
  const sorted = keys.map(({ column: { codes, ranks, values }, descending }) =>
    Int32Array.from(codes, (code) => {
      if (code === -1) return values.length;
      return descending ? -(ranks[code] ?? 0) : (ranks[code] ?? 0);
    }),
  );
  return order.sort((a, b) => {
    for (const places of sorted) {
      const difference = (places[a] ?? 0) - (places[b] ?? 0);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

/** Returns a text of a row; undefined if it has none, or several. */
export function textAt({ columns }: Collection, row: number, key: string): string | undefined {
  const column = columns.get(key);
  const value = column?.list === false ? column.values[column.codes[row] ?? -1] : undefined;
  return typeof value === 'string' ? value : undefined;
}
