import type { BuildContent, DatasetContent, RecordTexts } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, ownValue, type Renames } from '../format/dist-format.ts';
import { type AttributeChanges, CollectionComparer, equalTexts } from './attribute-changes.ts';
import { type Change, type Comparison, compareValues } from './compare-values.ts';
import { findGainedRecords } from './gained-records.ts';
import { matchRecords, type RecordMatches } from './match-records.ts';

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
export function matchCharacters(
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
export function datasetKeys(before: BuildContent['datasets'], after: BuildContent['datasets']): string[] {
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
export function equalDatasets(
  before: DatasetContent | undefined,
  after: DatasetContent | undefined,
): boolean {
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
export function parseAt(records: RecordTexts, index: number): Json {
  return JSON.parse(records[index] ?? '');
}
