import type { BuildContent, DatasetContent, RecordTexts } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, ownValue, type Renames } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import {
  append,
  type Change,
  compareValues,
  type Comparison,
  type Operation,
  patchPositions,
  patchValue,
} from './compare.ts';

/** Which records of two lists differ. Both lists are in the natural order of their ids. */
interface RecordMatches {
  /** Positions in the list before, ascending. */
  removed: number[];
  /** Positions in the list after, ascending. */
  added: number[];
  /** Records that are in both lists with different texts: `[before, after]`, ascending. */
  changed: [number, number][];
}

/**
 * Matches the records of two lists by id. Records with equal texts are equal, and are not parsed.
 *
 * @param renamed the new ids of records of the list before, by their old ids
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

/** Positions by the new ids. If a renamed record has the id of another one, that id means the renamed one. */
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

/** The id of a record. It comes first, except after keys that look like an array index. */
function idOfText(record: string): string | undefined {
  const leading = LEADING_ID.exec(record)?.[1];
  if (leading !== undefined) return leading;
  const { id }: { id?: unknown } = JSON.parse(record);
  return typeof id === 'string' ? id : undefined;
}

type Pair = readonly [Json, Json];

/** The records of a collection in two builds, parsed as far as they differ. */
interface DifferingRecords {
  removed: readonly Json[];
  added: readonly Json[];
  /** `[before, after]` */
  changed: readonly (readonly [Json, Json])[];
  /** The records of both builds that are equal, as texts. */
  equal(): Iterable<string>;
  /** How many these are. */
  equalCount: number;
}

/** What changes in so many records of a collection, and in so large a part of them, is a change of the model. */
const MIN_RECORDS = 10;
const MIN_SHARE = 1 / 3;

/** Returns in how many records of a collection something has to change to be a change of the model. @param count the number of its records */
function leastOfModel(count: number): number {
  return Math.max(MIN_RECORDS, count * MIN_SHARE);
}

/**
 * Finds scalars that lists of a whole collection got: one that many records have now and none had, such as a trait, and with it all others that
 * no record had in that list.
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

/** For each list, how many records have each scalar that they did not have before. */
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

/** What is read of the difference of a dataset: `added` if its records have ids. */
interface ListChange {
  kind?: 'added' | 'removed';
  added?: readonly string[];
}

/** Where upstream says in which version of the game, or when, a record appeared. */
const VERSIONS = ['version', 'version_added', 'release_version'];
const DATES = ['released_at', 'release_date', 'start', 'start_at'];
const TEXT = /"((?:[^"\\]|\\.)*)"(?=[,\]}])/g;

/**
 * Finds the records that a build is the first to serve although nothing says that they are new in the game: all records of a dataset that the
 * build before lacked, and records of other datasets that only these name. A record that upstream dates to this build is new in the game.
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

/** All texts that are values in a collection, but not the ids of its own records. */
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

/** The ids of the records that upstream dates to this build, and not to an earlier one. */
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
 * A list that began to have elements, or elements of a kind, in a whole collection: `values` are scalars that no list of the build before had and
 * that many lists got at once. Without `values`, no such list of the build before had an object or a list in it.
 */
interface GainedElements {
  /** The dotted key of the list. */
  key: string;
  values?: Json[];
}

/**
 * The attributes that a collection as a whole gained or lost: no record of the build before had them, or none of the build after has them. They
 * are changes of the data, not of the game. Dotted keys, sorted; a key also leads through lists. What is inside such an attribute is not listed.
 */
export interface AttributeChanges {
  gained: string[];
  lost: string[];
  /** Lists that gained elements of a kind that none had before. A diff has their values; a summary counts no record as changed for them. */
  elements?: GainedElements[];
}

/** Compares the records of a collection, apart from the attributes that the whole collection gained or lost. */
class CollectionComparer {
  readonly #before = new AttributeTree();
  readonly #after = new AttributeTree();
  #gained: string[][] = [];
  #lost: string[][] = [];
  #elements: GainedElements[] = [];

  /** @param isWhole whether both builds have records: otherwise nothing is gained or lost */
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

  /** What the collection gained and lost; undefined if that is nothing. */
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

  /** An attribute of a record that is in both builds is neither gained nor lost. Only records that may have one are parsed. */
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

  /** The last names of the attributes that are missing, as they are written in a record's text. */
  #nameMissing(): string[] {
    const last = [...this.#gained, ...this.#lost].map((path) => path.at(-1) ?? '');
    return [...new Set(last)].map((name) => `${JSON.stringify(name)}:`);
  }
}

/** A change as it is in the whole values: its `from` and `to` also have the attributes that were left out of the comparison. */
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

/** The records of two lists whose positions are in neither of the given sets of positions, as texts. */
function* equalTexts(after: RecordTexts, differing: ReadonlySet<number>): Iterable<string> {
  for (const [index, text] of after.entries()) if (!differing.has(index)) yield text;
}

/**
 * The attributes that values have, as a tree of their names. The elements of a list share the attributes of the list: `skills.power` is in the
 * tree if an element of any list `skills` has `power`.
 */
class AttributeTree {
  readonly #below = new Map<string, AttributeTree>();
  /** Whether only lists were added. */
  #isList = true;

  /** Adds the attributes of a value. @returns whether one of them was not known before */
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

  /** The attributes that another tree lacks, as paths. What is inside such an attribute is not listed. */
  missingIn(other: AttributeTree): string[][] {
    return [...this.#below].flatMap(([name, child]) => {
      const counterpart = other.#below.get(name);
      if (counterpart === undefined) return [[name]];
      return child.missingIn(counterpart).map((path) => [name, ...path]);
    });
  }

  /** The lists that have no objects here, and do in another tree, as paths. */
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

/** The id and name of a character that was added, changed or removed. `name` is the one in the newer build. */
export interface CharacterName {
  id: string;
  name: string;
}

/** A record that differs, with at least one change. */
export interface ChangedRecord extends Comparison {
  id: string;
  /** Its name in the newer build, if it has one. */
  name?: string;
}

/**
 * The kinds of change that are not the game's: corrections of ours; what the data begins to have, or reads from elsewhere; texts in languages other than
 * the game's own, and spelling; times of a day; the order of lists; ids that renumber, and names of other records.
 */
export const FOLDED = ['corrections', 'gained', 'translations', 'times', 'order', 'references'] as const;
export type FoldedKind = (typeof FOLDED)[number];
export type Folded<T> = Partial<Record<FoldedKind, T[]>>;

/** The difference of two lists of records with ids. Ids are in natural order. */
export interface RecordsDiff {
  added: string[];
  /**
   * Those of `added` that the build is the first to serve, although nothing says that they are new in the game; absent if there are none. They
   * are of a dataset that the build before did not have, or only records of such a dataset name them.
   */
  gained?: string[];
  removed: string[];
  changed: ChangedRecord[];
  /** As in `BuildDiff`. */
  folded?: Folded<ChangedRecord>;
  /** The names of these records by id; absent if none has a name. */
  names?: Record<string, string>;
  /** The new ids of records that were renumbered, by their old ids; absent if there are none. Apart from the id they are compared as one. */
  renamed?: Record<string, string>;
  attributes?: AttributeChanges;
}

/**
 * The difference of a dataset. Two lists of records with ids are compared by record; an empty list counts as one. Everything else is compared
 * as one value: an object, a list without ids, or a dataset that changed from one form to the other.
 *
 * With `kind`, only one of the builds has the dataset. If its records have ids, it is compared with an empty list; otherwise its whole value
 * is the one change, with `path` "" and only `from` or only `to`.
 */
export type DatasetDiff = { kind?: 'added' | 'removed' } & (
  | RecordsDiff
  | (Comparison & { attributes?: AttributeChanges })
);

/**
 * The difference of two builds of a game. The full records of characters are compared. What a whole list gained or lost is in `attributes`, and
 * its changes are those of the game alone. `attributes` is absent if that is nothing.
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
    /** What the game did not change, by kind; absent until `foldDiff` divides the changes, and if there is nothing. */
    folded?: Folded<ChangedRecord & CharacterName>;
    renamed?: Record<string, string>;
    attributes?: AttributeChanges;
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetDiff>;
}

/** The values that an amendment changed. */
export type AmendmentChanges = Pick<BuildDiff, 'characters' | 'datasets'>;

/**
 * Compares two builds, in either direction.
 *
 * @param before undefined if everything in `after` is new
 * @param renamed the records that have other ids in `after`
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

/** The records of a list that differ. */
interface ComparedRecords {
  added: Json[];
  removed: Json[];
  /** The newer record of each pair, and how the two differ. */
  changed: [Json, Comparison][];
  /** New ids by old ones; undefined if there are none. */
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

/** The keys of all datasets of two builds, in order. */
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

/** Compares two datasets as values. Lists without ids have records too, so what all of them gained or lost is separate. */
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

/** The name of a record, if it has one that is text. */
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

/** Whether two datasets are equal. Only their texts are compared. */
function equalDatasets(before: DatasetContent | undefined, after: DatasetContent | undefined): boolean {
  if (before === after) return true;
  if (before?.kind === 'object' && after?.kind === 'object') return before.text === after.text;
  if (before?.kind !== 'list' || after?.kind !== 'list') return false;
  return (
    before.records.length === after.records.length &&
    before.records.every((record, index) => record === after.records[index])
  );
}

/** A dataset's value: a list of its records, or its object. */
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
 * The JSON Patch (RFC 6902) that turns the snapshot of one build, `{game, title, build, released_at, characters: […],
 * datasets: {key: […] or {…}}}`, into a document that equals the snapshot of the other.
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
 * One thing that an amendment changed in the model of the data, such as what `stats.atk` is: an attribute of many records of a collection, or a
 * dataset as a whole.
 */
interface ModelChange {
  collection: string;
  /** By its dotted key; absent for a dataset that was added or removed. */
  attribute?: string;
  kind: 'changed' | 'added' | 'removed';
  /** How many records it concerns. */
  records: number;
}

/** What an amendment changed: mistakes that it corrects, and the model, one line for each attribute. */
export interface SplitAmendment {
  corrections: AmendmentChanges;
  model: ModelChange[];
}

/**
 * Tells the corrections of an amendment from its changes of the model. Attributes in one object belong together: if `stats.atk` changes in many
 * records, so does the meaning of `stats.hp`.
 *
 * @param countOf the number of records of a collection
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

/** The number of records of a collection in a build, from its entry in the manifest. */
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
