// The attributes that a whole collection gained or lost, and its comparison without them. They are changes of the data, not of the game.
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { pointerSteps, setOwn } from '../format/json.ts';
import { type Change, type Comparison, compareValues } from './compare.ts';

type Pair = readonly [Json, Json];

/** The records of a collection in two builds; only the different ones are parsed. */
interface DifferingRecords {
  removed: readonly Json[];
  added: readonly Json[];
  /** `[before, after]` */
  changed: readonly Pair[];
  /** The records that are equal in both builds, as texts. */
  equal: readonly string[];
}

/** A change in at least this many records of a collection, and in a large part of them, is a change of the data model. */
const MIN_RECORDS = 10;
const MIN_SHARE = 1 / 3;
/** Some records have two values of a choice, such as two cards. */
const MAX_BESIDE = 0.1;

/** Returns in how many records a change must be to count as a change of the model. @param count the number of records of the collection */
export function leastOfModel(count: number): number {
  return Math.max(MIN_RECORDS, count * MIN_SHARE);
}

/**
 * Finds scalars that the lists of a whole collection gained: one that many records have now and none had before, such as a trait, and with it the
 * others of the same choice: those that hardly a record gained beside it, such as a rarity.
 */
function findGainedValues({ removed, changed, equal }: DifferingRecords): GainedElements[] {
  const least = leastOfModel(changed.length + equal.length);
  if (changed.length < least) return [];
  const gained: GainedElements[] = [];
  for (const [key, records] of findGains(changed)) {
    const isGain = () => [...records.values()].some(({ size }) => size >= least);
    const leaveOut = (record: Json) => {
      for (const value of listsIn(record).get(key) ?? []) records.delete(value);
    };
    if (!isGain()) continue;
    for (const record of [...removed, ...changed.map(([before]) => before)]) leaveOut(record);
    if (!isGain()) continue;
    for (const text of equal) leaveOut(JSON.parse(text));
    const choices: Set<Json>[] = [];
    const values = [...records]
      .sort(([, a], [, b]) => b.size - a.size)
      .flatMap(([value, those]) => {
        const besides = (choice: Set<Json>) => [...those].filter((record) => choice.has(record)).length;
        const others = choices.find((choice) => besides(choice) <= those.size * MAX_BESIDE);
        if (others === undefined && those.size < least) return [];
        for (const record of those) others?.add(record);
        if (others === undefined) choices.push(new Set(those));
        return [value];
      });
    if (values.length > 0) gained.push({ key, values });
  }
  return gained;
}

/** For each list, the records that gained each scalar. */
function findGains(changed: readonly Pair[]): Map<string, Map<Json, Set<Json>>> {
  const gains = new Map<string, Map<Json, Set<Json>>>();
  for (const [before, after] of changed) {
    const older = listsIn(before);
    for (const [key, list] of listsIn(after)) {
      const olderValues = new Set(older.get(key));
      const records = gains.get(key) ?? new Map<Json, Set<Json>>();
      for (const value of list)
        if (!olderValues.has(value)) records.set(value, (records.get(value) ?? new Set()).add(after));
      if (records.size > 0) gains.set(key, records);
    }
  }
  return gains;
}

/** The lists of scalars in a record that are reached through objects, by dotted key. */
function listsIn(
  record: Json,
  prefix = '',
  lists = new Map<string, readonly Json[]>(),
): Map<string, readonly Json[]> {
  if (!isObject(record)) return lists;
  for (const [name, value] of Object.entries(record)) {
    if (isObject(value)) listsIn(value, `${prefix}${name}.`, lists);
    else if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
      lists.set(prefix + name, value);
  }
  return lists;
}

/**
 * A list that gained elements, or a kind of elements, in a whole collection. `values` are scalars that no list of the previous build had and that
 * many lists gained at once. Without `values`, no such list of the previous build contained an object or a list.
 */
interface GainedElements {
  /** The dotted key of the list. */
  key: string;
  values?: Json[];
}

/**
 * The attributes that a whole collection gained or lost: no record of the previous build had them, or none of this build does. They are changes of
 * the data, not of the game. Dotted keys, sorted; a key can lead through lists. Attributes inside one of them are not listed.
 */
export interface AttributeChanges {
  gained: string[];
  lost: string[];
  /**
   * Lists that gained a kind of elements that none had before. A diff contains their values; in a summary, no record counts as changed because of
   * them.
   */
  elements?: GainedElements[];
}

/** An attribute of some records; whether all its values are lists. The elements of a list share its attributes. */
interface Attribute {
  path: string;
  isList: boolean;
  inside: Map<string, Attribute>;
}

/** Before each name in a path; names may be empty and contain dots. */
const SEPARATOR = '\0';
const above = (path: string) => path.slice(0, path.lastIndexOf(SEPARATOR));
const toKey = (path: string) => path.slice(1).replaceAll(SEPARATOR, '.');

/** The attributes of some records. A path is made once for each attribute, not for each of its values. */
class Paths {
  readonly byPath = new Map<string, Attribute>();
  readonly #root: Attribute = { path: '', isList: false, inside: new Map() };

  add(value: Json, above = this.#root): void {
    if (Array.isArray(value)) for (const element of value) this.add(element, above);
    else if (isObject(value))
      for (const name of Object.keys(value)) {
        const member = value[name] ?? null;
        const attribute = above.inside.get(name) ?? this.#addAttribute(above, name);
        attribute.isList &&= Array.isArray(member);
        this.add(member, attribute);
      }
  }

  #addAttribute(above: Attribute, name: string): Attribute {
    const attribute = { path: above.path + SEPARATOR + name, isList: true, inside: new Map() };
    above.inside.set(name, attribute);
    this.byPath.set(attribute.path, attribute);
    return attribute;
  }
}

/** Returns the attributes that others lack, without those inside another one. */
function missingIn({ byPath }: Paths, { byPath: others }: Paths): string[] {
  return [...byPath.keys()].filter(
    (path) => !others.has(path) && (above(path) === '' || others.has(above(path))),
  );
}

/** Returns the lists without objects that have some in the other build. */
function filledIn(before: Paths, after: Paths): string[] {
  return [...before.byPath.values()].flatMap(({ path, isList, inside }) => {
    const isFilled = (after.byPath.get(path)?.inside.size ?? 0) > 0;
    return isList && isFilled && inside.size === 0 ? [path] : [];
  });
}

/** Copies a value without some attributes. */
function without(value: Json, paths: ReadonlySet<string>, path = ''): Json {
  if (paths.size === 0) return value;
  if (Array.isArray(value)) return value.map((element) => without(element, paths, path));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const inside = path + SEPARATOR + name;
    if (!paths.has(inside)) setOwn(copy, name, without(value[name] ?? null, paths, inside));
  }
  return copy;
}

/** What a collection gained and lost, undefined if that is nothing; and a function that compares two of its values without it. */
interface CollectionComparer {
  attributes: AttributeChanges | undefined;
  compare(before: Json, after: Json): Comparison;
}

/** @param isWhole whether both builds have records; otherwise nothing counts as gained or lost */
export function compareCollection(records: DifferingRecords, isWhole: boolean): CollectionComparer {
  if (!isWhole) return { attributes: undefined, compare: compareValues };
  const [before, after] = [new Paths(), new Paths()];
  for (const record of [...records.removed, ...records.changed.map(([record]) => record)]) before.add(record);
  for (const record of [...records.added, ...records.changed.map(([, record]) => record)]) after.add(record);
  // An attribute of a record in both builds is neither gained nor lost. Only records that may have one are parsed.
  const findMissing = () => [missingIn(after, before), missingIn(before, after)] as const;
  const names = findMissing()
    .flat()
    .map((path) => `${JSON.stringify(path.split(SEPARATOR).at(-1))}:`);
  for (const text of records.equal.filter((each) => names.some((name) => each.includes(name))))
    for (const paths of [before, after]) paths.add(JSON.parse(text));
  const [gained, lost] = findMissing();
  const isSame = gained.length + lost.length === 0;
  const elements: GainedElements[] = [
    ...(isSame ? [] : filledIn(before, after)).map((path) => ({ key: toKey(path) })),
    ...findGainedValues(records).filter(({ key }) => !gained.some((path) => toKey(path) === key)),
  ];
  const attributes = {
    gained: gained.map(toKey).sort(),
    lost: lost.map(toKey).sort(),
    ...(elements.length > 0 && { elements }),
  };
  const [isGained, isLost] = [new Set(gained), new Set(lost)];
  return {
    attributes: isSame && elements.length === 0 ? undefined : attributes,
    compare(from, to) {
      if (isSame) return compareValues(from, to);
      const { fields, changes } = compareValues(without(from, isLost), without(to, isGained));
      return { fields, changes: changes.map((change) => withWholeValues(change, from, to)) };
    },
  };
}

/** Restores a change's values: its `from` and `to` include the attributes that were left out of the comparison. */
function withWholeValues(change: Change, before: Json, after: Json): Change {
  const { path, from_path = path } = change;
  return {
    ...change,
    ...('from' in change && { from: valueAt(before, from_path) }),
    ...('to' in change && { to: valueAt(after, path) }),
  };
}

function valueAt(value: Json, pointer: string): Json {
  return pointerSteps(pointer).reduce((part, step) => (part as { [key: string]: Json })[step] ?? null, value);
}
