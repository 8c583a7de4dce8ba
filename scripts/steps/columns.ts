import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import type { RecordPair } from './field-changes.ts';

/** A value that holds no others. */
export type Scalar = string | number | boolean;

/** A value that differs between two builds. `record` is the position of the pair of records, `row` that in the outermost list; -1 outside. */
export interface ChangedValue {
  record: number;
  row: number;
  before: Scalar;
  after: Scalar;
}

/**
 * An attribute in the pairs of records that two builds share. Values inside lists count as well, if the list has as many elements in both builds;
 * `key` is then the dotted key without positions.
 */
export interface Column {
  key: string;
  /** How many values both builds have. */
  both: number;
  /** How many of these were numbers with decimals in the earlier build. */
  decimals: number;
  /** The same as `both` for each position in the outermost list that the values are in. */
  bothAt: readonly number[];
  changed: readonly ChangedValue[];
  /** Whether the values here are lists of objects, such as levels, rather than of texts or numbers. */
  hasRows: boolean;
  /** How many lists both builds have here, and the pairs of records in which the later list is shorter. */
  lists: number;
  shortened: readonly number[];
  /** Of an attribute inside a list: how many pairs of records had it in the earlier build, and those in which rows have lost it. */
  had: number;
  emptied: readonly number[];
}

interface Node extends Column {
  name: string;
  /** Whether it is returned although nothing changed. */
  kept: boolean;
  bothAt: number[];
  changed: ChangedValue[];
  shortened: number[];
  emptied: number[];
  /** The last pair of records that was counted in `had`. */
  counted: number;
  inside: Map<string, Node>;
}

const OUTSIDE = -1;

/**
 * Compares pairs of records, value by value. Pairs that are the same object are only counted.
 *
 * @param keep the keys of attributes that are returned although nothing changed in them
 * @returns the attributes with a value that changed, a list that became shorter, or rows that have lost it
 */
export function compareColumns(pairs: readonly RecordPair[], keep: readonly string[] = []): Column[] {
  const root = makeNode('', '');
  for (const [record, [, before, after]] of pairs.entries())
    if (before !== after) compareObjects(root, before, after, record, OUTSIDE);
  for (const key of keep) keepNode(root, key.split('.'));
  removeUnchanged(root);
  if (root.inside.size > 0)
    for (const [record, [, before, after]] of pairs.entries())
      if (before === after) countObject(root, before, record, OUTSIDE);
  const columns: Column[] = [];
  collect(root, columns);
  return columns;
}

function keepNode(root: Node, path: readonly string[]): void {
  let node = root;
  for (const name of path) node = innerOf(node, name);
  node.kept = true;
}

function innerOf(node: Node, name: string): Node {
  const column = node.inside.get(name);
  if (column) return column;
  const inner = makeNode(node.key === '' ? name : `${node.key}.${name}`, name);
  node.inside.set(name, inner);
  return inner;
}

function isReturned({ kept, changed, shortened, emptied }: Node): boolean {
  return kept || changed.length > 0 || shortened.length > 0 || emptied.length > 0;
}

/** Removes the attributes in which nothing changed. */
function removeUnchanged(node: Node): void {
  for (const [name, inner] of node.inside) {
    removeUnchanged(inner);
    if (!isReturned(inner) && inner.inside.size === 0) node.inside.delete(name);
  }
}

/** Counts the values of an object that is the same in both builds. */
function countObject(node: Node, object: JsonObject, record: number, row: number): void {
  for (const inner of node.inside.values()) {
    if (!Object.hasOwn(object, inner.name)) continue;
    const value = object[inner.name] ?? null;
    if (row !== OUTSIDE) countLoss(inner, value, false, record);
    countValue(inner, value, record, row);
  }
}

function countValue(node: Node, value: Json, record: number, row: number): void {
  if (typeof value !== 'object') compareScalars(node, value, value, record, row);
  else if (Array.isArray(value)) {
    node.lists++;
    node.hasRows ||= isObject(value[0]);
    for (const [at, element] of value.entries())
      countValue(node, element, record, row === OUTSIDE ? at : row);
  } else if (value !== null) countObject(node, value, record, row);
}

function makeNode(key: string, name: string): Node {
  return {
    key,
    name,
    kept: false,
    both: 0,
    decimals: 0,
    bothAt: [],
    changed: [],
    hasRows: false,
    lists: 0,
    shortened: [],
    had: 0,
    emptied: [],
    counted: -1,
    inside: new Map(),
  };
}

function collect(node: Node, columns: Column[]): void {
  const hasValues = node.both > 0 || node.lists > 0 || node.emptied.length > 0;
  if (hasValues && isReturned(node)) columns.push(node);
  for (const inner of node.inside.values()) collect(inner, columns);
}

function compareObjects(
  node: Node,
  before: JsonObject,
  after: JsonObject,
  record: number,
  row: number,
): void {
  for (const name of Object.keys(before)) {
    const later = ownValue(after, name);
    const isGone = later === undefined || later === null;
    if (isGone && row === OUTSIDE) continue;
    const inner = innerOf(node, name);
    const earlier = before[name] ?? null;
    if (row !== OUTSIDE) countLoss(inner, earlier, isGone || later === '', record);
    if (!isGone) compareValues(inner, earlier, later, record, row);
  }
}

/** Counts an attribute of a row inside a list; `findFieldChanges` counts the others. */
function countLoss(node: Node, before: Json, isLost: boolean, record: number): void {
  if (before === null || before === '') return;
  if (node.counted !== record) {
    node.had++;
    node.counted = record;
  }
  if (isLost && node.emptied.at(-1) !== record) node.emptied.push(record);
}

function compareValues(node: Node, before: Json, after: Json, record: number, row: number): void {
  if (typeof before !== 'object') {
    if (typeof after !== 'object') compareScalars(node, before, after, record, row);
  } else if (Array.isArray(before)) {
    if (!Array.isArray(after)) return;
    node.lists++;
    node.hasRows ||= isObject(before[0]);
    if (after.length < before.length) node.shortened.push(record);
    if (after.length !== before.length) return;
    for (let at = 0; at < before.length; at++)
      compareValues(node, before[at] ?? null, after[at] ?? null, record, row === OUTSIDE ? at : row);
  } else if (before !== null && isObject(after)) compareObjects(node, before, after, record, row);
}

function compareScalars(node: Node, before: Scalar, after: Scalar, record: number, row: number): void {
  node.both++;
  if (row !== OUTSIDE) node.bothAt[row] = (node.bothAt[row] ?? 0) + 1;
  if (typeof before === 'number' && !Number.isInteger(before)) node.decimals++;
  if (before !== after) node.changed.push({ record, row, before, after });
}
