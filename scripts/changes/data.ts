// Compares the lists of two builds, attribute by attribute, for the checks of changes.
// Records are paired by id, otherwise by a unique attribute, otherwise by position. Each pair is visited once, and the counts of all changes of an
// attribute are collected in its `ChangeStats`; so the cost is linear in the number of values. Most pairs are the same object and are only counted.
// Renumbered records are found by texts that are unique in both builds, such as names; a match counts only if enough of the records agree.
// This is not the diff of dist/ (diff/compare.ts), which lists every change.

import { type CheckFinding, equalKinds, type Rule } from '../check/rules.ts';
import type { CompiledBuild, CompiledRecord } from '../compile/compile-build.ts';
import { definitionsOf } from '../compile/dictionary.ts';
import type { Finding, Place } from '../findings.ts';
import type { Scalar } from '../format/attributes.ts';
import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import type { CheckSettings } from '../read/game-schema.ts';
import { groupBy, nameSome } from '../text.ts';
import { isRenamed } from './patches.ts';
import { findExchanged, findPattern, type Pattern } from './patterns.ts';
import { isEmpty, type List, type Survey, type SurveyedAttribute } from './survey.ts';

/** A threshold of a check that `game.json` can set: `"checks": {"records-lost": {"max_lost_share": 0.3}}`. */
interface Threshold {
  default: number;
  /** From 0 to 1, unless these say otherwise. */
  min?: number;
  max?: number;
  /** The meaning of the number, for editors and the documents: "the share of records that may disappear". */
  help: string;
}

/** A check of a build's content, or of its changes. An override of the build can lift its findings. `check` is pure. */
export interface ChangeCheck extends Pick<Rule, 'name' | 'description'> {
  /** Whether it only warns, unless `hold_on` of the game names it. */
  warns?: boolean;
  thresholds?: Readonly<Record<string, Threshold>>;
  /** Whether a finding is reported only if the newest build still has it: a mapping may name what the game has only later. */
  lasting?: true;
  check(data: BuildData, limit: (name: string) => number): Iterable<ChangeFinding>;
}

/**
 * A finding. `of` is the list or the attribute in it (`characters.stats.atk`), as in an override. `causes` are the lists and attributes that are
 * wrong because of it: other findings about these are not listed.
 */
export type ChangeFinding = CheckFinding & {
  of: string;
  causes?: readonly string[];
  /** Whether it only warns, whatever the check's severity: it is in so few records that it may be the game's own. */
  warns?: boolean;
  /** In how many values it is. A finding that the previous build had in as many is not reported again. */
  count?: number;
};

/** A finding with the name and severity of its check. */
export type CheckedFinding = ChangeFinding & Pick<Finding, 'check' | 'severity'>;

/** The state after all builds so far. It is JSON, without undefined, because the findings of a build depend on it. */
export interface Seen {
  /** The findings of the previous build's content, with the number of values. */
  known: readonly { check: string; of: string; count: number }[];
  /** Findings that are reported only if the newest build still has them. */
  pending: Readonly<Record<string, Finding>>;
}

/** A build with the previous one, as checks receive it. */
export interface BuildData {
  build: CompiledBuild;
  after: Survey;
  /** Undefined for the first build. */
  before: Survey | undefined;
  /** The lists and objects that both builds have in the same form. */
  changes: readonly ListChange[];
}

export interface ListChange extends Source {
  /** The name of the previous build. */
  earlier: string;
  before: List;
  after: List;
  /** The records in both builds. */
  pairs: readonly Pair[];
  /** The records whose ids only this build has. */
  added: readonly JsonObject[];
  /** The attributes that differ in these; none if ids were renumbered. */
  columns: readonly ChangeStats[];
  /** Changes that many values of an attribute share, by its key. */
  patterns: ReadonlyMap<string, Pattern>;
  /** The attributes whose values were renamed. */
  renamed: ReadonlySet<string>;
  /** The records whose ids changed. */
  renumbered: readonly Renumbered[];
}

/** The origin of a list, and its compiled records; none for an object. */
export interface Source {
  place: Place;
  compiled: readonly CompiledRecord[];
}

export function sourceOf(build: CompiledBuild, list: string): Source {
  const dataset = build.datasets.find(({ key }) => key === list);
  if (dataset === undefined) return { place: build.rosterPlace, compiled: build.characters };
  return { place: dataset.place, compiled: dataset.kind === 'list' ? dataset.records : [] };
}

/** At most this share of the names in a list may move to other ids. */
const MAX_RENUMBERED_SHARE = 0.1;
/** More than this share of an attribute's values may not change; a game can set it for `values-changed`. */
export const MAX_CHANGED_SHARE = 0.5;

/** Compares a build with the previous one. */
export function compareBuilds(before: Survey | undefined, after: Survey, build: CompiledBuild): BuildData {
  const changes = [...after.lists.values()].flatMap((list): ListChange[] => {
    const earlier = before?.lists.get(list.list);
    if (earlier?.kind !== list.kind) return [];
    const source = sourceOf(build, list.list);
    return [{ earlier: before?.build ?? '', ...source, ...compareLists(earlier, list, build) }];
  });
  return { build, after, before, changes };
}

function compareLists(
  before: List,
  after: List,
  { source }: CompiledBuild,
): Omit<ListChange, 'earlier' | keyof Source> {
  const { max_changed_share: maxShare = MAX_CHANGED_SHARE } = source.checks['values-changed'] ?? {};
  const definitionOf = definitionsOf(source.definition.attributes, after.list);
  const pairs = before === after ? [] : pairRecords(before, after);
  const renumbered = before === after ? [] : findRenumbered(before, after, MAX_RENUMBERED_SHARE);
  const known = renumbered.length > 0 ? undefined : before.byId;
  const added = known ? after.records.filter(({ id }) => !known.has(String(id))) : [];
  // Different records with the same id differ in everything.
  const isComparable = (column: ChangeStats) =>
    !isOtherKind(before.fields.get(column.key), after.fields.get(column.key)) && !isRaisedLimit(column);
  const columns = renumbered.length > 0 ? [] : compareRecords(pairs).filter(isComparable);
  const patterns = new Map<string, Pattern>();
  const isName = (column: ChangeStats) => !definitionOf(column.key)?.values && isRenamed(column, pairs);
  const renamed = new Set(columns.filter(isName).map(({ key }) => key));
  // A new rank or level for all raises their numbers.
  const isGrown = columns.some(({ hasRows, grown }) => hasRows && grown.size > pairs.length / 2);
  for (const column of after.kind === 'object' ? [] : columns) {
    const { key, changed, lost } = column;
    if (renamed.has(key)) continue;
    const pattern = findPattern(column, before, isGrown && isRaised(column) ? 1 : maxShare);
    // Values that are zero now are lost rather than changed, unless zero is usual.
    const isLoss =
      !pattern?.isMove && pattern?.factor === undefined && lostOf(column, before).length > changed.length / 2;
    if (pattern && !isLoss && lost.length <= column.had * 0.9) patterns.set(key, pattern);
  }
  for (const [key, pattern] of findExchanged(columns)) if (!patterns.has(key)) patterns.set(key, pattern);
  return { before, after, pairs, added, columns, patterns, renamed, renumbered };
}

/** Whether numbers only rose, and at most to twice as much. */
function isRaised({ changed }: ChangeStats): boolean {
  return changed.every(({ before, after }) => {
    const [from, to] = [Number(before), Number(after)];
    return typeof before === 'number' && to > from && to <= from * 2;
  });
}

const LIMIT = /(?:^|[._])(?:max|limit|cap)(?:[._]|$)/;
const MAX_LIMITS = 6;

/** Whether a game raised limits, such as levels from 80 to 90: different ones stay different, unlike with a default. More of them are stats. */
function isRaisedLimit(column: ChangeStats): boolean {
  const steps = new Map(column.changed.map(({ before, after }) => [before, after]));
  const isEach = column.changed.every(({ before, after }) => steps.get(before) === after);
  const isApart = steps.size > 0 && steps.size <= MAX_LIMITS && new Set(steps.values()).size === steps.size;
  return LIMIT.test(column.key) && isApart && isEach && column.lost.length === 0 && isRaised(column);
}

/** Whether an attribute has values of another kind now. */
function isOtherKind(before: SurveyedAttribute | undefined, after: SurveyedAttribute | undefined): boolean {
  return Boolean(before?.kind && after?.kind && !equalKinds(before.kind, after.kind));
}

/** The positions of the records that lost a value. Zero counts as none; if records had zero before, only when nearly all have it now. */
export function lostOf({ key, lost, zeroed, had }: ChangeStats, { fields }: List): readonly number[] {
  const isUsual = (fields.get(key)?.zeros ?? 0) > 0 && lost.length < had * NEARLY_ALL;
  return isUsual ? lost.filter((at) => !zeroed.has(at)) : lost;
}

export const NEARLY_ALL = 0.9;

/** The threshold of a check: the game's value, otherwise the default. */
export function limitOf(
  { name, thresholds }: ChangeCheck,
  settings: CheckSettings,
): (limit: string) => number {
  return (limit) => settings[name]?.[limit] ?? thresholds?.[limit]?.default ?? Number.POSITIVE_INFINITY;
}

/** Whether a list or attribute is `outer` or inside it. */
export function isWithin(of: string, outer: string): boolean {
  return of === outer || of.startsWith(`${outer}.`);
}

/** A finding about attributes of a list; about the list if there are none. */
export function findingOf(
  { after, place }: Pick<ListChange, 'after' | 'place'>,
  keys: readonly string[],
  found: string,
  expected: string,
  more: Partial<ChangeFinding> = {},
): ChangeFinding {
  return { of: ofAll(after.list, keys), place, found, expected, ...more };
}

/** If a fault concerns at most this many records, and at most this share of the list, they can keep their previous versions. */
const MAX_CARRIED = 5;
const MAX_CARRIED_SHARE = 0.1;

/** Proposes that records keep their previous versions, if they are few. @param count how many there are; `ids` may be only the first */
export function carryRecords(
  list: List,
  ids: readonly unknown[],
  count = ids.length,
): Pick<ChangeFinding, 'carry'> {
  const few = Math.min(MAX_CARRIED, Math.max(1, list.records.length * MAX_CARRIED_SHARE));
  const isKnown = ids.every((id) => typeof id === 'string' && list.byId?.has(id));
  if (ids.length === 0 || count > few || !isKnown) return {};
  return { carry: [...new Set(ids)].map((id) => `${list.list}/${String(id)}`) };
}

/** The first of some keys, quoted; names come first, because they matter most. */
export function quoteKeys(keys: readonly string[]): string {
  const isName = (key: string) => /(?:^|\.)name(?:_\w+)?$/.test(key);
  const sorted = [...keys.filter(isName), ...keys.filter((key) => !isName(key))];
  return nameSome(sorted.map((key) => `"${key}"`));
}

/** The common prefix of attributes of a list: `characters.stats` for `stats.atk` and `stats.def`. */
function ofAll(list: string, keys: readonly string[]): string {
  const [first = [], ...others] = keys.map((key) => key.split('.'));
  const end = first.findIndex((name, at) => others.some((other) => other[at] !== name));
  return [list, ...(end === -1 ? first : first.slice(0, end))].join('.');
}

/** A record in both builds: its id or position, and both versions. */
export type Pair = readonly [name: string, before: JsonObject, after: JsonObject];

/**
 * Returns the records in both builds, matched by id; in a list without ids, by an attribute that is a key, otherwise by position. A record that is
 * now empty is left out.
 */
function pairRecords(before: List, after: List): Pair[] {
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
export class ChangeStats {
  readonly key: string;
  /** How many values both builds have, in all and by position in the outermost list. */
  both = 0;
  readonly bothAt: number[] = [];
  readonly changed: ChangedValue[] = [];
  /** How many records had a value, the last of them, and the positions of the pairs that have none now; zero counts as none. */
  had = 0;
  counted = -1;
  readonly lost: number[] = [];
  /** The pairs among these that have zero now. */
  readonly zeroed = new Set<number>();
  /** The values of records that had none before. */
  readonly came: { record: number; after: Json }[] = [];
  /** How many lists both builds have here; a record may have several, such as the levels of its skills. */
  lists = 0;
  /** Those outside other lists that differ, as JSON. */
  readonly wholes: ChangedValue[] = [];
  /** The pairs with a list that is longer now, each once: a new level of six skills of one record counts once. */
  readonly grown = new Set<number>();
  /** The pair of each list that is shorter now. */
  readonly shortened: number[] = [];
  /** The pair of each list that has elements twice now: [1, 2] became [1, 2, 2]. */
  readonly doubled: number[] = [];
  /** The pairs with a list that has one element for several now, each once: [10, 20, 30] became [30, 30, 30]. */
  readonly flat = new Set<number>();
  /** Whether these are lists of objects, such as levels. */
  hasRows = false;
  readonly inside = new Map<string, ChangeStats>();

  /** @param key dotted */
  constructor(key: string) {
    this.key = key;
  }
}

const OUTSIDE = -1;

/** Compares pairs of records by value; returns the attributes with changes. Most pairs are the same object, and are only counted. */
function compareRecords(pairs: readonly Pair[]): ChangeStats[] {
  const root = new ChangeStats('');
  /** The position of the pair, and whether only known attributes are visited. */
  let [record, isCounting] = [0, false];
  const compareObjects = (parent: ChangeStats, before: JsonObject, after: JsonObject, row: number): void => {
    for (const name of isCounting ? parent.inside.keys() : Object.keys({ ...before, ...after })) {
      const [earlier, later] = [ownValue(before, name) ?? null, ownValue(after, name) ?? null];
      const node =
        parent.inside.get(name) ?? new ChangeStats(parent.key === '' ? name : `${parent.key}.${name}`);
      parent.inside.set(name, node);
      countLoss(node, earlier, later, record, row);
      if (later !== null) compareValues(node, earlier, later, row);
    }
  };
  const compareValues = (node: ChangeStats, before: Json, after: Json, row: number): void => {
    if (Array.isArray(before)) {
      if (!Array.isArray(after)) return;
      node.lists++;
      node.hasRows ||= isObject(before[0]);
      const whole = (list: Json) => (row === OUTSIDE && !isCounting ? JSON.stringify(list) : '');
      if (whole(before) !== whole(after))
        node.wholes.push({ record, row, before: whole(before), after: whole(after) });
      if (after.length < before.length) node.shortened.push(record);
      else if (after.length > before.length) {
        node.grown.add(record);
        if (isRepeated(before, after)) node.doubled.push(record);
      } else {
        if (isOneForAll(before, after)) node.flat.add(record);
        for (const [at, element] of before.entries())
          compareValues(node, element, after[at] ?? null, row === OUTSIDE ? at : row);
      }
    } else if (isObject(before)) {
      if (isObject(after)) compareObjects(node, before, after, row);
    } else if (before !== null && after !== null && typeof after !== 'object') {
      node.both++;
      if (row !== OUTSIDE) node.bothAt[row] = (node.bothAt[row] ?? 0) + 1;
      if (before !== after) node.changed.push({ record, row, before, after });
    }
  };
  const visit = (areSame: boolean) => {
    for (const [at, [, before, after]] of pairs.entries()) {
      record = at;
      if ((before === after) === areSame) compareObjects(root, before, after, OUTSIDE);
    }
  };
  visit(false);
  prune(root);
  isCounting = true;
  if (root.inside.size > 0) visit(true);
  return [...columnsIn(root)];
}

function hasChanged({ grown, changed, wholes, lost, came, shortened, doubled, flat }: ChangeStats): boolean {
  return [changed, wholes, lost, came, shortened, doubled, [...grown, ...flat]].some((all) => all.length > 0);
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

/** Whether a list in which all elements differed has some of them several times now. */
function isRepeated(before: readonly Json[], after: readonly Json[]): boolean {
  const countDistinct = (list: readonly Json[]) => new Set(list.map((each) => JSON.stringify(each))).size;
  return countDistinct(before) === before.length && countDistinct(after) < after.length && before.length > 1;
}

/** Whether a list has one element for several that differed. One with a null lost its values instead. */
function isOneForAll(before: readonly Json[], after: readonly Json[]): boolean {
  if (before.length < 3 || hasNull(after[0] ?? null)) return false;
  const first = JSON.stringify(after[0]);
  if (after.some((each) => JSON.stringify(each) !== first)) return false;
  return new Set(before.map((each) => JSON.stringify(each))).size > 2;
}

function hasNull(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull));
}

/** A text that exactly one record has in each of two builds, usually its name, and the ids of these records. */
export interface Renumbered {
  name: string;
  from: string;
  to: string;
}

/** Returns the records with different ids; none if they are few enough to be chance. @param maxShare the share of records that may move */
function findRenumbered(before: List, after: List, maxShare: number): Renumbered[] {
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
    const groups = groupBy([...(byId ?? [])], ([, record]) => textOf(record));
    return new Map(
      groups.flatMap(([[id, record], ...others]) => (others.length > 0 ? [] : [[textOf(record), id]])),
    );
  };
  const later = idsOf(after);
  return [...idsOf(before)].flatMap(([name, from]) => {
    const to = later.get(name);
    return name === '' || to === undefined ? [] : [{ name, from, to }];
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
  const stay = moved.reduce((sum, { from }) => sum + countEqual(from, from), 0);
  return stay > moved.reduce((sum, { from, to }) => sum + countEqual(from, to), 0);
}
