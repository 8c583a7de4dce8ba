// Compares the lists of two builds, attribute by attribute, for the checks of changes.
// Records are paired by id, otherwise by a unique attribute, otherwise by position. Each pair is visited once, and the counts of all changes of an
// attribute are collected in its `ChangeStats`; so the cost is linear in the number of values. Most pairs are the same object and are only counted.
// Renumbered records are found by texts that are unique in both builds, such as names; a match counts only if enough of the records agree.
// This is not the diff of dist/ (diff/compare.ts), which lists every change.
import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import { isEmpty, type List, type Scalar, valueAt } from './survey.ts';

/** A record in both builds: its id or position, and both versions. */
export type Pair = readonly [name: string, before: JsonObject, after: JsonObject];

/**
 * Returns the records in both builds, matched by id; in a list without ids, by an attribute that is a key, otherwise by position. A record that is
 * now empty is left out.
 */
export function pairRecords(before: List, after: List): Pair[] {
  const key = before.byId && after.byId ? 'id' : findKey(before.records, after.records);
  const nameOf = (record: JsonObject, at: number) => String(key === undefined ? at : ownValue(record, key));
  const later = new Map(after.records.map((record, at) => [nameOf(record, at), record]));
  return before.records.flatMap((record, at): Pair[] => {
    const found = later.get(nameOf(record, at));
    return found && !isEmpty(found) ? [[nameOf(record, at), record, found]] : [];
  });
}

/** Returns the first attribute that is named like a key and unique in each build. */
function findKey(...builds: (readonly JsonObject[])[]): string | undefined {
  const isUnique = (records: readonly JsonObject[], name: string) => {
    const values = new Set(records.map((record) => ownValue(record, name)));
    const isScalar = [...values].every((value) => typeof value === 'string' || typeof value === 'number');
    return isScalar && values.size === records.length;
  };
  const names = Object.keys(builds[0]?.[0] ?? {}).filter((name) => /(?:^|_)(?:id|key|no)$|I[dD]$/.test(name));
  return names.find((name) => builds.every((records) => isUnique(records, name)));
}

/** A value that differs. `record` is the position of the pair, `row` that in the outermost list; -1 outside lists. */
export interface ChangedValue {
  record: number;
  row: number;
  before: Scalar;
  after: Scalar;
}

/** An attribute in the pairs of records. Values inside lists count if the list has the same length in both builds. */
export interface ChangeStats {
  key: string;
  /** How many values both builds have, in all and by position in the outermost list. */
  both: number;
  bothAt: number[];
  changed: ChangedValue[];
  /** How many records had a value, the last of them, and the positions of the pairs that have none now; zero counts as none. */
  had: number;
  counted: number;
  lost: number[];
  /** The pairs among these that have zero now. */
  zeroed: Set<number>;
  /** The values of records that had none before. */
  came: { record: number; after: Json }[];
  /** How many lists both builds have here; the pairs whose later list is shorter; the pairs whose later list has each element twice. */
  lists: number;
  shortened: number[];
  doubled: number[];
  /** Whether these are lists of objects, such as levels. */
  hasRows: boolean;
  inside: Map<string, ChangeStats>;
}

const OUTSIDE = -1;

/** Compares pairs of records by value; returns the attributes with changes. Most pairs are the same object, and are only counted. */
export function compareRecords(pairs: readonly Pair[]): ChangeStats[] {
  const root = makeNode('');
  const comparer = new Comparer();
  for (const [at, [, before, after]] of pairs.entries())
    if (before !== after) comparer.compareObjects(root, before, after, at, OUTSIDE);
  prune(root);
  comparer.isCounting = true;
  if (root.inside.size > 0)
    for (const [at, [, before, after]] of pairs.entries())
      if (before === after) comparer.compareObjects(root, before, after, at, OUTSIDE);
  return [...columnsIn(root)];
}

function makeNode(key: string): ChangeStats {
  return {
    ...{ key, both: 0, bothAt: [], changed: [], had: 0, lost: [], zeroed: new Set(), came: [] },
    ...{ lists: 0, shortened: [], doubled: [], hasRows: false, counted: -1, inside: new Map() },
  };
}

function hasChanged({ changed, lost, came, shortened, doubled }: ChangeStats): boolean {
  return [changed, lost, came, shortened, doubled].some(({ length }) => length > 0);
}

/** Removes the attributes without changes. */
function prune(node: ChangeStats): void {
  for (const [name, inner] of node.inside) {
    prune(inner);
    if (!hasChanged(inner) && inner.inside.size === 0) node.inside.delete(name);
  }
}

function* columnsIn(node: ChangeStats): Generator<ChangeStats> {
  for (const inner of node.inside.values()) {
    if (hasChanged(inner)) yield inner;
    yield* columnsIn(inner);
  }
}

class Comparer {
  /** Whether only known attributes are visited. */
  isCounting = false;

  compareObjects(
    parent: ChangeStats,
    before: JsonObject,
    after: JsonObject,
    record: number,
    row: number,
  ): void {
    const names = this.isCounting ? parent.inside.keys() : namesOf(before, after);
    for (const name of names) {
      const [earlier, later] = [ownValue(before, name) ?? null, ownValue(after, name) ?? null];
      let node = parent.inside.get(name);
      if (node === undefined) {
        node = makeNode(parent.key === '' ? name : `${parent.key}.${name}`);
        parent.inside.set(name, node);
      }
      countLoss(node, earlier, later, record, row);
      if (later !== null) this.#compareValues(node, earlier, later, record, row);
    }
  }

  #compareValues(node: ChangeStats, before: Json, after: Json, record: number, row: number): void {
    if (Array.isArray(before)) {
      if (!Array.isArray(after)) return;
      node.lists++;
      node.hasRows ||= isObject(before[0]);
      if (after.length < before.length) node.shortened.push(record);
      else if (after.length > before.length) {
        if (isDoubled(before, after)) node.doubled.push(record);
      } else
        for (const [at, element] of before.entries())
          this.#compareValues(node, element, after[at] ?? null, record, row === OUTSIDE ? at : row);
    } else if (isObject(before)) {
      if (isObject(after)) this.compareObjects(node, before, after, record, row);
    } else if (before !== null && after !== null && typeof after !== 'object') {
      node.both++;
      if (row !== OUTSIDE) node.bothAt[row] = (node.bothAt[row] ?? 0) + 1;
      if (before !== after) node.changed.push({ record, row, before, after });
    }
  }
}

function namesOf(before: JsonObject, after: JsonObject): string[] {
  const names = Object.keys(before);
  for (const name of Object.keys(after)) if (!Object.hasOwn(before, name)) names.push(name);
  return names;
}

function countLoss(node: ChangeStats, before: Json, after: Json, record: number, row: number): void {
  // Zero is a usual value inside lists.
  const isNothing = row === OUTSIDE ? isEmpty : (value: Json) => value === null || value === '';
  if (!isNothing(before)) {
    if (node.counted !== record) node.had++;
    node.counted = record;
    if (!isNothing(after)) return;
    if (node.lost.at(-1) !== record) node.lost.push(record);
    if (after === 0) node.zeroed.add(record);
  } else if (before === null && after !== null) node.came.push({ record, after });
}

/** Whether a list has each element twice: next to each other, or all of them repeated at the end. */
function isDoubled(before: readonly Json[], after: readonly Json[]): boolean {
  if (before.length < 2 || after.length !== before.length * 2) return false;
  const [first, all] = [before, after].map((list) => list.map((element) => JSON.stringify(element)));
  return [(at: number) => at >> 1, (at: number) => at % before.length].some((source) =>
    all?.every((element, at) => element === first?.[source(at)]),
  );
}

/** A text that exactly one record has in each of two builds, usually its name, and the ids of these records. */
export interface Renumbered {
  name: string;
  from: string;
  to: string;
}

/** Returns the records with different ids; none if they are few enough to be chance. @param maxShare the share of records that may move */
export function findRenumbered(before: List, after: List, maxShare: number): Renumbered[] {
  const { moved, shared } = matchRecords(before, after);
  const isPattern = moved.length >= 2 && moved.length > shared * maxShare;
  return isPattern && !staysWithId(before, after, moved) ? moved : [];
}

/** Returns the records whose ids disappeared and that have new ids now, however few they are. */
export function findMovedAway(before: List, after: List): Renumbered[] {
  return matchRecords(before, after).moved.filter(
    ({ from, to }) => !after.byId?.has(from) && !before.byId?.has(to),
  );
}

/** Matches records by their unique names; others by their whole content, if their ids are in only one of the builds. */
function matchRecords(before: List, after: List): { moved: Renumbered[]; shared: number } {
  const contentOf = (record: JsonObject) => JSON.stringify({ ...record, id: null });
  const moved = matchBy(before, after, ({ name }) => (typeof name === 'string' ? name : ''));
  const known = new Set(moved.map(({ from }) => from));
  const gone = before.byId && withIds(before, (id) => !after.byId?.has(id) && !known.has(id));
  const came = after.byId && withIds(after, (id) => !before.byId?.has(id));
  const others =
    gone && came ? matchBy(gone, came, contentOf).map((each) => ({ ...each, name: each.from })) : [];
  const all = [...moved, ...others];
  return { moved: all.filter(({ from, to }) => from !== to), shared: all.length };
}

type ById = Pick<List, 'byId'>;

function withIds({ byId }: ById, isWanted: (id: string) => boolean): ById {
  return { byId: new Map([...(byId ?? [])].filter(([id]) => isWanted(id))) };
}

/** The pairs of records with a text that is unique in both builds. */
function matchBy(before: ById, after: ById, textOf: (record: JsonObject) => string): Renumbered[] {
  const idsOf = ({ byId }: ById) => {
    const ids = new Map<string, string | undefined>();
    for (const [id, record] of byId ?? []) ids.set(textOf(record), ids.has(textOf(record)) ? undefined : id);
    return ids;
  };
  const later = idsOf(after);
  return [...idsOf(before)].flatMap(([name, from]) => {
    const to = later.get(name);
    return name === '' || from === undefined || to === undefined ? [] : [{ name, from, to }];
  });
}

/** Whether the records with these names kept everything else at their old ids: then the names moved, not the ids. */
function staysWithId(before: List, after: List, moved: readonly Renumbered[]): boolean {
  const countEqual = (from: string, to: string) => {
    const [one, other] = [before.byId?.get(from) ?? {}, after.byId?.get(to) ?? {}];
    return Object.keys(one).filter(
      (key) => !/^(?:id$|name(?:_|$))/.test(key) && JSON.stringify(one[key]) === JSON.stringify(other[key]),
    ).length;
  };
  const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  return (
    sum(moved.map(({ from }) => countEqual(from, from))) >
    sum(moved.map(({ from, to }) => countEqual(from, to)))
  );
}

/** The values at a path in all rows of its outermost list; undefined if there is no list. */
export function rowsAt(record: JsonObject, path: readonly string[]): (Json | undefined)[] | undefined {
  for (const at of path.keys()) {
    const value = valueAt(record, path.slice(0, at + 1));
    if (!Array.isArray(value)) continue;
    const inside = path.slice(at + 1);
    return value.map((row) => (isObject(row) ? valueAt(row, inside) : inside.length === 0 ? row : undefined));
  }
  return undefined;
}
