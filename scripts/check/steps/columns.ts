import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import type { RecordPair } from './field-changes.ts';

/** A value that holds no others. */
export type Scalar = string | number | boolean;

/** A value that differs between two builds. `record` is the position of the pair of records. */
export interface ChangedValue {
  record: number;
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
  changed: readonly ChangedValue[];
  /** Whether the values here are lists of objects, such as levels, rather than of texts or numbers. */
  hasRows: boolean;
  /** How many lists both builds have here, and the pairs of records in which the later list is shorter. */
  lists: number;
  shortened: readonly number[];
}

interface Node extends Column {
  changed: ChangedValue[];
  shortened: number[];
  inside: Map<string, Node>;
}

/** Compares pairs of records, value by value, in one pass. */
export function compareColumns(pairs: readonly RecordPair[]): Column[] {
  const root = makeNode('');
  for (const [record, [, before, after]] of pairs.entries()) compareObjects(root, before, after, record);
  const columns: Column[] = [];
  collect(root, columns);
  return columns;
}

function makeNode(key: string): Node {
  return {
    key,
    both: 0,
    decimals: 0,
    changed: [],
    hasRows: false,
    lists: 0,
    shortened: [],
    inside: new Map(),
  };
}

function collect(node: Node, columns: Column[]): void {
  if (node.both > 0 || node.lists > 0) columns.push(node);
  for (const inner of node.inside.values()) collect(inner, columns);
}

function compareObjects(node: Node, before: JsonObject, after: JsonObject, record: number): void {
  for (const name of Object.keys(before)) {
    const later = after[name];
    if (later === undefined || later === null) continue;
    let inner = node.inside.get(name);
    if (inner === undefined) {
      inner = makeNode(node.key === '' ? name : `${node.key}.${name}`);
      node.inside.set(name, inner);
    }
    compareValues(inner, before[name] as Json, later, record);
  }
}

function compareValues(node: Node, before: Json, after: Json, record: number): void {
  if (typeof before !== 'object') {
    if (typeof after !== 'object') compareScalars(node, before, after, record);
  } else if (Array.isArray(before)) {
    if (!Array.isArray(after)) return;
    node.lists++;
    node.hasRows ||= isObject(before[0]);
    if (after.length < before.length) node.shortened.push(record);
    if (after.length !== before.length) return;
    for (let at = 0; at < before.length; at++)
      compareValues(node, before[at] as Json, after[at] as Json, record);
  } else if (before !== null && isObject(after)) compareObjects(node, before, after, record);
}

function compareScalars(node: Node, before: Scalar, after: Scalar, record: number): void {
  node.both++;
  if (typeof before === 'number' && !Number.isInteger(before)) node.decimals++;
  if (before !== after) node.changed.push({ record, before, after });
}
