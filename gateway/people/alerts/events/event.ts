import type { Amendment, BuildEntry, FileRef } from '../../../../scripts/format/dist-format.ts';
import {
  type Changes,
  cut,
  cutChanges,
  cutList,
  type Listing,
  readChanges,
  readCorrection,
  readFirstChanges,
  type Uncut,
} from './changes.ts';
import type { EventType, GameBuilds, Occurrence } from './occurrence.ts';

/** A correction of builds: when, why, and what it changed where that is known. `builds` is absent in events of older gateways. */
interface Correction extends Partial<Changes> {
  amended_at: string;
  reason: string;
  /** The corrected builds; `build` of the event is the newest of them. */
  builds?: Listing<string>;
}

/** The content of an event: corrections and withdrawals have a time and a reason, all others have the changes. */
export type EventData = {
  game: string;
  title: string;
  build: string;
  released_at: string;
  note: string | null;
} & (Correction | { withdrawn_at: string; reason: string } | Changes);

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
  const { id, type, due } = occurrence;
  const timestamp = new Date(due).toISOString();
  const makeEvent = (about: About, rest: Rest): GameEvent => {
    const { build, released_at, note } = about;
    const data = {
      game: game.slug,
      title: cut(game.title),
      build,
      released_at,
      note: note === null ? null : cut(note),
      ...rest,
    };
    return { id, type, timestamp, data };
  };
  if (occurrence.type === 'build.withdrawn') {
    const { build, released_at, at, reason } = occurrence.withdrawal;
    return makeEvent({ build, released_at, note: null }, { withdrawn_at: at, reason: cut(reason) });
  }
  if (occurrence.type === 'build.amended') {
    const { entries, amendment } = occurrence;
    const changes = await readCorrection(entries, amendment, read);
    return fit((limit) =>
      makeEvent(entries.at(-1) ?? entries[0], cutCorrection(amendment, entries, changes, limit)),
    );
  }
  const isNew = occurrence.type === 'game.added';
  const entry = isNew ? newestAt(game, now) : occurrence.entry;
  const changes = isNew ? await readFirstChanges(entry, read) : await readChanges(entry, read);
  return fit((limit) => makeEvent(entry, cutChanges(changes, limit)));
}

type About = Pick<BuildEntry, 'build' | 'released_at' | 'note'>;
type Rest = Correction | { withdrawn_at: string; reason: string } | Changes;

/** Makes an event with lists as long as fit. */
function fit(make: (limit: number) => GameEvent): GameEvent {
  for (let limit = MAX_LISTED; ; limit = Math.floor(limit / 2)) {
    const event = make(limit);
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

function cutCorrection(
  { at, reason }: Amendment,
  entries: readonly BuildEntry[],
  changes: Uncut | undefined,
  limit: number,
): Correction {
  const names = entries.map(({ build }) => build);
  return {
    amended_at: at,
    reason: cut(reason),
    builds: cutList(names, limit, (name) => name),
    ...(changes && cutChanges(changes, limit)),
  };
}
