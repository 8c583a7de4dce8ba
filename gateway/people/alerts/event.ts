import type { AttributeChanges } from '../../../scripts/diff/attribute-changes.ts';
import type { BuildHistory, DatasetHistory } from '../../../scripts/diff/history.ts';
import { type BuildEntry, type FileRef, sliceList } from '../../../scripts/format/dist-format.ts';
import type { EventType, GameBuilds, Occurrence } from './occurrence.ts';

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
 * that the whole dataset gained or lost, if there are any.
 */
interface DatasetCounts {
  key: string;
  added: number;
  removed: number;
  changed: number;
  attributes?: Record<'gained' | 'lost', number>;
}

/** What a build changed compared to the build before it. `attributes` are those that all characters gained or lost, if there are any. */
export interface Changes {
  characters: Record<'added' | 'removed' | 'changed', Listing<Named>> & {
    attributes?: Record<'gained' | 'lost', Listing<string>>;
  };
  datasets: Listing<DatasetCounts>;
}

/** The content of an event: a `build.amended` has `amended_at` and `reason`, all others have the changes. */
export type EventData = {
  game: string;
  title: string;
  build: string;
  released_at: string;
  note: string | null;
} & ({ amended_at: string; reason: string } | Changes);

/** An event as every channel sends it, in the form that Standard Webhooks recommends. */
export interface GameEvent {
  id: string;
  type: EventType | 'alerts.test';
  /** When the change became visible to Pro, ISO 8601 UTC. */
  timestamp: string;
  data: EventData;
}

/** The maximum size of an event as JSON. */
export const MAX_EVENT_BYTES = 20_000;
/** The maximum length of a title, name, note or reason. */
const MAX_TEXT_CHARS = 300;
/** The maximum number of entries of each list in an event. */
const MAX_LISTED = 100;

/**
 * Describes an occurrence as an event. Long lists and texts are cut, so that the event has at most `MAX_EVENT_BYTES`.
 *
 * @param game the game as dist/ has it now
 * @param read reads a file of dist/
 * @param now ms since 1970; a new game is described by its newest build that is visible then
 */
export async function describeOccurrence(
  occurrence: Occurrence,
  game: GameBuilds,
  read: (ref: FileRef) => Promise<Buffer>,
  now: number,
): Promise<GameEvent> {
  const { id, type, due, amendment } = occurrence;
  const entry = type === 'game.added' ? newestAt(game, now) : occurrence.entry;
  const about = {
    game: game.slug,
    title: cut(game.title),
    build: entry.build,
    released_at: entry.released_at,
    note: entry.note === null ? null : cut(entry.note),
  };
  const makeEvent = (data: EventData): GameEvent => ({
    id,
    type,
    timestamp: new Date(due).toISOString(),
    data,
  });
  if (amendment) return makeEvent({ ...about, amended_at: amendment.at, reason: cut(amendment.reason) });
  const changes =
    type === 'game.added' ? await readFirstChanges(entry, read) : await readChanges(entry, read);
  for (let limit = MAX_LISTED; ; limit = Math.floor(limit / 2)) {
    const event = makeEvent({ ...about, ...cutChanges(changes, limit) });
    if (limit === 0 || Buffer.byteLength(JSON.stringify(event)) < MAX_EVENT_BYTES) return event;
  }
}

/** Makes an event without content, which account holders send to themselves to test their alerts. */
export function makeTestEvent(id: string, now: number): GameEvent {
  const time = new Date(now).toISOString();
  const none = () => ({ count: 0, first: [] });
  return {
    id,
    type: 'alerts.test',
    timestamp: time,
    data: {
      game: 'test',
      title: 'Test',
      build: 'test',
      released_at: time,
      note: 'This is a test. No game has changed.',
      characters: { added: none(), removed: none(), changed: none() },
      datasets: none(),
    },
  };
}

function newestAt({ builds }: GameBuilds, now: number): BuildEntry {
  const at = builds.findLastIndex(({ released_at }) => Date.parse(released_at) <= now);
  return builds[Math.max(0, at)] as BuildEntry;
}

interface Uncut {
  characters: Record<'added' | 'removed' | 'changed', Named[]> & { attributes?: AttributeChanges };
  datasets: DatasetCounts[];
}

async function readFirstChanges(
  { roster, datasets }: BuildEntry,
  read: (ref: FileRef) => Promise<Buffer>,
): Promise<Uncut> {
  const added = sliceList(await read(roster)).map((line) => JSON.parse(line.toString()) as Named);
  return {
    characters: { added, removed: [], changed: [] },
    datasets: datasets.map(({ key, count }) => ({ key, added: count, removed: 0, changed: 0 })),
  };
}

async function readChanges({ history }: BuildEntry, read: (ref: FileRef) => Promise<Buffer>): Promise<Uncut> {
  const { characters, datasets } = JSON.parse((await read(history)).toString()) as BuildHistory;
  return {
    characters,
    datasets: Object.entries(datasets).map(([key, dataset]) => ({ key, ...countRecords(dataset) })),
  };
}

function countRecords(dataset: DatasetHistory): Omit<DatasetCounts, 'key'> {
  const { gained, lost } = dataset.attributes ?? { gained: [], lost: [] };
  const attributes = dataset.attributes && { attributes: { gained: gained.length, lost: lost.length } };
  if ('fields' in dataset) {
    const { kind = 'changed', fields } = dataset;
    // A list without ids that only gained or lost attributes did not change.
    const count = dataset.attributes && fields.length === 0 ? 0 : 1;
    return { added: 0, removed: 0, changed: 0, [kind]: count, ...attributes };
  }
  const { added, removed, changed } = dataset;
  return { added: added.length, removed: removed.length, changed: changed.length, ...attributes };
}

function cutChanges({ characters, datasets }: Uncut, limit: number): Changes {
  const names = (list: readonly Named[]) =>
    cutList(list, limit, ({ id, name }) => ({ id: cut(id), name: cut(name) }));
  const keys = (list: readonly string[]) => cutList(list, limit, cut);
  const { added, removed, changed, attributes } = characters;
  return {
    characters: {
      added: names(added),
      removed: names(removed),
      changed: names(changed),
      ...(attributes && { attributes: { gained: keys(attributes.gained), lost: keys(attributes.lost) } }),
    },
    datasets: cutList(datasets, limit, (counts) => counts),
  };
}

function cutList<T, U>(list: readonly T[], limit: number, make: (value: T) => U): Listing<U> {
  return { count: list.length, first: list.slice(0, limit).map(make) };
}

/** Puts a text on one line, removes the characters that XML 1.0 does not allow, and cuts it. */
function cut(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  if (line.length <= MAX_TEXT_CHARS) return line;
  return `${line.slice(0, MAX_TEXT_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
