// The diff of two builds: which records were added, removed or changed, by collection.
// Records are matched by id, or by the id that the build gave them (`renamed`). Records with equal text are equal and are not parsed, so the cost
// depends on the changes.
// Changes of the data that are not changes of the game are kept apart: attributes that a whole collection gained or lost, and records that a build is
// only the first to serve.
// The three forms in dist/ (diff, history, timeline) are derived from this one; diff/fold.ts separates further changes that are not the game's.
import type { BuildContent, DatasetContent, RecordTexts } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, ownValue, type Renames } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import {
  append,
  type Change,
  type Comparison,
  compareValues,
  type Operation,
  patchPositions,
  patchValue,
} from './compare.ts';

/** The records that differ between two lists. Both lists are in the natural order of their ids. */
interface RecordMatches {
  /** Positions in the earlier list, ascending. */
  removed: number[];
  /** Positions in the later list, ascending. */
  added: number[];
  /** Records in both lists whose texts differ: `[before, after]`, ascending. */
  changed: [number, number][];
}

/**
 * Matches the records of two lists by id. Records with equal texts are equal, and are not parsed.
 *
 * @param renamed old id → new id, for records of the earlier list
 * @returns undefined if a list has a record without an id, or two with the same id
 */
function matchRecords(
  before: RecordTexts,
  after: RecordTexts,
  renamed: Readonly<Record<string, string>> = {},
): RecordMatches | undefined {
  const positionsBefore = positionsById(before);
  const idsAfter = positionsById(after);
  if (positionsBefore === undefined || idsAfter === undefined) return undefined;
  const positions = renumber(positionsBefore, renamed);
  const matches: RecordMatches = { removed: [], added: [], changed: [] };
  const positionsKept = new Set([...positions].flatMap(([id, index]) => (idsAfter.has(id) ? [index] : [])));
  for (const index of positionsBefore.values()) if (!positionsKept.has(index)) matches.removed.push(index);
  for (const [id, index] of idsAfter) {
    const position = positions.get(id);
    if (position === undefined) matches.added.push(index);
    else if (before[position] !== after[index]) matches.changed.push([position, index]);
  }
  return matches;
}

/** Maps positions to new ids. If a renamed record has the id of another one, that id means the renamed one. */
function renumber(
  positions: ReadonlyMap<string, number>,
  renamed: Readonly<Record<string, string>>,
): ReadonlyMap<string, number> {
  const pairs = Object.entries(renamed);
  if (pairs.length === 0) return positions;
  const result = new Map(positions);
  for (const [from] of pairs) result.delete(from);
  for (const [from, to] of pairs) {
    const position = positions.get(from);
    if (position !== undefined) result.set(to, position);
  }
  return result;
}

function positionsById(records: RecordTexts): Map<string, number> | undefined {
  const positions = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    const id = idOfText(record);
    if (id === undefined) return undefined;
    positions.set(id, index);
  }
  return positions.size === records.length ? positions : undefined;
}

const LEADING_ID = /^\{"id":"([^"\\]*)"/;

/** Returns the id of a record. It comes first, except after keys that look like array indexes. */
function idOfText(record: string): string | undefined {
  const leading = LEADING_ID.exec(record)?.[1];
  if (leading !== undefined) return leading;
  const { id }: { id?: unknown } = JSON.parse(record);
  return typeof id === 'string' ? id : undefined;
}

type Pair = readonly [Json, Json];

/** The records of a collection in two builds; only the different ones are parsed. */
interface DifferingRecords {
  removed: readonly Json[];
  added: readonly Json[];
  /** `[before, after]` */
  changed: readonly (readonly [Json, Json])[];
  /** The records that are equal in both builds, as texts. */
  equal(): Iterable<string>;
  /** The number of equal records. */
  equalCount: number;
}

/** A change in at least this many records of a collection, and in a large part of them, is a change of the data model. */
const MIN_RECORDS = 10;
const MIN_SHARE = 1 / 3;

/** Returns in how many records a change must be to count as a change of the model. @param count the number of records of the collection */
function leastOfModel(count: number): number {
  return Math.max(MIN_RECORDS, count * MIN_SHARE);
}

/**
 * Finds scalars that the lists of a whole collection gained: one that many records have now and none had before, such as a trait, and with it all
 * others that no record had in that list.
 */
function findGainedValues({ removed, changed, equal, equalCount }: DifferingRecords): GainedElements[] {
  const least = leastOfModel(changed.length + equalCount);
  if (changed.length < least) return [];
  const gained: GainedElements[] = [];
  for (const [key, counts] of countGains(changed)) {
    const isGain = () => Math.max(...counts.values()) >= least;
    const leaveOut = (record: Json) => {
      for (const value of listsIn(record).get(key) ?? []) counts.delete(value);
    };
    if (!isGain()) continue;
    for (const record of [...removed, ...changed.map(([before]) => before)]) leaveOut(record);
    if (!isGain()) continue;
    for (const text of equal()) leaveOut(JSON.parse(text));
    if (isGain()) gained.push({ key, values: [...counts.keys()] });
  }
  return gained;
}

/** For each list, the number of records that gained each scalar. */
function countGains(changed: readonly Pair[]): Map<string, Map<Json, number>> {
  const gains = new Map<string, Map<Json, number>>();
  for (const [before, after] of changed) {
    const older = listsIn(before);
    for (const [key, list] of listsIn(after)) {
      const olderValues = new Set(older.get(key));
      const counts = gains.get(key) ?? new Map<Json, number>();
      for (const value of new Set(list))
        if (!olderValues.has(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
      if (counts.size > 0) gains.set(key, counts);
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

/** The used part of a dataset's difference: `added` if its records have ids. */
interface ListChange {
  kind?: 'added' | 'removed';
  added?: readonly string[];
}

/** Attributes in which upstream states the version or date of a record's first appearance. */
const VERSIONS = ['version', 'version_added', 'release_version'];
const DATES = ['released_at', 'release_date', 'start', 'start_at'];
const TEXT = /"((?:[^"\\]|\\.)*)"(?=[,\]}])/g;

/**
 * Finds the records that a build is only the first to serve, since nothing says that they are new in the game: all records of a dataset that the
 * previous build lacked, and records of other datasets that only these refer to. A record that upstream dates to this build is new in the game.
 *
 * @returns ids by dataset; a dataset without such records is absent
 */
function findGainedRecords(
  before: BuildContent,
  after: BuildContent,
  diffs: Readonly<Record<string, ListChange>>,
): Map<string, string[]> {
  const gained = new Map<string, string[]>();
  const first = Object.keys(diffs).filter((key) => diffs[key]?.kind === 'added');
  const others = ['characters', ...after.datasets.keys()].filter((key) => !first.includes(key));
  const names = new Map<string, ReadonlySet<string>>();
  const isNamed = (keys: readonly string[], id: string) =>
    keys.some((key) => {
      const known = names.get(key) ?? namesIn(key, after);
      names.set(key, known);
      return known.has(id);
    });
  for (const [key, { added = [] }] of Object.entries(diffs)) {
    const rest = others.filter((other) => other !== key);
    const ids = first.includes(key) ? added : added.filter((id) => isNamed(first, id) && !isNamed(rest, id));
    if (ids.length === 0) continue;
    const dated = datedRecords(key, before, after);
    const left = ids.filter((id) => !dated.has(id));
    if (left.length > 0) gained.set(key, left);
  }
  return gained;
}

/** All text values of a collection, except the ids of its own records. */
function namesIn(key: string, build: BuildContent): ReadonlySet<string> {
  const names = new Set<string>();
  for (const text of textsOf(key, build)) {
    // The id of a record comes first.
    const rest = text.startsWith('{"id":') ? text.slice(text.indexOf(',') + 1) : text;
    for (const [, value = ''] of rest.matchAll(TEXT)) names.add(value);
  }
  return names;
}

function textsOf(key: string, { characters, datasets }: BuildContent): readonly string[] {
  if (key === 'characters') return characters;
  const dataset = datasets.get(key);
  return dataset === undefined ? [] : dataset.kind === 'list' ? dataset.records : [dataset.text];
}

/** The ids of the records that upstream dates to this build. */
function datedRecords(key: string, before: BuildContent, after: BuildContent): Set<string> {
  const dated = new Set<string>();
  for (const text of textsOf(key, after)) {
    const record: Json = JSON.parse(text);
    if (!isObject(record) || typeof record.id !== 'string') continue;
    const { id } = record;
    const isOfBuild = VERSIONS.some((name) => record[name] === after.build);
    const times = DATES.map((name) => Date.parse(String(record[name] ?? '')));
    const isBetween = times.some(
      (time) => time > Date.parse(before.released_at) && time <= Date.parse(after.released_at),
    );
    if (isOfBuild || isBetween) dated.add(id);
  }
  return dated;
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

/** Compares the records of a collection without the attributes that the whole collection gained or lost. */
class CollectionComparer {
  readonly #before = new AttributeTree();
  readonly #after = new AttributeTree();
  #gained: string[][] = [];
  #lost: string[][] = [];
  #elements: GainedElements[] = [];

  /** @param isWhole whether both builds have records; otherwise nothing counts as gained or lost */
  constructor(records: DifferingRecords, isWhole: boolean) {
    if (!isWhole) return;
    for (const record of records.removed) this.#before.add(record);
    for (const record of records.added) this.#after.add(record);
    for (const [before, after] of records.changed) {
      this.#before.add(before);
      this.#after.add(after);
    }
    this.#findMissing();
    this.#excludeAttributesOf(records.equal());
    const filled = this.#isSame() ? [] : this.#before.filledIn(this.#after);
    this.#elements = [
      ...filled.map((path) => ({ key: path.join('.') })),
      ...findGainedValues(records).filter(({ key }) => !this.#gained.some((path) => path.join('.') === key)),
    ];
  }

  /** The attributes that the collection gained and lost; undefined if there are none. */
  get attributes(): AttributeChanges | undefined {
    const elements = this.#elements;
    if (this.#isSame() && elements.length === 0) return undefined;
    const keys = (paths: string[][]) => paths.map((path) => path.join('.')).sort();
    return {
      gained: keys(this.#gained),
      lost: keys(this.#lost),
      ...(elements.length > 0 && { elements }),
    };
  }

  /** Compares two values of the collection: two records, or two lists of all its records. */
  compare(before: Json, after: Json): Comparison {
    if (this.#isSame()) return compareValues(before, after);
    const { fields, changes } = compareValues(this.#after.restrict(before), this.#before.restrict(after));
    return { fields, changes: changes.map((change) => withWholeValues(change, before, after)) };
  }

  #isSame(): boolean {
    return this.#gained.length === 0 && this.#lost.length === 0;
  }

  #findMissing(): void {
    this.#gained = this.#after.missingIn(this.#before);
    this.#lost = this.#before.missingIn(this.#after);
  }

  /** An attribute of a record in both builds is neither gained nor lost. Only records that may have one are parsed. */
  #excludeAttributesOf(texts: Iterable<string>): void {
    if (this.#isSame()) return;
    let names = this.#nameMissing();
    for (const text of texts) {
      if (!names.some((name) => text.includes(name))) continue;
      const record: Json = JSON.parse(text);
      const isNew = [this.#before.add(record), this.#after.add(record)];
      if (!isNew.includes(true)) continue;
      this.#findMissing();
      if (this.#isSame()) return;
      names = this.#nameMissing();
    }
  }

  /** The last names of the missing attributes, in the form in which a record's text contains them. */
  #nameMissing(): string[] {
    const last = [...this.#gained, ...this.#lost].map((path) => path.at(-1) ?? '');
    return [...new Set(last)].map((name) => `${JSON.stringify(name)}:`);
  }
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

/** Yields the texts of the records that are not at the given positions. */
function* equalTexts(after: RecordTexts, differing: ReadonlySet<number>): Iterable<string> {
  for (const [index, text] of after.entries()) if (!differing.has(index)) yield text;
}

/**
 * A tree of attribute names. The elements of a list share its attributes: the tree contains `skills.power` if an element of any list `skills` has
 * `power`.
 */
class AttributeTree {
  readonly #below = new Map<string, AttributeTree>();
  /** Whether only lists were added. */
  #isList = true;

  /** Adds the attributes of a value. @returns whether one of them is new */
  add(value: Json): boolean {
    if (Array.isArray(value)) {
      let isNew = false;
      const isList = this.#isList;
      for (const element of value) if (this.add(element)) isNew = true;
      this.#isList = isList;
      return isNew;
    }
    this.#isList = false;
    if (!isObject(value)) return false;
    let isNew = false;
    for (const name of Object.keys(value)) {
      let child = this.#below.get(name);
      if (child === undefined) {
        child = new AttributeTree();
        this.#below.set(name, child);
        isNew = true;
      }
      if (child.add(value[name] ?? null)) isNew = true;
    }
    return isNew;
  }

  /** Returns the attributes that the other tree lacks, as paths, without those inside another one. */
  missingIn(other: AttributeTree): string[][] {
    return [...this.#below].flatMap(([name, child]) => {
      const counterpart = other.#below.get(name);
      if (counterpart === undefined) return [[name]];
      return child.missingIn(counterpart).map((path) => [name, ...path]);
    });
  }

  /** Returns the lists without objects here that have some in the other tree, as paths. */
  filledIn(other: AttributeTree): string[][] {
    return [...this.#below].flatMap(([name, child]) => {
      const counterpart = other.#below.get(name);
      if (counterpart === undefined || counterpart.#below.size === 0) return [];
      if (child.#below.size === 0) return child.#isList ? [[name]] : [];
      return child.filledIn(counterpart).map((path) => [name, ...path]);
    });
  }

  /** Copies a value without the attributes that this tree lacks. */
  restrict(value: Json): Json {
    if (Array.isArray(value)) return value.map((element) => this.restrict(element));
    if (!isObject(value)) return value;
    const members: [string, Json][] = [];
    for (const name of Object.keys(value)) {
      const child = this.#below.get(name);
      if (child) members.push([name, child.restrict(value[name] ?? null)]);
    }
    return Object.fromEntries(members);
  }
}

/** A character that was added, changed or removed. `name` is that of the newer build. */
export interface CharacterName {
  id: string;
  name: string;
}

/** A record with at least one change. */
export interface ChangedRecord extends Comparison {
  id: string;
  /** The name in the newer build, if it has one. */
  name?: string;
}

/**
 * The kinds of change that are not the game's: our corrections; data that is new here, or read from elsewhere; texts in languages other than the
 * game's own, and spelling; times of day; the order of lists; renumbered ids, and names of other records.
 */
export const FOLDED = ['corrections', 'gained', 'translations', 'times', 'order', 'references'] as const;
export type FoldedKind = (typeof FOLDED)[number];
export type Folded<T> = Partial<Record<FoldedKind, T[]>>;

/** The difference between two lists of records with ids. Ids are in natural order. */
export interface RecordsDiff {
  added: string[];
  /**
   * The records of `added` that the build is only the first to serve, since nothing says that they are new in the game; absent if there are none.
   * They are in a dataset that the previous build lacked, or only records of such a dataset refer to them.
   */
  gained?: string[];
  removed: string[];
  changed: ChangedRecord[];
  /** As in `BuildDiff`. */
  folded?: Folded<ChangedRecord>;
  /** Names of these records by id; absent if none has a name. */
  names?: Record<string, string>;
  /** Old id → new id of renumbered records; absent if there are none. Except for the id, they are compared as the same record. */
  renamed?: Record<string, string>;
  attributes?: AttributeChanges;
}

/**
 * The difference of a dataset. Two lists of records with ids are compared by record; an empty list counts as such a list. Everything else is compared
 * as one value: an object, a list without ids, or a dataset that changed its form.
 *
 * With `kind`, only one of the builds has the dataset. If its records have ids, it is compared with an empty list; otherwise its whole value is the
 * only change, with `path` "" and only `from` or only `to`.
 */
export type DatasetDiff = { kind?: 'added' | 'removed' } & (
  | RecordsDiff
  | (Comparison & { attributes?: AttributeChanges })
);

/**
 * The difference between two builds of a game. Characters are compared as full records. `attributes` has what a whole list gained or lost, and is
 * absent if that is nothing; the changes of the list do not include it.
 */
export interface BuildDiff {
  game: string;
  /** Null for the first build of a game, which is compared with nothing. */
  from: string | null;
  to: string;
  characters: {
    added: CharacterName[];
    removed: CharacterName[];
    changed: (ChangedRecord & CharacterName)[];
    /** The changes that are not the game's, by kind; absent before `foldDiff` divides the changes, and if there are none. */
    folded?: Folded<ChangedRecord & CharacterName>;
    renamed?: Record<string, string>;
    attributes?: AttributeChanges;
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetDiff>;
}

/** The changes of an amendment. */
export type AmendmentChanges = Pick<BuildDiff, 'characters' | 'datasets'>;

/**
 * Compares two builds, in either direction.
 *
 * @param before undefined if everything in `after` is new
 * @param renamed the records with different ids in `after`
 */
export function diffBuilds(
  before: BuildContent | undefined,
  after: BuildContent,
  renamed: Renames = {},
): BuildDiff {
  const datasets = diffDatasets(before?.datasets ?? new Map(), after.datasets, renamed);
  const gained = before ? findGainedRecords(before, after, datasets) : [];
  for (const [key, ids] of gained) datasets[key] = { ...(datasets[key] as RecordsDiff), gained: ids };
  return {
    game: after.game,
    from: before?.build ?? null,
    to: after.build,
    characters: diffCharacters(before?.characters ?? [], after.characters, renamed.characters),
    datasets,
  };
}

function diffCharacters(
  before: RecordTexts,
  after: RecordTexts,
  renamed?: Readonly<Record<string, string>>,
): BuildDiff['characters'] {
  const records = compareRecords(before, after, matchCharacters(before, after, renamed));
  return {
    added: records.added.map(nameOf),
    removed: records.removed.map(nameOf),
    changed: records.changed.map(([record, comparison]) => ({ ...nameOf(record), ...comparison })),
    ...(records.renamed && { renamed: records.renamed }),
    ...(records.attributes && { attributes: records.attributes }),
  };
}

interface ComparedRecords {
  added: Json[];
  removed: Json[];
  /** The newer record of each pair, and the differences. */
  changed: [Json, Comparison][];
  /** Old id → new id; undefined if there are none. */
  renamed: Record<string, string> | undefined;
  attributes: AttributeChanges | undefined;
}

function compareRecords(before: RecordTexts, after: RecordTexts, matches: RecordMatches): ComparedRecords {
  const added = matches.added.map((index) => parseAt(after, index));
  const removed = matches.removed.map((index) => parseAt(before, index));
  const renamed: [string, string][] = [];
  const pairs = matches.changed.map(([i, j]) => {
    const [older, newer] = [parseAt(before, i), parseAt(after, j)];
    if (idOf(older) === idOf(newer)) return [older, newer] as const;
    renamed.push([idOf(older), idOf(newer)]);
    return [{ ...(older as JsonObject), id: idOf(newer) }, newer] as const;
  });
  const differing = new Set([...matches.added, ...matches.changed.map(([, j]) => j)]);
  const comparer = new CollectionComparer(
    {
      ...{ added, removed, changed: pairs },
      equal: () => equalTexts(after, differing),
      equalCount: after.length - differing.size,
    },
    before.length > 0 && after.length > 0,
  );
  const changed = pairs.flatMap(([older, newer]): [Json, Comparison][] => {
    const comparison = comparer.compare(older, newer);
    return comparison.changes.length === 0 ? [] : [[newer, comparison]];
  });
  const renames = renamed.length > 0 ? Object.fromEntries(renamed) : undefined;
  return { added, removed, changed, renamed: renames, attributes: comparer.attributes };
}

/**
 * Matches the characters of two builds by id.
 *
 * @throws Error for characters without unique ids, which no compiled build has
 */
function matchCharacters(
  before: RecordTexts,
  after: RecordTexts,
  renamed?: Readonly<Record<string, string>>,
): RecordMatches {
  const matches = matchRecords(before, after, renamed);
  if (matches === undefined) throw new Error('characters without unique ids cannot be compared');
  return matches;
}

function nameOf(record: Json): CharacterName {
  const { id, name } = record as unknown as CharacterName;
  return { id, name };
}

function diffDatasets(
  before: BuildContent['datasets'],
  after: BuildContent['datasets'],
  renamed: Renames,
): BuildDiff['datasets'] {
  const diffs: BuildDiff['datasets'] = {};
  for (const key of datasetKeys(before, after)) {
    const diff = diffDataset(before.get(key), after.get(key), ownValue(renamed, key));
    if (diff) diffs[key] = diff;
  }
  return diffs;
}

/** The keys of all datasets in two builds, sorted. */
function datasetKeys(before: BuildContent['datasets'], after: BuildContent['datasets']): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort();
}

const NO_RECORDS: DatasetContent = { kind: 'list', records: [] };

/** @returns undefined for equal datasets */
function diffDataset(
  before: DatasetContent | undefined,
  after: DatasetContent | undefined,
  renamed?: Readonly<Record<string, string>>,
): DatasetDiff | undefined {
  if (equalDatasets(before, after)) return undefined;
  const records = diffRecords(before ?? NO_RECORDS, after ?? NO_RECORDS, renamed);
  if (before && after) return records ?? compareDatasets(before, after);
  const kind = after ? 'added' : 'removed';
  if (records) return { kind, ...records };
  const whole: Change = {
    path: '',
    ...(before && { from: parseDataset(before) }),
    ...(after && { to: parseDataset(after) }),
  };
  return { kind, fields: [], changes: [whole] };
}

/** Compares two datasets as values. Lists without ids have records too, so attributes that all of them gained or lost are separate. */
function compareDatasets(before: DatasetContent, after: DatasetContent): DatasetDiff {
  const [older, newer] = [parseDataset(before), parseDataset(after)];
  if (before.kind === 'object' || after.kind === 'object') return compareValues(older, newer);
  const comparer = new CollectionComparer(
    { added: [], removed: [], changed: [[older, newer]], equal: () => [], equalCount: 0 },
    before.records.length > 0 && after.records.length > 0,
  );
  const { attributes } = comparer;
  return { ...comparer.compare(older, newer), ...(attributes && { attributes }) };
}

function diffRecords(
  before: DatasetContent,
  after: DatasetContent,
  renames?: Readonly<Record<string, string>>,
): RecordsDiff | undefined {
  if (before.kind === 'object' || after.kind === 'object') return undefined;
  const matches = matchRecords(before.records, after.records, renames);
  if (matches === undefined) return undefined;
  const { added, removed, changed, renamed, attributes } = compareRecords(
    before.records,
    after.records,
    matches,
  );
  const names = namesOf([...added, ...removed, ...changed.map(([record]) => record)]);
  return {
    added: added.map(idOf),
    removed: removed.map(idOf),
    changed: changed.map(([record, comparison]) => ({
      id: idOf(record),
      ...findName(record),
      ...comparison,
    })),
    ...(names && { names }),
    ...(renamed && { renamed }),
    ...(attributes && { attributes }),
  };
}

function idOf(record: Json): string {
  return (record as unknown as { id: string }).id;
}

/** The name of a record, if it is a text. */
function findName(record: Json): { name: string } | undefined {
  const name = isObject(record) && Object.hasOwn(record, 'name') ? record.name : undefined;
  return typeof name === 'string' && name !== '' ? { name } : undefined;
}

function namesOf(records: readonly Json[]): Record<string, string> | undefined {
  const named = records.flatMap((record): [string, string][] => {
    const name = findName(record);
    return name ? [[idOf(record), name.name]] : [];
  });
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}

/** Compares only the texts. */
function equalDatasets(before: DatasetContent | undefined, after: DatasetContent | undefined): boolean {
  if (before === after) return true;
  if (before?.kind === 'object' && after?.kind === 'object') return before.text === after.text;
  if (before?.kind !== 'list' || after?.kind !== 'list') return false;
  return (
    before.records.length === after.records.length &&
    before.records.every((record, index) => record === after.records[index])
  );
}

/** A dataset's value: the list of its records, or its object. */
export function parseDataset(dataset: DatasetContent): Json {
  return dataset.kind === 'object'
    ? JSON.parse(dataset.text)
    : dataset.records.map((_record, index) => parseAt(dataset.records, index));
}

/** The record at a position, which must be in the list. */
function parseAt(records: RecordTexts, index: number): Json {
  return JSON.parse(records[index] ?? '');
}

/**
 * Returns the JSON Patch (RFC 6902) that turns the snapshot of one build, `{game, title, build, released_at, characters: […], datasets: {key: […] or
 * {…}}}`, into a document that equals the snapshot of the other.
 */
export function patchBuilds(before: BuildContent, after: BuildContent): Operation[] {
  const operations = (['game', 'title', 'build', 'released_at'] as const).flatMap((name) =>
    patchValue(before[name], after[name], pointerTo('', name)),
  );
  const characters = matchCharacters(before.characters, after.characters);
  append(operations, patchRecords(before.characters, after.characters, characters, '/characters'));
  for (const key of datasetKeys(before.datasets, after.datasets)) {
    const path = pointerTo('/datasets', key);
    append(operations, patchDataset(before.datasets.get(key), after.datasets.get(key), path));
  }
  return operations;
}

function patchDataset(
  before: DatasetContent | undefined,
  after: DatasetContent | undefined,
  path: string,
): Operation[] {
  if (equalDatasets(before, after)) return [];
  if (after === undefined) return [{ op: 'remove', path }];
  if (before === undefined) return [{ op: 'add', path, value: parseDataset(after) }];
  if (before.kind === 'list' && after.kind === 'list') {
    const matches = matchRecords(before.records, after.records);
    if (matches) return patchRecords(before.records, after.records, matches, path);
  }
  return patchValue(parseDataset(before), parseDataset(after), path);
}

function patchRecords(
  before: RecordTexts,
  after: RecordTexts,
  { removed, added, changed }: RecordMatches,
  path: string,
): Operation[] {
  return [
    ...patchPositions(path, removed, added, (j) => parseAt(after, j)),
    ...changed.flatMap(([i, j]) => patchValue(parseAt(before, i), parseAt(after, j), pointerTo(path, j))),
  ];
}

/**
 * A change of the data model by an amendment, such as a new meaning of `stats.atk`: it concerns an attribute of many records of a collection, or a
 * whole dataset.
 */
interface ModelChange {
  collection: string;
  /** Dotted; absent for a dataset that was added or removed. */
  attribute?: string;
  kind: 'changed' | 'added' | 'removed';
  /** The number of records. */
  records: number;
}

/** The changes of an amendment: corrected mistakes, and changes of the model, one per attribute. */
export interface SplitAmendment {
  corrections: AmendmentChanges;
  model: ModelChange[];
}

/**
 * Separates the corrections of an amendment from its changes of the model. Attributes in one object belong together: if `stats.atk` changes in many
 * records, the meaning of `stats.hp` changes too.
 *
 * @param countOf returns the number of records of a collection
 */
export function splitAmendment(
  { characters, datasets }: AmendmentChanges,
  countOf: (collection: string) => number,
): SplitAmendment {
  const model: ModelChange[] = [];
  const split = <T extends ChangedRecord>(collection: string, changed: readonly T[]): T[] => {
    const { left, lines } = splitRecords(changed, leastOfModel(countOf(collection)));
    model.push(...lines.map((line) => ({ collection, ...line })));
    return left;
  };
  const corrections: AmendmentChanges = {
    characters: { ...characters, changed: split('characters', characters.changed) },
    datasets: {},
  };
  for (const [key, diff] of Object.entries(datasets)) {
    if (diff.kind !== undefined) model.push({ collection: key, kind: diff.kind, records: recordsOf(diff) });
    else if ('changes' in diff) corrections.datasets[key] = diff;
    else {
      const { names = {}, ...left } = { ...diff, changed: split(key, diff.changed) };
      const ids = new Set([...left.added, ...left.removed, ...left.changed.map(({ id }) => id)]);
      const named = Object.entries(names).filter(([id]) => ids.has(id));
      corrections.datasets[key] = { ...left, ...(named.length > 0 && { names: Object.fromEntries(named) }) };
    }
  }
  return { corrections, model };
}

function splitRecords<T extends ChangedRecord>(
  changed: readonly T[],
  least: number,
): { left: T[]; lines: Omit<ModelChange, 'collection'>[] } {
  const counts = new Map<string, number>();
  for (const { fields } of changed)
    for (const field of fields) counts.set(field, (counts.get(field) ?? 0) + 1);
  const ofModel = new Set([...counts].flatMap(([field, count]) => (count >= least ? [groupOf(field)] : [])));
  if (ofModel.size === 0) return { left: [...changed], lines: [] };
  const lines = [...counts]
    .filter(([field]) => ofModel.has(groupOf(field)))
    .map(([attribute, records]) => ({ attribute, kind: 'changed' as const, records }))
    .sort((a, b) => b.records - a.records || (a.attribute < b.attribute ? -1 : 1));
  const left = changed.flatMap((record) => {
    const changes = record.changes.filter(({ path }) => !ofModel.has(pointerSteps(path)[0] ?? ''));
    const fields = record.fields.filter((field) => !ofModel.has(groupOf(field)));
    return changes.length > 0 ? [{ ...record, fields, changes }] : [];
  });
  return { left, lines };
}

function groupOf(field: string): string {
  return field.split('.', 1)[0] ?? '';
}

function recordsOf(diff: DatasetDiff): number {
  return 'changes' in diff ? 1 : diff.added.length + diff.removed.length;
}

/** Returns the number of records of each collection in a build, from its entry in the manifest. */
export function recordCounts({
  characters,
  datasets,
}: {
  characters: { count: number };
  datasets: readonly { key: string; count: number }[];
}): (collection: string) => number {
  const counts = new Map(datasets.map(({ key, count }) => [key, count]));
  return (collection) => (collection === 'characters' ? characters.count : (counts.get(collection) ?? 0));
}
