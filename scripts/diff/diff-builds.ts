import type { BuildContent, DatasetContent, RecordTexts } from '../format/build-content.ts';
import type { Json } from '../format/dist-format.ts';
import { type Change, type Comparison, compareValues } from './compare-values.ts';
import { matchRecords, type RecordMatches } from './match-records.ts';

/** The id and name of a character that was added, changed or removed. `name` is the one in the newer build. */
export interface CharacterName {
  id: string;
  name: string;
}

/** A record that differs, with at least one change. */
export interface ChangedRecord extends Comparison {
  id: string;
}

/** The difference of two lists of records with ids. Ids are in natural order. */
export interface RecordsDiff {
  added: string[];
  removed: string[];
  changed: ChangedRecord[];
}

/**
 * The difference of a dataset. Two lists of records with ids are compared by record; an empty list counts as one. Everything else is compared
 * as one value: an object, a list without ids, or a dataset that changed from one form to the other.
 *
 * With `kind`, only one of the builds has the dataset. If its records have ids, it is compared with an empty list; otherwise its whole value
 * is the one change, with `path` "" and only `from` or only `to`.
 */
export type DatasetDiff = { kind?: 'added' | 'removed' } & (RecordsDiff | Comparison);

/** The difference of two builds of a game. The full records of characters are compared. */
export interface BuildDiff {
  game: string;
  /** Null for the first build of a game, which is compared with nothing. */
  from: string | null;
  to: string;
  characters: {
    added: CharacterName[];
    removed: CharacterName[];
    changed: (CharacterName & ChangedRecord)[];
  };
  /** The datasets that differ, by key. */
  datasets: Record<string, DatasetDiff>;
}

/**
 * Compares two builds, in either direction.
 *
 * @param before undefined if everything in `after` is new
 */
export function diffBuilds(before: BuildContent | undefined, after: BuildContent): BuildDiff {
  return {
    game: after.game,
    from: before?.build ?? null,
    to: after.build,
    characters: diffCharacters(before?.characters ?? [], after.characters),
    datasets: diffDatasets(before?.datasets ?? new Map(), after.datasets),
  };
}

function diffCharacters(before: RecordTexts, after: RecordTexts): BuildDiff['characters'] {
  const { added, removed, changed } = matchCharacters(before, after);
  return {
    added: added.map((index) => nameOf(parseAt(after, index))),
    removed: removed.map((index) => nameOf(parseAt(before, index))),
    changed: changed.map(([i, j]) => {
      const record = parseAt(after, j);
      return { ...nameOf(record), ...compareValues(parseAt(before, i), record) };
    }),
  };
}

/**
 * Matches the characters of two builds by id.
 *
 * @throws Error for characters without unique ids, which no compiled build has
 */
export function matchCharacters(before: RecordTexts, after: RecordTexts): RecordMatches {
  const matches = matchRecords(before, after);
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
): BuildDiff['datasets'] {
  const diffs: BuildDiff['datasets'] = {};
  for (const key of datasetKeys(before, after)) {
    const diff = diffDataset(before.get(key), after.get(key));
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
): DatasetDiff | undefined {
  if (equalDatasets(before, after)) return undefined;
  const records = diffRecords(before ?? NO_RECORDS, after ?? NO_RECORDS);
  if (before && after) return records ?? compareValues(parseDataset(before), parseDataset(after));
  const kind = after ? 'added' : 'removed';
  if (records) return { kind, ...records };
  const whole: Change = {
    path: '',
    ...(before && { from: parseDataset(before) }),
    ...(after && { to: parseDataset(after) }),
  };
  return { kind, fields: [], changes: [whole] };
}

function diffRecords(before: DatasetContent, after: DatasetContent): RecordsDiff | undefined {
  if (before.kind === 'object' || after.kind === 'object') return undefined;
  const matches = matchRecords(before.records, after.records);
  return (
    matches && {
      added: matches.added.map((index) => idOf(parseAt(after.records, index))),
      removed: matches.removed.map((index) => idOf(parseAt(before.records, index))),
      changed: matches.changed.map(([i, j]) => {
        const record = parseAt(after.records, j);
        return { id: idOf(record), ...compareValues(parseAt(before.records, i), record) };
      }),
    }
  );
}

function idOf(record: Json): string {
  return (record as unknown as { id: string }).id;
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
  return JSON.parse(records[index] as string) as Json;
}
