import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { Column, type Scalar } from './column.ts';

/** Returns an attribute of a row as JSON; empty if the row lacks it. */
export type ReadField = (row: number) => string;

/** Chosen attributes in the shape of their object: `stats.atk, name` is `{stats: {atk}, name}`. */
export type Projection = {
  name: string;
  /** `"name":` */
  opening: string;
  value: Projection | ReadField;
}[];

/** Makes a projection onto attributes. @param fieldOf returns an attribute by its dotted key */
export function projectionOf(keys: readonly string[], fieldOf: (key: string) => ReadField): Projection {
  const projection: Projection = [];
  for (const key of keys) {
    let level = projection;
    const steps = key.split('.');
    for (const [depth, step] of steps.entries()) {
      let attribute = level.find(({ name }) => name === step);
      if (attribute === undefined) {
        attribute = { name: step, opening: `${JSON.stringify(step)}:`, value: [] };
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

/** Returns the projection of a row as JSON; empty if the row has none of the attributes. */
export function project(projection: Projection, row: number): string {
  let json = '';
  for (const { opening, value } of projection) {
    const member = typeof value === 'function' ? value(row) : project(value, row);
    if (member !== '') json += (json === '' ? '{' : ',') + opening + member;
  }
  return json === '' ? '' : `${json}}`;
}

/** @param key dotted */
export function valueAt(record: JsonObject, key: string): Json | undefined {
  let value: Json | undefined = record;
  for (const step of key.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, step))
      return undefined;
    value = value[step];
  }
  return value;
}

/**
 * The objects in a list attribute of all records, such as `ascension.materials`, numbered in the order of the records. Their attributes are columns,
 * so that filters work inside lists as they do outside.
 */
export interface ElementList {
  /** The number of elements in all records. */
  count: number;
  /** The row of each element's record, ascending. */
  rowOf: Int32Array;
  /** The attributes of the elements by their keys inside the element: scalars, and those in nested lists. */
  columns: ReadonlyMap<string, Column>;
  /** The keys of nested lists of objects. */
  lists: ReadonlySet<string>;
}

/** @param key the list's dotted key, which may lead through other lists */
export function readElements(key: string, records: readonly Buffer[]): ElementList {
  const path = key.split('.');
  const rowOf: number[] = [];
  const lists = new Set<string>();
  const columns = new Map<string, Column>();
  const mixed = new Set<string>();
  const add = (element: number, object: JsonObject) => {
    const values = new Map<string, Scalar[]>();
    gather(object, '', values, lists);
    for (const [inner, of] of values) {
      const column = columns.get(inner) ?? new Column(inner);
      columns.set(inner, column);
      // Values of different types could not be compared.
      if (mixed.has(inner) || of.some((value) => !column.accepts(value))) mixed.add(inner);
      else if (of.length === 1) column.add(element, of[0] ?? '');
      else column.addList(element, of);
    }
  };
  for (const [row, record] of records.entries())
    for (const element of elementsAt(JSON.parse(record.toString()), path)) add(rowOf.push(row) - 1, element);
  const count = rowOf.length;
  for (const [inner, column] of columns) if (mixed.has(inner) || !column.end(count)) columns.delete(inner);
  return { count, rowOf: Int32Array.from(rowOf), columns, lists };
}

/** Returns the outermost list of objects on the path of a key. */
export function outermostList(key: string, lists: ReadonlySet<string>): string | undefined {
  let outermost: string | undefined;
  for (const outer of lists) {
    const isNearer = outermost === undefined || outer.length < outermost.length;
    if (isNearer && key[outer.length] === '.' && key.startsWith(outer)) outermost = outer;
  }
  return outermost;
}

/** Returns the objects at the end of a path that leads through objects and lists. */
function elementsAt(value: Json | undefined, path: readonly string[]): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => elementsAt(item, path));
  if (!isObject(value)) return [];
  const [step, ...rest] = path;
  if (step === undefined) return [value];
  return Object.hasOwn(value, step) ? elementsAt(value[step], rest) : [];
}

/** Collects the scalars in an object by their dotted keys, including those in lists. */
function gather(object: JsonObject, prefix: string, values: Map<string, Scalar[]>, lists: Set<string>): void {
  const gatherValue = (value: Json, key: string): void => {
    if (value === null) return;
    if (Array.isArray(value)) {
      if (value.some(isObject)) lists.add(key);
      for (const item of value) gatherValue(item, key);
    } else if (typeof value === 'object') gather(value, `${key}.`, values, lists);
    else if (values.has(key)) values.get(key)?.push(value);
    else values.set(key, [value]);
  };
  for (const [name, value] of Object.entries(object)) gatherValue(value, prefix + name);
}

/** Reduces an object, or the objects in a list, to some attributes. @param keys dotted keys */
export function pick(value: Json, keys: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => pick(item, keys));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    if (keys.includes(name)) return [[name, member]];
    const inner = keys.flatMap((key) => (key.startsWith(`${name}.`) ? key.slice(name.length + 1) : []));
    return inner.length > 0 ? [[name, pick(member, inner)]] : [];
  });
  return Object.fromEntries(entries);
}
