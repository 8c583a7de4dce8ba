// The changes in an event: the characters and records that were added, removed or changed, and the numbers that changed most.
import {
  type AmendmentChanges,
  type BuildDiff,
  type ChangedRecord,
  type DatasetDiff,
  recordCounts,
  splitAmendment,
} from '../../../scripts/diff/diff-builds.ts';
import {
  type BuildHistory,
  countRecords,
  type DatasetHistory,
  type RecordCounts,
  summarise,
} from '../../../scripts/diff/summary.ts';
import type { AttributeDictionary, AttributeKind } from '../../../scripts/format/attributes.ts';
import { listReader, type ReadFile } from '../../../scripts/format/build-content.ts';
import {
  type Amendment,
  type BuildEntry,
  type FileRef,
  sliceList,
} from '../../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';

const MAX_TEXT_CHARS = 300;
const MAX_LARGEST = 20;
/** The size of the largest diff that is read for its values: parsing it takes about 100 ms. */
const MAX_DIFF_BYTES = 16 * 1024 * 1024;

/** The length of a list, and as many of its first elements as fit. */
export interface CutList<T> {
  count: number;
  first: T[];
}

type Named = Record<'id' | 'name', string>;

/** The changes in an event. `attributes` are those that all characters gained or lost; `largest` is sorted, largest first. */
export interface Changes {
  characters: Record<'added' | 'removed' | 'changed', CutList<Named>> & {
    attributes?: Record<'gained' | 'lost', CutList<string>>;
  };
  datasets: CutList<RecordCounts & { key: string }>;
  largest?: NumberChange[];
}

/** A number that differs between two builds. */
export interface NumberChange {
  /** `characters` or the key of a dataset. */
  collection: string;
  /** The id and the name of the record; absent if it has none, as in a dataset that is one object. */
  id?: string;
  name?: string;
  /** As in `Change`. */
  path: string;
  /** The attribute's label and unit, if the dictionary has them. */
  label?: string;
  unit?: string;
  from: number;
  to: number;
}

/** The same with complete lists. */
type Summary = Pick<BuildHistory, 'characters' | 'datasets'> & { largest?: NumberChange[] };

/** Summarises a build in which everything is new. */
export async function summariseFirst(entry: BuildEntry, read: ReadFile): Promise<Summary> {
  const roster = await listReader(entry, read)(entry.roster);
  const added = sliceList(roster).map((line) => JSON.parse(line.toString()) as Named);
  const none = { removed: [], changed: [] };
  const datasets = entry.datasets.map(({ key, count }): [string, DatasetHistory] => {
    return [key, { added: [], ...none, counts: { added: count } }];
  });
  return { characters: { added, ...none }, datasets: Object.fromEntries(datasets) };
}

/** Summarises the changes of a build, with the values unless its diff is very large. */
export async function summariseBuild(entry: BuildEntry, read: ReadFile): Promise<Summary> {
  const { history, diff } = entry;
  if (diff === null || diff.bytes > MAX_DIFF_BYTES) return await readJson<BuildHistory>(history, read);
  return await summariseDiff(await readJson<BuildDiff>(diff, read), entry, read);
}

/** Summarises what a correction did to a build; undefined if that is not known. */
export async function summariseCorrection(
  entry: BuildEntry,
  { at, reason }: Amendment,
  read: ReadFile,
): Promise<Summary | undefined> {
  const index = entry.amended.findIndex((each) => each.at === at && each.reason === reason);
  const ref = entry.amendments?.[index];
  if (!ref) return undefined;
  // A change of the model is no correction: its reason says what it is, and the history has a line for each attribute.
  const changes = await readJson<AmendmentChanges>(ref, read);
  return await summariseDiff(splitAmendment(changes, recordCounts(entry)).corrections, entry, read);
}

async function summariseDiff(
  changes: AmendmentChanges,
  { attributes, build }: BuildEntry,
  read: ReadFile,
): Promise<Summary> {
  const dictionary = attributes ? await readJson<AttributeDictionary>(attributes, read) : {};
  const summary = summarise({ game: '', from: null, to: build, ...changes }, dictionary);
  return { ...summary, largest: findLargest(changes, dictionary) };
}

async function readJson<T>(ref: FileRef, read: ReadFile): Promise<T> {
  return JSON.parse((await read(ref)).toString());
}

/** Shortens the lists and texts of a summary. */
export function cutSummary({ characters, datasets, largest = [] }: Summary, limit: number): Changes {
  const { attributes, counts = {} } = characters;
  const names = (kind: 'added' | 'removed' | 'changed') => {
    const list: readonly Named[] = characters[kind];
    const listed = cutList(list, limit, ({ id, name }) => ({ id: cut(id), name: cut(name) }));
    return { ...listed, count: counts[kind] ?? listed.count };
  };
  const keys = (list: readonly string[]) => cutList(list, limit, cut);
  return {
    characters: {
      ...{ added: names('added'), removed: names('removed'), changed: names('changed') },
      ...(attributes && { attributes: { gained: keys(attributes.gained), lost: keys(attributes.lost) } }),
    },
    datasets: cutList(Object.entries(datasets), limit, ([key, dataset]) => ({
      key,
      ...countRecords(dataset),
    })),
    ...(largest.length > 0 && limit > 0 && { largest: largest.slice(0, limit) }),
  };
}

/** The length of a list and its first elements. */
export function cutList<T, U>(list: readonly T[], limit: number, make: (value: T) => U): CutList<U> {
  return { count: list.length, first: list.slice(0, limit).map(make) };
}

/** Makes a text one line, without the characters that XML 1.0 does not allow, and shortens it. */
export function cut(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  if (line.length <= MAX_TEXT_CHARS) return line;
  return `${line.slice(0, MAX_TEXT_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Kinds of attributes whose numbers are not quantities. */
const NOT_MEASURED: readonly (AttributeKind | undefined)[] = ['id', 'reference', 'date', 'color', 'image'];

/**
 * Finds the numbers that changed most: first by the relative difference, so that attributes of any unit can be compared, then by the absolute one.
 * Only the largest change of each attribute of a record is listed: a level table is one attribute.
 */
function findLargest(
  { characters, datasets }: AmendmentChanges,
  dictionary: AttributeDictionary,
): NumberChange[] {
  const largest = new Map<string, NumberChange>();
  const collections: Record<string, BuildDiff['characters'] | DatasetDiff> = { characters, ...datasets };
  for (const [collection, diff] of Object.entries(collections)) {
    const attributes = new Map(dictionary[collection]?.attributes.map((each) => [each.key, each]));
    const records: Partial<ChangedRecord>[] = 'changes' in diff ? [diff] : diff.changed;
    for (const { id, name, changes = [] } of records) {
      for (const { path, from, to } of changes) {
        if (typeof from !== 'number' || typeof to !== 'number') continue;
        // Positions in lists are not part of the key.
        const key = pointerSteps(path)
          .filter((step) => !/^\d+$/.test(step))
          .join('.');
        const { kind, label, unit } = attributes.get(key) ?? {};
        if (NOT_MEASURED.includes(kind)) continue;
        const texts = Object.entries({ id, name, label, unit }).flatMap(([member, text]) =>
          text === undefined ? [] : [[member, cut(text)]],
        );
        const change: NumberChange = { collection, ...Object.fromEntries(texts), path: cut(path), from, to };
        const place = JSON.stringify([collection, id, key]);
        const present = largest.get(place);
        if (!present || compareSizes(change, present) < 0) largest.set(place, change);
      }
    }
  }
  return [...largest.values()].sort(compareSizes).slice(0, MAX_LARGEST);
}

/** Sorts the larger change first, by the difference divided by the larger value: 1 from or to 0, at most 2. */
function compareSizes(a: NumberChange, b: NumberChange): number {
  const size = ({ from, to }: NumberChange) => Math.abs(to - from);
  const part = (change: NumberChange) => size(change) / Math.max(Math.abs(change.from), Math.abs(change.to));
  return part(b) - part(a) || size(b) - size(a);
}
