// The diff of two builds: which records were added, removed or changed, by collection.
// Records are matched by id, or by the id that the build gave them (`renamed`). Records with equal text are equal and are not parsed, so the cost
// depends on the changes.
// Changes of the data that are not changes of the game are kept apart: attributes that a whole collection gained or lost, and records that a build is
// only the first to serve.
// The three forms in dist/ (diff, history, timeline) are derived from this one; diff/fold.ts separates further changes that are not the game's.
import { isDeepStrictEqual } from 'node:util';
import type { BuildContent, DatasetContent, RecordTexts } from '../format/build-content.ts';
import * as dist from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import { once } from '../system.ts';
import { countEach, timeOf } from '../text.ts';
import { type AttributeChanges, compareCollection, leastOfModel } from './attribute-changes.ts';
import * as comparing from './compare.ts';

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
 * @param renamed old id → new id, for records of the earlier list. If a renamed record has the id of another one, that id means the renamed one
 * @returns undefined if a list has a record without an id, or two with the same id
 */
function matchRecords(
  before: RecordTexts,
  after: RecordTexts,
  renamed: Readonly<Record<string, string>> = {},
): RecordMatches | undefined {
  const [earlier, later] = [positionsById(before), positionsById(after)];
  if (earlier === undefined || later === undefined) return undefined;
  const positions = new Map(earlier);
  for (const from of Object.keys(renamed)) positions.delete(from);
  for (const [from, to] of Object.entries(renamed)) {
    const position = earlier.get(from);
    if (position !== undefined) positions.set(to, position);
  }
  const kept = new Set<number | undefined>();
  const added: number[] = [];
  const changed: [number, number][] = [];
  for (const [id, index] of later) {
    const position = positions.get(id);
    kept.add(position);
    if (position === undefined) added.push(index);
    else if (before[position] !== after[index]) changed.push([position, index]);
  }
  return { removed: [...earlier.values()].filter((index) => !kept.has(index)), added, changed };
}

function positionsById(records: RecordTexts): Map<string | undefined, number> | undefined {
  const positions = new Map(records.map((record, index) => [idOfText(record), index]));
  return positions.size === records.length && !positions.has(undefined) ? positions : undefined;
}

const LEADING_ID = /^\{"id":"([^"\\]*)"/;

/** Returns the id of a record. It comes first, except after keys that look like array indexes. */
export function idOfText(record: string): string | undefined {
  const leading = LEADING_ID.exec(record)?.[1];
  if (leading !== undefined) return leading;
  const { id }: { id?: unknown } = JSON.parse(record);
  return typeof id === 'string' ? id : undefined;
}

/** Attributes in which upstream states the version or date of a record's first appearance. */
const VERSIONS = ['version', 'version_added', 'release_version'];
const DATES = ['released_at', 'release_date', 'start', 'start_at'];

/**
 * Finds the records that a build is only the first to serve, since nothing says that they are new in the game: all records of a dataset that the
 * previous build lacked; records of other datasets that only these refer to, or to which older records refer only in what their collection gained;
 * and what had ended before. A record that upstream dates to this build is new in the game.
 *
 * @returns ids by dataset; a dataset without such records is absent
 */
function findGainedRecords(
  before: BuildContent,
  after: BuildContent,
  diffs: BuildDiff['datasets'],
): Map<string, string[]> {
  const gained = new Map<string, string[]>();
  const first = Object.keys(diffs).filter((key) => diffs[key]?.kind === 'added');
  const others = ['characters', ...after.datasets.keys()].filter((key) => !first.includes(key));
  const names = new Map(
    [...first, ...others].map((key) => [key, once(() => namesIn(textsOf(key, after), diffs[key]))]),
  );
  const isNamed = (keys: readonly string[], id: string, by: keyof Names) =>
    keys.some((each) => names.get(each)?.()[by].has(id));
  for (const [key, diff] of Object.entries(diffs)) {
    const added = new Set('added' in diff && key !== 'characters' ? diff.added : []);
    const rest = others.filter((other) => other !== key);
    const left = textsOf(key, after).flatMap((text) => {
      const id = idOfText(text) ?? '';
      const record = added.has(id) && dist.parseRecord(text);
      if (!record || isDated(record, before, after)) return [];
      const isServed =
        timeOf(String(record.end ?? '')) < Date.parse(before.released_at) ||
        first.includes(key) ||
        (!isNamed(rest, id, 'kept') &&
          (isNamed(rest, id, 'older') || (isNamed(first, id, 'added') && !isNamed(rest, id, 'added'))));
      return isServed ? [id] : [];
    });
    if (left.length > 0) gained.set(key, left);
  }
  return gained;
}

/** Whether upstream dates a record to the newer build. */
function isDated(record: dist.JsonObject, before: BuildContent, after: BuildContent): boolean {
  const [start, end] = [before, after].map(({ released_at }) => Date.parse(released_at)) as [number, number];
  const times = DATES.map((name) => timeOf(String(record[name] ?? '')));
  return (
    VERSIONS.some((name) => record[name] === after.build) || times.some((time) => time > start && time <= end)
  );
}

/** The text values of a collection: of its new records, of the others, and of these without what the collection gained. */
type Names = Record<'added' | 'older' | 'kept', Set<string>>;

function namesIn(texts: readonly string[], diff: DatasetDiff | undefined): Names {
  const names: Names = { added: new Set(), older: new Set(), kept: new Set() };
  const added = new Set<string | undefined>(diff && 'added' in diff ? diff.added : []);
  const { gained = [], elements = [] } = diff?.attributes ?? {};
  const ofData = new Set([...gained, ...elements.flatMap(({ key, values }) => (values ? [] : key))]);
  const add = (value: dist.Json, to: readonly Set<string>[], key: string): void => {
    if (typeof value === 'string') for (const set of to) set.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const inside = Array.isArray(value) ? key : `${key}${key && '.'}${name}`;
      const sets = ofData.has(inside) ? to.filter((set) => set !== names.kept) : to;
      if (inside !== 'id') add(member, sets, inside);
    }
  };
  for (const text of texts)
    add(dist.parseRecord(text), added.has(idOfText(text)) ? [names.added] : [names.older, names.kept], '');
  return names;
}

/** The records of a collection, or its object, as texts. */
export function textsOf(key: string, { characters, datasets }: BuildContent): readonly string[] {
  if (key === 'characters') return characters;
  const dataset = datasets.get(key);
  return dataset === undefined ? [] : dataset.kind === 'list' ? dataset.records : [dataset.text];
}

/** A character that was added, changed or removed. `name` is that of the newer build. */
export interface CharacterName {
  id: string;
  name: string;
}

/** A record with at least one change. */
export interface ChangedRecord extends comparing.Comparison {
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
  | (comparing.Comparison & { attributes?: AttributeChanges })
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
  renamed: dist.Renames = {},
): BuildDiff {
  const earlier = before?.datasets ?? new Map();
  const datasets: BuildDiff['datasets'] = {};
  for (const key of datasetKeys(earlier, after.datasets)) {
    const diff = diffDataset(earlier.get(key), after.datasets.get(key), dist.ownValue(renamed, key));
    if (diff) datasets[key] = diff;
  }
  const records = compareRecords(before?.characters ?? [], after.characters, renamed.characters);
  if (records === undefined) throw new Error('characters without unique ids cannot be compared');
  const gained = before
    ? findGainedRecords(before, after, { characters: listRecords(records), ...datasets })
    : [];
  for (const [key, ids] of gained) datasets[key] = { ...(datasets[key] as RecordsDiff), gained: ids };
  const { added, removed, changed, ...more } = records;
  const nameOf = ({ id, name }: dist.JsonObject) => ({ id, name }) as unknown as CharacterName;
  return {
    game: after.game,
    from: before?.build ?? null,
    to: after.build,
    characters: {
      added: added.map(nameOf),
      removed: removed.map(nameOf),
      changed: changed.map(([record, comparison]) => ({ ...nameOf(record), ...comparison })),
      ...more,
    },
    datasets,
  };
}

interface ComparedRecords {
  added: dist.JsonObject[];
  removed: dist.JsonObject[];
  /** The newer record of each pair, and the differences. */
  changed: [dist.JsonObject, comparing.Comparison][];
  /** Old id → new id; absent if there are none. */
  renamed?: Record<string, string>;
  attributes?: AttributeChanges;
}

/** @returns undefined for lists whose records do not all have unique ids */
function compareRecords(
  before: RecordTexts,
  after: RecordTexts,
  renames?: Readonly<Record<string, string>>,
): ComparedRecords | undefined {
  const matches = matchRecords(before, after, renames);
  if (matches === undefined) return undefined;
  const added = matches.added.map((index) => parseAt(after, index));
  const removed = matches.removed.map((index) => parseAt(before, index));
  const renamed: [string, string][] = [];
  const pairs = matches.changed.map(([i, j]) => {
    const [older, newer] = [parseAt(before, i), parseAt(after, j)];
    if (idOf(older) === idOf(newer)) return [older, newer] as const;
    renamed.push([idOf(older), idOf(newer)]);
    return [{ ...older, id: idOf(newer) }, newer] as const;
  });
  const differing = new Set([...matches.added, ...matches.changed.map(([, j]) => j)]);
  const equal = after.filter((_, index) => !differing.has(index));
  const isWhole = before.length > 0 && after.length > 0;
  const { attributes, compare } = compareCollection({ added, removed, changed: pairs, equal }, isWhole);
  const changed = pairs.flatMap(([older, newer]): [dist.JsonObject, comparing.Comparison][] => {
    const comparison = compare(older, newer);
    return comparison.changes.length === 0 ? [] : [[newer, comparison]];
  });
  return {
    added,
    removed,
    changed,
    ...(renamed.length > 0 && { renamed: Object.fromEntries(renamed) }),
    ...(attributes && { attributes }),
  };
}

/** The keys of all datasets in two builds, sorted. */
function datasetKeys(before: BuildContent['datasets'], after: BuildContent['datasets']): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort();
}

/** @returns undefined for equal datasets */
function diffDataset(
  before: DatasetContent | undefined,
  after: DatasetContent | undefined,
  renamed?: Readonly<Record<string, string>>,
): DatasetDiff | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  const kind = before ? (after ? undefined : 'removed') : 'added';
  const [older, newer] = [before, after].map((dataset) =>
    dataset?.kind === 'object' ? undefined : (dataset?.records ?? []),
  );
  const records = older && newer && compareRecords(older, newer, renamed);
  if (records) return { ...(kind && { kind }), ...listRecords(records) };
  if (before && after) return compareDatasets(before, after);
  const whole: comparing.Change = {
    path: '',
    ...(before && { from: parseDataset(before) }),
    ...(after && { to: parseDataset(after) }),
  };
  return { ...(kind && { kind }), fields: [], changes: [whole] };
}

/** Compares two datasets as values. Lists without ids have records too, so attributes that all of them gained or lost are separate. */
function compareDatasets(before: DatasetContent, after: DatasetContent): DatasetDiff {
  const [older, newer] = [parseDataset(before), parseDataset(after)];
  if (before.kind === 'object' || after.kind === 'object') return comparing.compareValues(older, newer);
  const isWhole = before.records.length > 0 && after.records.length > 0;
  const whole = { added: [], removed: [], changed: [[older, newer] as const], equal: [] };
  const { attributes, compare } = compareCollection(whole, isWhole);
  return { ...compare(older, newer), ...(attributes && { attributes }) };
}

function listRecords({ added, removed, changed, ...more }: ComparedRecords): RecordsDiff {
  const all = [...added, ...removed, ...changed.map(([record]) => record)];
  const names = all.flatMap((record) => {
    const name = nameIn(record);
    return name === undefined ? [] : [[idOf(record), name]];
  });
  return {
    added: added.map(idOf),
    removed: removed.map(idOf),
    changed: changed.map(([record, comparison]) => {
      const name = nameIn(record);
      return { id: idOf(record), ...(name !== undefined && { name }), ...comparison };
    }),
    ...(names.length > 0 && { names: Object.fromEntries(names) }),
    ...more,
  };
}

function idOf({ id }: dist.JsonObject): string {
  return String(id);
}

/** The name of a record, if it is a text. */
function nameIn(record: dist.JsonObject): string | undefined {
  const name = dist.ownValue(record, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** A dataset's value: the list of its records, or its object. */
export function parseDataset(dataset: DatasetContent): dist.Json {
  return dataset.kind === 'object' ? dist.parseRecord(dataset.text) : dataset.records.map(dist.parseRecord);
}

/** The record at a position, which must be in the list. */
function parseAt(records: RecordTexts, index: number): dist.JsonObject {
  return dist.parseRecord(records[index] ?? '');
}

/**
 * Returns the JSON Patch (RFC 6902) that turns the snapshot of one build, `{game, title, build, released_at, characters: […], datasets: {key: […] or
 * {…}}}`, into a document that equals the snapshot of the other.
 */
export function patchBuilds(before: BuildContent, after: BuildContent): comparing.PatchOp[] {
  const listOf = ({ characters }: BuildContent): DatasetContent => ({ kind: 'list', records: characters });
  return [
    ...comparing.patchValue(headOf(before), headOf(after), ''),
    ...patchDataset(listOf(before), listOf(after), '/characters'),
    ...datasetKeys(before.datasets, after.datasets).flatMap((key) =>
      patchDataset(before.datasets.get(key), after.datasets.get(key), pointerTo('/datasets', key)),
    ),
  ];
}

function headOf({ game, title, build, released_at, carried_from }: BuildContent): dist.JsonObject {
  return { game, title, build, released_at, ...(carried_from && { carried_from }) };
}

function patchDataset(
  before: DatasetContent | undefined,
  after: DatasetContent | undefined,
  path: string,
): comparing.PatchOp[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (after === undefined) return [{ op: 'remove', path }];
  if (before === undefined) return [{ op: 'add', path, value: parseDataset(after) }];
  if (before.kind === 'list' && after.kind === 'list') {
    const [older, newer] = [before.records, after.records];
    const matches = matchRecords(older, newer);
    if (matches)
      return [
        ...comparing.patchPositions(path, matches.removed, matches.added, (j) => parseAt(newer, j)),
        ...matches.changed.flatMap(([i, j]) =>
          comparing.patchValue(parseAt(older, i), parseAt(newer, j), pointerTo(path, j)),
        ),
      ];
  }
  return comparing.patchValue(parseDataset(before), parseDataset(after), path);
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
 * @param entry of the amended build
 */
export function splitAmendment(
  { characters, datasets }: AmendmentChanges,
  entry: Pick<dist.BuildEntry, 'characters' | 'datasets'>,
): SplitAmendment {
  const model: ModelChange[] = [];
  const sizes = new Map(entry.datasets.map(({ key, count }) => [key, count]));
  sizes.set('characters', entry.characters.count);
  const split = <T extends ChangedRecord>(collection: string, changed: readonly T[]): T[] => {
    const counts = countEach(changed.flatMap(({ fields }) => fields));
    const least = leastOfModel(sizes.get(collection) ?? 0);
    const ofModel = new Set(counts.flatMap(([field, count]) => (count >= least ? [groupOf(field)] : [])));
    const lines = counts
      .filter(([field]) => ofModel.has(groupOf(field)))
      .map(([attribute, records]) => ({ collection, attribute, kind: 'changed' as const, records }));
    model.push(...lines.sort((a, b) => b.records - a.records || (a.attribute < b.attribute ? -1 : 1)));
    return changed.flatMap((record) => {
      const changes = record.changes.filter(({ path }) => !ofModel.has(pointerSteps(path)[0] ?? ''));
      const fields = record.fields.filter((field) => !ofModel.has(groupOf(field)));
      return changes.length > 0 ? [{ ...record, fields, changes }] : [];
    });
  };
  const corrections: AmendmentChanges = {
    characters: { ...characters, changed: split('characters', characters.changed) },
    datasets: {},
  };
  for (const [key, diff] of Object.entries(datasets)) {
    if (diff.kind !== undefined) {
      const records = 'changes' in diff ? 1 : diff.added.length + diff.removed.length;
      model.push({ collection: key, kind: diff.kind, records });
    } else if ('changes' in diff) corrections.datasets[key] = diff;
    else {
      const { names = {}, ...left } = { ...diff, changed: split(key, diff.changed) };
      const ids = new Set([...left.added, ...left.removed, ...left.changed.map(({ id }) => id)]);
      const named = Object.entries(names).filter(([id]) => ids.has(id));
      corrections.datasets[key] = { ...left, ...(named.length > 0 && { names: Object.fromEntries(named) }) };
    }
  }
  return { corrections, model };
}

function groupOf(field: string): string {
  return field.split('.', 1)[0] ?? '';
}
