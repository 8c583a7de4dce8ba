import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { inSteps, Part, RECORDS_A_STEP, type Steps } from '../http/work.ts';
import { type Column, ColumnBuilder, type Scalar } from '../query/column.ts';
import { RowsOfValues } from './rows-of-values.ts';

/**
 * The objects in one list attribute of all records, such as `ascension.materials`, numbered in the order of the records. Their attributes are
 * columns of their own, so that filters work inside lists as they do outside.
 */
export class ElementList {
  /** The number of elements of all records together. */
  readonly count: number;
  /** The row of the record that has each element, ascending. */
  readonly rowOf: Int32Array;
  /** The attributes of the elements by their keys inside the element: scalars, and those of lists further inside. */
  readonly columns: ReadonlyMap<string, Column>;
  /** The keys of the lists of objects inside the elements. */
  readonly lists: ReadonlySet<string>;
  readonly #rows = new Map<Column, Part<RowsOfValues>>();

  /**
   * @param key the dotted key of the list; it may lead through other lists
   * @param records the full records
   */
  static *make(key: string, records: readonly Buffer[]): Steps<ElementList> {
    const path = key.split('.');
    const builders = new Builders();
    const rowOf: number[] = [];
    const add = (row: number) => (element: JsonObject) => builders.add(rowOf.push(row) - 1, element);
    yield* inSteps(records.length, RECORDS_A_STEP, (from, to) => {
      for (let row = from; row < to; row++) eachElement(JSON.parse(String(records[row])), path, 0, add(row));
    });
    return new ElementList(Int32Array.from(rowOf), builders);
  }

  private constructor(rowOf: Int32Array, builders: Builders) {
    this.count = rowOf.length;
    this.rowOf = rowOf;
    this.columns = builders.build(this.count);
    this.lists = builders.lists;
  }

  /**
   * Returns the rows of the records that have each value of one of the columns, which are gathered when they are first requested.
   *
   * @throws UnpreparedError if the list is long, and they were not gathered before
   */
  rowsOf(column: Column, rowCount: number): RowsOfValues {
    const part =
      this.#rows.get(column) ?? new Part(this.count, () => RowsOfValues.make(column, this.rowOf, rowCount));
    this.#rows.set(column, part);
    return part.get();
  }
}

/** Visits the objects at the end of a path, which leads through objects and lists. */
function eachElement(
  value: Json | undefined,
  path: readonly string[],
  depth: number,
  visit: (element: JsonObject) => void,
): void {
  if (Array.isArray(value)) for (const item of value) eachElement(item, path, depth, visit);
  else if (!isObject(value)) return;
  else if (depth === path.length) visit(value);
  else eachElement(value[path[depth] ?? ''], path, depth + 1, visit);
}

/** Collects the attributes of elements. One that is of several types is left out: it could not be compared. */
class Builders {
  readonly lists = new Set<string>();
  readonly #builders = new Map<string, ColumnBuilder>();
  readonly #mixed = new Set<string>();

  add(element: number, object: JsonObject): void {
    const values = new Map<string, Scalar[]>();
    this.#gather(object, '', values);
    for (const [key, list] of values) this.#addValues(key, element, list);
  }

  build(count: number): Map<string, Column> {
    for (const key of this.#mixed) this.#builders.delete(key);
    return new Map([...this.#builders].map(([key, builder]) => [key, builder.build(count)]));
  }

  #gather(object: JsonObject, prefix: string, values: Map<string, Scalar[]>): void {
    for (const [name, value] of Object.entries(object)) this.#gatherValue(value, prefix + name, values);
  }

  #gatherValue(value: Json, key: string, values: Map<string, Scalar[]>): void {
    if (value === null) return;
    if (Array.isArray(value)) {
      if (value.some(isObject)) this.lists.add(key);
      for (const item of value) this.#gatherValue(item, key, values);
    } else if (typeof value === 'object') this.#gather(value, `${key}.`, values);
    else if (values.has(key)) values.get(key)?.push(value);
    else values.set(key, [value]);
  }

  #addValues(key: string, element: number, values: Scalar[]): void {
    const builder = this.#builders.get(key) ?? new ColumnBuilder(key);
    this.#builders.set(key, builder);
    if (values.some((value) => !builder.accepts(value))) this.#mixed.add(key);
    if (this.#mixed.has(key)) return;
    if (values.length === 1) builder.add(element, values[0] ?? '');
    else builder.addList(element, values);
  }
}
