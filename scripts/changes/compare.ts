import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import { isEmpty, type List, type Scalar, valueAt } from './survey.ts';

/** A record that both builds have: its id or its position, and both versions. */
export type Pair = readonly [name: string, before: JsonObject, after: JsonObject];

/**
 * The records that both builds have, matched by id; in a list without ids, by an attribute that is a key, or else by position. A record that is
 * empty now is left out.
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

/** The first attribute with the name of a key that no two records of a build share. */
function findKey(...builds: (readonly JsonObject[])[]): string | undefined {
  const isUnique = (records: readonly JsonObject[], name: string) => {
    const values = new Set(records.map((record) => ownValue(record, name)));
    const isScalar = [...values].every((value) => typeof value === 'string' || typeof value === 'number');
    return isScalar && values.size === records.length;
  };
  const names = Object.keys(builds[0]?.[0] ?? {}).filter((name) => /(?:^|_)(?:id|key|no)$|I[dD]$/.test(name));
  return names.find((name) => builds.every((records) => isUnique(records, name)));
}

/** A value that differs. `record` is the position of the pair, `row` that in the outermost list; -1 outside. */
export interface ChangedValue {
  record: number;
  row: number;
  before: Scalar;
  after: Scalar;
}

/** An attribute in the pairs of records. Values inside lists count if the list has as many elements in both builds. */
export interface Column {
  key: string;
  /** How many values both builds have, and the same for each position in the outermost list that they are in. */
  both: number;
  bothAt: readonly number[];
  changed: readonly ChangedValue[];
  /** How many records had a value, and the positions of the pairs that have none now; zero is none. */
  had: number;
  lost: readonly number[];
  /** Those of them that have zero now. */
  zeroed: ReadonlySet<number>;
  /** The values of records that had none. */
  came: readonly { record: number; after: Json }[];
  /** How many lists both builds have here, the pairs of records in which the later list is shorter, and those in which it has each element twice. */
  lists: number;
  shortened: readonly number[];
  doubled: readonly number[];
  /** Whether these are lists of objects, such as levels. */
  hasRows: boolean;
}

type Node = { -readonly [Key in keyof Column]: Column[Key] } & {
  bothAt: number[];
  changed: ChangedValue[];
  lost: number[];
  zeroed: Set<number>;
  came: { record: number; after: Json }[];
  shortened: number[];
  doubled: number[];
  /** The last pair that was counted in `had`. */
  counted: number;
  inside: Map<string, Node>;
};

const OUTSIDE = -1;

/** Compares pairs of records, value by value; returns the attributes in which something changed. Most pairs are the same object, and only counted. */
export function compareRecords(pairs: readonly Pair[]): Column[] {
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

function makeNode(key: string): Node {
  return {
    ...{ key, both: 0, bothAt: [], changed: [], had: 0, lost: [], zeroed: new Set(), came: [] },
    ...{ lists: 0, shortened: [], doubled: [], hasRows: false, counted: -1, inside: new Map() },
  };
}

function hasChanged({ changed, lost, came, shortened, doubled }: Column): boolean {
  return [changed, lost, came, shortened, doubled].some(({ length }) => length > 0);
}

/** Removes the attributes in which nothing changed. */
function prune(node: Node): void {
  for (const [name, inner] of node.inside) {
    prune(inner);
    if (!hasChanged(inner) && inner.inside.size === 0) node.inside.delete(name);
  }
}

function* columnsIn(node: Node): Generator<Column> {
  for (const inner of node.inside.values()) {
    if (hasChanged(inner)) yield inner;
    yield* columnsIn(inner);
  }
}

class Comparer {
  /** Whether only attributes that are known are looked at. */
  isCounting = false;

  compareObjects(parent: Node, before: JsonObject, after: JsonObject, record: number, row: number): void {
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

  #compareValues(node: Node, before: Json, after: Json, record: number, row: number): void {
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

function countLoss(node: Node, before: Json, after: Json, record: number, row: number): void {
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

/** Whether a list has each element twice: one after the other, or all of them once more. */
function isDoubled(before: readonly Json[], after: readonly Json[]): boolean {
  if (before.length < 2 || after.length !== before.length * 2) return false;
  const [first, all] = [before, after].map((list) => list.map((element) => JSON.stringify(element)));
  return [(at: number) => at >> 1, (at: number) => at % before.length].some((source) =>
    all?.every((element, at) => element === first?.[source(at)]),
  );
}

/** What exactly one record has in each of two builds, mostly its name, and the ids of these records. */
export interface Renumbered {
  name: string;
  from: string;
  to: string;
}

/** The records that have other ids; empty if they are few enough to be chance. @param maxShare of the records, which may move */
export function findRenumbered(before: List, after: List, maxShare: number): Renumbered[] {
  const { moved, shared } = matchRecords(before, after);
  const isPattern = moved.length >= 2 && moved.length > shared * maxShare;
  return isPattern && !staysWithId(before, after, moved) ? moved : [];
}

/** The records whose ids are gone, and that are there under ids that are new, however few they are. */
export function findMovedAway(before: List, after: List): Renumbered[] {
  return matchRecords(before, after).moved.filter(
    ({ from, to }) => !after.byId?.has(from) && !before.byId?.has(to),
  );
}

/** Matches records by names of their own; others by all that they have, if their ids are only in one of the builds. */
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

/** The pairs of records that alone have a text in their builds. */
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

/** The values at a path in all rows of the outermost list on it; undefined if there is no list. */
export function rowsAt(record: JsonObject, path: readonly string[]): (Json | undefined)[] | undefined {
  for (const at of path.keys()) {
    const value = valueAt(record, path.slice(0, at + 1));
    if (!Array.isArray(value)) continue;
    const inside = path.slice(at + 1);
    return value.map((row) => (isObject(row) ? valueAt(row, inside) : inside.length === 0 ? row : undefined));
  }
  return undefined;
}
