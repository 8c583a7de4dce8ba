import type { BuildHistory, DatasetHistory } from '../../../scripts/diff/history.ts';
import { type BuildEntry, type FileRef, sliceList } from '../../../scripts/format/dist-format.ts';
import type { EventType, NamedGame, Occurrence } from './occurrence.ts';

/** How many there are, and the first of them, as many as there is room for. */
export interface Listing<T> {
  count: number;
  first: T[];
}

/** A character by name. */
interface Named {
  id: string;
  name: string;
}

/** How many records of a dataset were added, removed and changed; one object counts as one record. */
interface DatasetCounts {
  key: string;
  added: number;
  removed: number;
  changed: number;
}

/** What a build brought, beside the build before. */
interface Changes {
  characters: Record<'added' | 'removed' | 'changed', Listing<Named>>;
  datasets: Listing<DatasetCounts>;
}

/** What an event is about; `reason` and `amended_at` of `build.amended` alone, what was brought of the others. */
export type EventData = {
  game: string;
  title: string;
  build: string;
  released_at: string;
  note: string | null;
} & ({ amended_at: string; reason: string } | Changes);

/** An event as every channel sends it, in the form that Standard Webhooks recommend. */
export interface GameEvent {
  id: string;
  type: EventType | 'alerts.test';
  /** When it became visible to Pro, ISO 8601 UTC. */
  timestamp: string;
  data: EventData;
}

/** The most bytes that an event has as JSON. */
export const LARGEST_EVENT = 20_000;
/** The most characters of a title, name, note or reason. */
const LONGEST_TEXT = 300;
const MOST_LISTED = 100;

/**
 * Tells of an occurrence what there is to tell, in at most `LARGEST_EVENT` bytes: long lists and texts are cut.
 *
 * @param game its game, as it is named now
 * @param read reads a file of dist/
 * @param now ms since 1970; a game that is new is told by the newest of its builds that is visible then
 */
export async function describeOccurrence(
  occurrence: Occurrence,
  game: NamedGame,
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
  const changes = type === 'game.added' ? await readWhole(entry, read) : await readHistory(entry, read);
  for (let most = MOST_LISTED; ; most = Math.floor(most / 2)) {
    const event = makeEvent({ ...about, ...cutChanges(changes, most) });
    if (most === 0 || Buffer.byteLength(JSON.stringify(event)) < LARGEST_EVENT) return event;
  }
}

/** An event that tells of nothing, for people to see whether alerts reach them. */
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
      note: 'This is a test: nothing happened.',
      characters: { added: none(), removed: none(), changed: none() },
      datasets: none(),
    },
  };
}

function newestAt({ builds }: NamedGame, now: number): BuildEntry {
  const at = builds.findLastIndex(({ released_at }) => Date.parse(released_at) <= now);
  return builds[Math.max(0, at)] as BuildEntry;
}

type Uncut = { characters: Record<'added' | 'removed' | 'changed', Named[]>; datasets: DatasetCounts[] };

async function readWhole(
  { roster, datasets }: BuildEntry,
  read: (ref: FileRef) => Promise<Buffer>,
): Promise<Uncut> {
  const added = sliceList(await read(roster)).map((line) => JSON.parse(line.toString()) as Named);
  return {
    characters: { added, removed: [], changed: [] },
    datasets: datasets.map(({ key, count }) => ({ key, added: count, removed: 0, changed: 0 })),
  };
}

async function readHistory({ history }: BuildEntry, read: (ref: FileRef) => Promise<Buffer>): Promise<Uncut> {
  const { characters, datasets } = JSON.parse((await read(history)).toString()) as BuildHistory;
  return {
    characters,
    datasets: Object.entries(datasets).map(([key, dataset]) => ({ key, ...countRecords(dataset) })),
  };
}

function countRecords(dataset: DatasetHistory): Omit<DatasetCounts, 'key'> {
  if ('fields' in dataset) {
    const { kind = 'changed' } = dataset;
    return { added: 0, removed: 0, changed: 0, [kind]: 1 };
  }
  const { added, removed, changed } = dataset;
  return { added: added.length, removed: removed.length, changed: changed.length };
}

function cutChanges({ characters, datasets }: Uncut, most: number): Changes {
  const names = (list: readonly Named[]) =>
    cutList(list, most, ({ id, name }) => ({ id: cut(id), name: cut(name) }));
  const { added, removed, changed } = characters;
  return {
    characters: { added: names(added), removed: names(removed), changed: names(changed) },
    datasets: cutList(datasets, most, (counts) => counts),
  };
}

function cutList<T, U>(list: readonly T[], most: number, make: (value: T) => U): Listing<U> {
  return { count: list.length, first: list.slice(0, most).map(make) };
}

/** A text on one line, without what XML 1.0 cannot hold. */
function cut(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  if (line.length <= LONGEST_TEXT) return line;
  return `${line.slice(0, LONGEST_TEXT).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
