// Events: occurrences in games, derived from dist/, with their changes in the form that every channel sends.
import { createHash } from 'node:crypto';
import {
  type AmendmentChanges,
  type BuildDiff,
  type ChangedRecord,
  type DatasetDiff,
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
  type Withdrawal,
} from '../../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';

/** Added: a new game. Released: a further build. Amended: a correction of builds. Withdrawn: a build that was removed. */
type EventType = 'game.added' | 'build.released' | 'build.amended' | 'build.withdrawn';

/** A game as its manifest describes it, with its builds, oldest first. */
export interface GameBuilds {
  slug: string;
  title: string;
  builds: readonly BuildEntry[];
  withdrawn: readonly Withdrawal[];
}

/** An occurrence in a game at a certain time. */
export interface Occurrence {
  /** A UUID derived from the content, so that every gateway computes the same one. */
  id: string;
  type: EventType;
  /** When the change becomes visible to Pro, ms since 1970. */
  due: number;
  /** The builds that it is about, oldest first: several only if one correction changed them. */
  builds: [...BuildEntry[], BuildEntry | Withdrawal];
  /** When and why a build was corrected or withdrawn. */
  cause?: Amendment;
}

/**
 * Lists all occurrences of a game, including those of embargoed builds. The first build adds the game; each later one is a release. Builds that were
 * corrected at the same time for the same reason are one correction.
 */
export function occurrencesOf({ slug, builds, withdrawn }: GameBuilds): Occurrence[] {
  const all = builds.map((entry, index): Occurrence => {
    const type = index === 0 ? 'game.added' : 'build.released';
    const id = makeId(type, slug, index === 0 ? '' : entry.build);
    return { id, type, due: Date.parse(entry.released_at), builds: [entry] };
  });
  const corrections = new Map<string, Occurrence>();
  for (const entry of builds) {
    for (const cause of entry.amended) {
      const due = dueOf(entry, cause.at);
      const id = makeId('build.amended', slug, cause.at, cause.reason, new Date(due).toISOString());
      const earlier = (corrections.get(id)?.builds ?? []) as BuildEntry[];
      corrections.set(id, { id, type: 'build.amended', due, builds: [...earlier, entry], cause });
    }
  }
  all.push(...corrections.values());
  for (const withdrawal of withdrawn) {
    const { build, at } = withdrawal;
    const id = makeId('build.withdrawn', slug, build, at);
    const due = dueOf(withdrawal, at);
    all.push({ id, type: 'build.withdrawn', due, builds: [withdrawal], cause: withdrawal });
  }
  return all.sort((a, b) => a.due - b.due);
}

/** A correction before the release of a build becomes visible together with the release. */
function dueOf({ released_at }: Pick<BuildEntry, 'released_at'>, at: string): number {
  return Math.max(Date.parse(released_at), Date.parse(at));
}

/** Makes a UUID of version 8 (RFC 9562, 5.8) from a SHA-256. */
function makeId(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  hash.writeUInt8(0x80 | (hash.readUInt8(6) & 0x0f), 6);
  hash.writeUInt8(0x80 | (hash.readUInt8(8) & 0x3f), 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** An event as every channel sends it, in the form that Standard Webhooks recommends. */
export interface GameEvent {
  id: string;
  type: EventType | 'alerts.test';
  /** When the change became visible to Pro, ISO 8601 UTC. */
  timestamp: string;
  /** The changes are absent if they are not known, as those of a withdrawn build. */
  data: Partial<Changes> & {
    game: string;
    title: string;
    /** Of a correction, the newest of `builds`; its changes are those of this build. */
    build: string;
    released_at: string;
    note: string | null;
    amended_at?: string;
    withdrawn_at?: string;
    reason?: string;
    builds?: CutList<string>;
  };
}

/** The maximum size of an event as JSON. */
export const MAX_EVENT_BYTES = 20_000;
/** The maximum number of entries of each list in an event. */
const MAX_LISTED = 100;

/**
 * Describes an occurrence as an event. Long lists and texts are cut, so that the event has at most `MAX_EVENT_BYTES`.
 *
 * @param game the game as dist/ has it now
 * @param now ms since 1970; a new game is described by its newest build that is visible then
 */
export async function describeOccurrence(
  { id, type, due, builds, cause }: Occurrence,
  { slug, title, builds: all }: GameBuilds,
  read: ReadFile,
  now: number,
): Promise<GameEvent> {
  const isVisible = ({ released_at }: BuildEntry) => Date.parse(released_at) <= now;
  const about =
    (type === 'game.added' && all.findLast(isVisible)) || (builds.at(-1) as BuildEntry | Withdrawal);
  const summary = 'roster' in about ? await summaryOf(type, about, cause, read) : undefined;
  const { build, released_at } = about;
  const note = 'note' in about && about.note ? cut(about.note) : null;
  const at = type === 'build.amended' ? 'amended_at' : 'withdrawn_at';
  for (let limit = MAX_LISTED; ; limit = Math.floor(limit / 2)) {
    const data = {
      ...{ game: slug, title: cut(title), build, released_at, note },
      ...(cause && { [at]: cause.at, reason: cut(cause.reason) }),
      ...(type === 'build.amended' && { builds: cutList(builds, limit, (each) => each.build) }),
      ...(summary && cutSummary(summary, limit)),
    };
    const event = { id, type, timestamp: new Date(due).toISOString(), data };
    if (limit === 0 || Buffer.byteLength(JSON.stringify(event)) < MAX_EVENT_BYTES) return event;
  }
}

function summaryOf(type: EventType, entry: BuildEntry, cause: Amendment | undefined, read: ReadFile) {
  if (cause) return summariseCorrection(entry, cause, read);
  return type === 'game.added' ? summariseFirst(entry, read) : summariseBuild(entry, read);
}

/** Makes an event without content. Account holders send it to themselves to test their alerts. */
export function makeTestEvent(id: string, now: number): GameEvent {
  const time = new Date(now).toISOString();
  const none = { count: 0, first: [] };
  const note = 'This is a test. No game has changed.';
  const about = { game: 'test', title: 'Test', build: 'test', released_at: time, note };
  const changes = { characters: { added: none, removed: none, changed: none }, datasets: none };
  return { id, type: 'alerts.test', timestamp: time, data: { ...about, ...changes } };
}

const MAX_TEXT_CHARS = 300;
const MAX_LARGEST = 20;

/** The length of a list, and as many of its first elements as fit. */
export interface CutList<T> {
  count: number;
  first: T[];
}

type Named = Record<'id' | 'name', string>;

/** The changes in an event. `attributes` are those that all characters gained or lost; `largest` is sorted, largest first. */
interface Changes {
  characters: Record<'added' | 'removed' | 'changed', CutList<Named>> & {
    attributes?: Record<'gained' | 'lost', CutList<string>>;
  };
  datasets: CutList<RecordCounts & { key: string }>;
  largest?: NumberChange[];
}

/** A number that differs between two builds. */
interface NumberChange {
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
async function summariseFirst(entry: BuildEntry, read: ReadFile): Promise<Summary> {
  const roster = await listReader(entry, read)(entry.roster);
  const added = sliceList(roster).map((line) => JSON.parse(line.toString()) as Named);
  const none = { removed: [], changed: [] };
  const datasets = entry.datasets.map(({ key, count }): [string, DatasetHistory] => {
    return [key, { added: [], ...none, counts: { added: count } }];
  });
  return { characters: { added, ...none }, datasets: Object.fromEntries(datasets) };
}

/** Summarises the changes of a build, with the values. */
async function summariseBuild(entry: BuildEntry, read: ReadFile): Promise<Summary> {
  const { history, diff } = entry;
  if (diff === null) return await readJson<BuildHistory>(history, read);
  return await summariseDiff(await readJson<BuildDiff>(diff, read), entry, read);
}

/** Summarises what a correction did to a build; undefined if that is not known. */
async function summariseCorrection(
  entry: BuildEntry,
  { at, reason }: Amendment,
  read: ReadFile,
): Promise<Summary | undefined> {
  const index = entry.amended.findIndex((each) => each.at === at && each.reason === reason);
  const ref = entry.amendments?.[index];
  if (!ref) return undefined;
  // A change of the model is no correction: its reason says what it is, and the history has a line for each attribute.
  const changes = await readJson<AmendmentChanges>(ref, read);
  return await summariseDiff(splitAmendment(changes, entry).corrections, entry, read);
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
function cutSummary({ characters, datasets, largest = [] }: Summary, limit: number): Changes {
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
function cutList<T, U>(list: readonly T[], limit: number, make: (value: T) => U): CutList<U> {
  return { count: list.length, first: list.slice(0, limit).map(make) };
}

/** Makes a text one line, without the characters that XML 1.0 does not allow, and shortens it. */
function cut(text: string): string {
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
