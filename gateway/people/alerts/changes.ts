// The changes in an event: the characters and records that were added, removed or changed, and the numbers that changed most.
import {
  type AmendmentChanges,
  type AttributeChanges,
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
import type { Attribute, AttributeDictionary, AttributeKind } from '../../../scripts/format/attributes.ts';
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
const KINDS = ['added', 'removed', 'changed'] as const;
type Kind = (typeof KINDS)[number];

/** The numbers of changes in a dataset. */
type DatasetCounts = RecordCounts & { key: string };

/** The changes in an event. `attributes` are those that all characters gained or lost; `largest` is sorted, largest first. */
export interface Changes {
  characters: Record<Kind, CutList<Named>> & {
    attributes?: Record<'gained' | 'lost', CutList<string>>;
  };
  datasets: CutList<DatasetCounts>;
  largest?: NumberChange[];
}

/** The same with complete lists. */
export type Summary = Pick<BuildHistory, 'characters' | 'datasets'> & { largest?: NumberChange[] };

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
  const changes = await readJson<BuildDiff>(diff, read);
  return { ...summarise(changes), largest: findLargest([changes], await readDictionary(entry, read)) };
}

/** Summarises a correction over all its builds; undefined if the changes are not known for each of them. */
export async function summariseCorrection(
  entries: readonly BuildEntry[],
  { at, reason }: Amendment,
  read: ReadFile,
): Promise<Summary | undefined> {
  const all: AmendmentChanges[] = [];
  for (const entry of entries) {
    const { amended, amendments } = entry;
    const ref = amendments?.[amended.findIndex((each) => each.at === at && each.reason === reason)];
    if (!ref) return undefined;
    // A change of the model is no correction: its reason says what it is, and the history has a line for each attribute.
    all.push(splitAmendment(await readJson<AmendmentChanges>(ref, read), recordCounts(entry)).corrections);
  }
  const histories = all.map((changes) => summarise({ game: '', from: null, to: '', ...changes }));
  const largest = findLargest(all.toReversed(), await readDictionary(entries.at(-1), read));
  return { ...unite(histories), largest };
}

async function readJson<T>(ref: FileRef, read: ReadFile): Promise<T> {
  return JSON.parse((await read(ref)).toString());
}

const readDictionary = async (entry: BuildEntry | undefined, read: ReadFile) =>
  entry?.attributes ? await readJson<AttributeDictionary>(entry.attributes, read) : {};

/** Merges the changes of several builds; each record counts once. */
function unite(all: readonly BuildHistory[]): Summary {
  const datasets = new Map<string, DatasetHistory>();
  for (const [key, dataset] of all.flatMap((history) => Object.entries(history.datasets))) {
    const known = datasets.get(key);
    const isList = known !== undefined && 'added' in known && 'added' in dataset;
    datasets.set(key, isList ? { ...known, ...uniteLists([known, dataset]) } : (known ?? dataset));
  }
  return {
    characters: uniteLists(all.map(({ characters }) => characters)),
    datasets: Object.fromEntries([...datasets].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

type Lists = Record<Kind, readonly (string | Named)[]> & { attributes?: AttributeChanges };

function uniteLists<T extends Lists>(all: readonly T[]): T {
  const union = (lists: readonly (string | Named)[]) => [
    ...new Map(lists.map((each) => [typeof each === 'string' ? each : each.id, each])).values(),
  ];
  const kinds = KINDS.map((kind) => [kind, union(all.flatMap((lists) => lists[kind]))]);
  const of = (name: 'gained' | 'lost') => union(all.flatMap(({ attributes }) => attributes?.[name] ?? []));
  const attributes = { gained: of('gained'), lost: of('lost') };
  const hasAttributes = attributes.gained.length + attributes.lost.length > 0;
  return { ...Object.fromEntries(kinds), ...(hasAttributes && { attributes }) } as T;
}

/** Shortens the lists and texts of a summary. */
export function cutSummary({ characters, datasets, largest = [] }: Summary, limit: number): Changes {
  const { attributes, counts = {} } = characters;
  const names = (kind: Kind) => {
    const listing = cutList<Named, Named>(characters[kind], limit, ({ id, name }) => ({
      id: cut(id),
      name: cut(name),
    }));
    return { ...listing, count: counts[kind] ?? listing.count };
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

/** Kinds of attributes whose numbers are not quantities. */
const NOT_MEASURED: readonly (AttributeKind | undefined)[] = ['id', 'reference', 'date', 'color', 'image'];

/**
 * Finds the numbers that changed most: first by the relative difference, so that attributes of any unit can be compared, then by the absolute one.
 * Only the largest change of each attribute of a record is listed: a level table is one attribute.
 *
 * @param all the changes of builds, the most important first
 * @param dictionary of the newest build
 */
function findLargest(all: readonly AmendmentChanges[], dictionary: AttributeDictionary): NumberChange[] {
  const attributes = new Map(
    Object.entries(dictionary).flatMap(([collection, { attributes }]) =>
      attributes.map((each): [string, Attribute] => [`${collection} ${each.key}`, each]),
    ),
  );
  // Positions in lists are not part of the key. But a number can also be the name of an attribute, such as a level.
  const keyOf = (collection: string, path: string) =>
    pointerSteps(path).reduce((key, step) => {
      const longer = key === '' ? step : `${key}.${step}`;
      return /^\d+$/.test(step) && !attributes.has(`${collection} ${longer}`) ? key : longer;
    }, '');
  const largest = new Map<string, NumberChange>();
  for (const { collection, id, name, changes } of all.flatMap(changedRecords)) {
    for (const { path, from, to } of changes) {
      if (typeof from !== 'number' || typeof to !== 'number') continue;
      const key = keyOf(collection, path);
      const { kind, label, unit } = attributes.get(`${collection} ${key}`) ?? {};
      if (NOT_MEASURED.includes(kind)) continue;
      const texts = Object.entries({ id, name, path, label, unit }).flatMap(([member, text]) =>
        text === undefined ? [] : [[member, cut(text)]],
      );
      const change = { collection, ...Object.fromEntries(texts), from, to } as NumberChange;
      const place = JSON.stringify([collection, id, key]);
      const present = largest.get(place);
      if (!present || compareSizes(change, present) < 0) largest.set(place, change);
    }
  }
  return [...largest.values()].sort(compareSizes).slice(0, MAX_LARGEST);
}

function changedRecords({ characters, datasets }: AmendmentChanges) {
  const collections: Record<string, BuildDiff['characters'] | DatasetDiff> = { characters, ...datasets };
  return Object.entries(collections).flatMap(([collection, diff]) => {
    const records: Partial<ChangedRecord>[] = 'changes' in diff ? [diff] : diff.changed;
    return records.map(({ id, name, changes = [] }) => ({ collection, id, name, changes }));
  });
}

/** Sorts the larger change first, by the difference divided by the larger value: 1 from or to 0, at most 2. */
function compareSizes(a: NumberChange, b: NumberChange): number {
  const size = ({ from, to }: NumberChange) => Math.abs(to - from);
  const part = (change: NumberChange) => size(change) / Math.max(Math.abs(change.from), Math.abs(change.to));
  return part(b) - part(a) || size(b) - size(a);
}
