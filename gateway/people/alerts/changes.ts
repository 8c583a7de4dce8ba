import {
  type AttributeChanges,
  type BuildDiff,
  recordCounts,
  splitAmendment,
} from '../../../scripts/diff/diff-builds.ts';
import {
  type BuildHistory,
  type Counts,
  type DatasetHistory,
  summariseDiff,
} from '../../../scripts/diff/history.ts';
import type { Attribute, AttributeDictionary, AttributeKind } from '../../../scripts/format/attributes.ts';
import { listReader, type ReadFile } from '../../../scripts/format/build-content.ts';
import {
  type Amendment,
  type BuildEntry,
  type FileRef,
  ownValue,
  sliceList,
} from '../../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
import type { Change } from '../../../scripts/diff/compare.ts';

/** The maximum length of a title, name, note or reason. */
const MAX_TEXT_CHARS = 300;
/** The maximum number of changes with their values. */
const MAX_LARGEST = 20;
/** The size of the largest diff whose values are read: parsing it takes some 100 ms. */
const MAX_DIFF_BYTES = 16 * 1024 * 1024;

/** The length of a list, and as many of its first entries as fit. */
export interface Listing<T> {
  count: number;
  first: T[];
}

/** A character's id and name. */
interface Named {
  id: string;
  name: string;
}

/**
 * How many records of a dataset were added, removed and changed; a dataset that is one object counts as one record. `attributes` counts those
 * that the whole dataset gained or lost, if there are any, and `gained` those of `added` that the build is only the first to serve.
 */
interface DatasetCounts {
  key: string;
  added: number;
  gained?: number;
  removed: number;
  changed: number;
  attributes?: Record<'gained' | 'lost', number>;
}

/**
 * What a build changed compared to the build before it. `attributes` are those that all characters gained or lost, if there are any. `largest` are
 * the numbers that changed most, the first one most; absent if there are none.
 */
export interface Changes {
  characters: Record<'added' | 'removed' | 'changed', Listing<Named>> & {
    attributes?: Record<'gained' | 'lost', Listing<string>>;
  };
  datasets: Listing<DatasetCounts>;
  largest?: NumberChange[];
}

/** What builds changed, with lists of any length, or the first page of a history. */
export interface Uncut {
  characters: Record<'added' | 'removed' | 'changed', Named[]> & {
    attributes?: AttributeChanges;
    counts?: Counts;
  };
  datasets: DatasetCounts[];
  largest?: NumberChange[];
}

type ChangedValues = Pick<BuildDiff, 'characters' | 'datasets'>;

/** Reads everything in a build, which counts as added. */
export async function readFirstChanges(entry: BuildEntry, read: ReadFile): Promise<Uncut> {
  const { roster, datasets } = entry;
  const added = sliceList(await listReader(entry, read)(roster)).map(
    (line) => JSON.parse(line.toString()) as Named,
  );
  return {
    characters: { added, removed: [], changed: [] },
    datasets: datasets.map(({ key, count }) => ({ key, added: count, removed: 0, changed: 0 })),
  };
}

/** Reads what a build changed, with the values unless its diff is very large. */
export async function readChanges(entry: BuildEntry, read: ReadFile): Promise<Uncut> {
  const { history, diff } = entry;
  if (diff === null || diff.bytes > MAX_DIFF_BYTES) return describeHistory(await readJson(history, read));
  const changes = await readJson<BuildDiff>(diff, read);
  return {
    ...describeHistory(summariseDiff(changes)),
    largest: findLargestChanges([changes], await readDictionary(entry, read), MAX_LARGEST),
  };
}

function describeHistory({ characters, datasets }: BuildHistory): Uncut {
  return {
    characters,
    datasets: Object.entries(datasets).map(([key, dataset]) => ({ key, ...countRecords(dataset) })),
  };
}

async function readJson<T>(ref: FileRef, read: ReadFile): Promise<T> {
  return JSON.parse((await read(ref)).toString());
}

async function readDictionary(entry: BuildEntry | undefined, read: ReadFile): Promise<AttributeDictionary> {
  return entry?.attributes ? await readJson(entry.attributes, read) : {};
}

/** Reads what a correction changed in all its builds together; undefined if that is not known of all of them. */
export async function readCorrection(
  entries: readonly BuildEntry[],
  { at, reason }: Amendment,
  read: ReadFile,
): Promise<Uncut | undefined> {
  const all: ChangedValues[] = [];
  for (const entry of entries) {
    const { amended, amendments } = entry;
    const ref = amendments?.[amended.findIndex((each) => each.at === at && each.reason === reason)];
    if (!ref) return undefined;
    // A change of the model is no correction: its reason says what it is, and the history has a line for each attribute.
    all.push(splitAmendment(await readJson<ChangedValues>(ref, read), recordCounts(entry)).corrections);
  }
  const histories = all.map((changes) => summariseDiff({ game: '', from: null, to: '', ...changes }));
  const dictionary = await readDictionary(entries.at(-1), read);
  return {
    ...mergeHistories(histories),
    largest: findLargestChanges(all.toReversed(), dictionary, MAX_LARGEST),
  };
}

/** What several builds changed, each record counted once. */
function mergeHistories(all: readonly BuildHistory[]): Uncut {
  const unite = (member: 'added' | 'removed' | 'changed') => {
    const named = all.flatMap(({ characters }) =>
      characters[member].map(({ id, name }) => [id, { id, name }] as const),
    );
    return [...new Map(named).values()];
  };
  const gained = new Set(all.flatMap(({ characters }) => characters.attributes?.gained ?? []));
  const lost = new Set(all.flatMap(({ characters }) => characters.attributes?.lost ?? []));
  const keys = [...new Set(all.flatMap(({ datasets }) => Object.keys(datasets)))].sort();
  return {
    characters: {
      added: unite('added'),
      removed: unite('removed'),
      changed: unite('changed'),
      ...(gained.size + lost.size > 0 && { attributes: { gained: [...gained], lost: [...lost] } }),
    },
    datasets: keys.map((key) => ({
      key,
      ...countTogether(all.flatMap(({ datasets }) => ownValue(datasets, key) ?? [])),
    })),
  };
}

function countTogether(datasets: readonly DatasetHistory[]): Omit<DatasetCounts, 'key'> {
  const lists = datasets.filter((dataset) => 'added' in dataset);
  const [first] = datasets;
  if (first === undefined || lists.length < datasets.length) return countRecords(first ?? { fields: [] });
  const unite = (member: 'added' | 'removed' | 'changed') => [
    ...new Set(lists.flatMap((list) => list[member])),
  ];
  return countRecords({
    ...first,
    added: unite('added'),
    removed: unite('removed'),
    changed: unite('changed'),
  });
}

function countRecords(dataset: DatasetHistory): Omit<DatasetCounts, 'key'> {
  const { kind, attributes: { gained, lost } = { gained: [], lost: [] } } = dataset;
  const attributes = dataset.attributes && { attributes: { gained: gained.length, lost: lost.length } };
  if ('fields' in dataset) {
    // A list without ids that only gained or lost attributes did not change.
    const count = dataset.attributes && dataset.fields.length === 0 ? 0 : 1;
    const first = kind === 'added' && { gained: count };
    return { added: 0, removed: 0, changed: 0, [kind ?? 'changed']: count, ...first, ...attributes };
  }
  const { added, gained: first, removed, changed, counts = {} } = dataset;
  return {
    added: counts.added ?? added.length,
    ...(first && { gained: counts.gained ?? first.length }),
    removed: counts.removed ?? removed.length,
    changed: counts.changed ?? changed.length,
    ...attributes,
  };
}

/** Cuts lists and texts. */
export function cutChanges({ characters, datasets, largest = [] }: Uncut, limit: number): Changes {
  const { added, removed, changed, attributes, counts = {} } = characters;
  const names = (list: readonly Named[], count = list.length) => ({
    ...cutList(list, limit, ({ id, name }) => ({ id: cut(id), name: cut(name) })),
    count,
  });
  const keys = (list: readonly string[]) => cutList(list, limit, cut);
  return {
    characters: {
      added: names(added, counts.added),
      removed: names(removed, counts.removed),
      changed: names(changed, counts.changed),
      ...(attributes && { attributes: { gained: keys(attributes.gained), lost: keys(attributes.lost) } }),
    },
    datasets: cutList(datasets, limit, (counts) => counts),
    ...(largest.length > 0 && limit > 0 && { largest: largest.slice(0, limit).map(cutTexts) }),
  };
}

function cutTexts({ from, to, ...texts }: NumberChange): NumberChange {
  const short = Object.entries(texts).map(([name, text]) => [name, cut(text)]);
  return { ...(Object.fromEntries(short) as typeof texts), from, to };
}

/** The length of a list and its first elements. */
export function cutList<T, U>(list: readonly T[], limit: number, make: (value: T) => U): Listing<U> {
  return { count: list.length, first: list.slice(0, limit).map(make) };
}

/** Puts a text on one line, removes the characters that XML 1.0 does not allow, and cuts it. */
export function cut(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  if (line.length <= MAX_TEXT_CHARS) return line;
  return `${line.slice(0, MAX_TEXT_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A number that differs between two builds. */
export interface NumberChange {
  /** `characters` or the key of a dataset. */
  collection: string;
  /** The id and the name of the record; absent where it has none, as in a dataset that is one object. */
  id?: string;
  name?: string;
  /** As in `Change`. */
  path: string;
  /** What the attribute is called and its unit, if the dictionary says so. */
  label?: string;
  unit?: string;
  from: number;
  to: number;
}

/** The change of a number, with the dotted key of its attribute. */
interface Candidate {
  key: string;
  change: NumberChange;
}

/** Kinds of attributes whose numbers count nothing. */
const NOT_MEASURED: readonly (AttributeKind | undefined)[] = ['id', 'reference', 'date', 'color', 'image'];

/**
 * Finds the numbers that changed most: by the difference as a part of the larger of both values, so that attributes of any unit can be compared;
 * then by the difference itself. Of each attribute of a record, only the largest change is listed: a level table is one attribute.
 *
 * @param all the changes of a build, or of several builds that one correction changed, the most important one first
 * @param dictionary that of the newer build; numbers that it calls ids, references or dates are left out
 * @param limit the maximum length of the list
 */
function findLargestChanges(
  all: readonly ChangedValues[],
  dictionary: AttributeDictionary,
  limit: number,
): NumberChange[] {
  const attributes = new Attributes(dictionary);
  const largest = new Map<string, NumberChange>();
  for (const changes of all) {
    for (const { key, change } of numbersIn(changes, attributes)) {
      const place = JSON.stringify([change.collection, change.id, key]);
      const present = largest.get(place);
      if (!present || compareSizes(change, present) < 0) largest.set(place, change);
    }
  }
  return [...largest.values()].sort(compareSizes).slice(0, limit);
}

function* numbersIn({ characters, datasets }: ChangedValues, attributes: Attributes): Generator<Candidate> {
  for (const record of characters.changed) yield* numbersOf('characters', record, attributes);
  for (const [collection, diff] of Object.entries(datasets)) {
    const records = 'changes' in diff ? [diff] : diff.changed;
    for (const record of records) yield* numbersOf(collection, record, attributes);
  }
}

function* numbersOf(
  collection: string,
  { id, name, changes }: { id?: string; name?: string; changes: readonly Change[] },
  attributes: Attributes,
): Generator<Candidate> {
  for (const { path, from, to } of changes) {
    if (typeof from !== 'number' || typeof to !== 'number') continue;
    const key = attributes.keyOf(collection, path);
    const { kind, label, unit } = attributes.find(collection, key) ?? {};
    if (NOT_MEASURED.includes(kind)) continue;
    const record = { collection, ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
    const texts = { ...(label !== undefined && { label }), ...(unit !== undefined && { unit }) };
    yield { key, change: { ...record, path, ...texts, from, to } };
  }
}

/** Compares two changes, the larger one first. */
function compareSizes(a: NumberChange, b: NumberChange): number {
  return partOf(b) - partOf(a) || Math.abs(b.to - b.from) - Math.abs(a.to - a.from);
}

/** The difference as a part of the larger of both values: 1 from or to 0, at most 2. */
function partOf({ from, to }: NumberChange): number {
  return Math.abs(to - from) / Math.max(Math.abs(from), Math.abs(to));
}

/** The attributes of a dictionary by collection and key. */
class Attributes {
  readonly #collections = new Map<string, ReadonlyMap<string, Attribute>>();

  constructor(dictionary: AttributeDictionary) {
    for (const [collection, { attributes }] of Object.entries(dictionary)) {
      this.#collections.set(collection, new Map(attributes.map((each) => [each.key, each])));
    }
  }

  find(collection: string, key: string): Attribute | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  /** The dotted key of a place: without positions in lists. A number in it may also be the name of an attribute, such as a level. */
  keyOf(collection: string, path: string): string {
    return pointerSteps(path).reduce((key, step) => {
      const longer = key === '' ? step : `${key}.${step}`;
      return /^\d+$/.test(step) && !this.find(collection, longer) ? key : longer;
    }, '');
  }
}
