import { createHash } from 'node:crypto';
import type { Amendment, BuildEntry, FileRef, Withdrawal } from '../../../scripts/format/dist-format.ts';
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

/** The kinds of events: a new game, a further build of a game, a correction of builds, a build that was removed. */
type EventType = 'game.added' | 'build.released' | 'build.amended' | 'build.withdrawn';

/** A game as its manifest describes it, with its builds, the oldest first. */
export interface GameBuilds {
  slug: string;
  title: string;
  builds: readonly BuildEntry[];
  withdrawn: readonly Withdrawal[];
}

/** Something that happens to a game at a certain time, derived from its manifest. */
export type Occurrence = {
  /** A UUID derived from the content, so that it is the same in every gateway. */
  id: string;
  /** Further ids of it. It is done when one of its ids is: a correction has one for each of its builds, of which some may be withdrawn later. */
  otherIds?: readonly string[];
  slug: string;
  /** When the change becomes visible to Pro, ms since 1970. */
  due: number;
} & (
  | { type: 'game.added' | 'build.released'; entry: BuildEntry }
  /** One correction of one or more builds, oldest first. */
  | { type: 'build.amended'; entries: readonly [BuildEntry, ...BuildEntry[]]; amendment: Amendment }
  | { type: 'build.withdrawn'; withdrawal: Withdrawal }
);

/**
 * Lists all occurrences of a game, including those of embargoed builds. The first build adds the game, each later one is a release. Builds that
 * were corrected at the same time for the same reason are one correction.
 */
export function occurrencesOf({ slug, builds, withdrawn }: GameBuilds): Occurrence[] {
  const releases = builds.map((entry, index): Occurrence => {
    const type = index === 0 ? 'game.added' : 'build.released';
    const id = makeId(type, slug, index === 0 ? '' : entry.build);
    return { id, type, slug, due: Date.parse(entry.released_at), entry };
  });
  const withdrawals = withdrawn.map((withdrawal): Occurrence => {
    const { build, released_at, at } = withdrawal;
    const id = makeId('build.withdrawn', slug, build, at);
    return { id, type: 'build.withdrawn', slug, due: laterOf(released_at, at), withdrawal };
  });
  return [...releases, ...amendmentsOf(slug, builds), ...withdrawals].sort((a, b) => a.due - b.due);
}

function amendmentsOf(slug: string, builds: readonly BuildEntry[]): Occurrence[] {
  const groups = new Map<string, Extract<Occurrence, { type: 'build.amended' }>>();
  for (const entry of builds) {
    for (const amendment of entry.amended) {
      const { at, reason } = amendment;
      const due = laterOf(entry.released_at, at);
      const key = JSON.stringify([at, reason, due]);
      const earlier = groups.get(key);
      const entries = [...(earlier?.entries ?? []), entry] as [BuildEntry, ...BuildEntry[]];
      const id = makeId('build.amended', slug, entry.build, at, reason);
      const otherIds = earlier ? [...(earlier.otherIds ?? []), earlier.id] : [];
      groups.set(key, { id, otherIds, type: 'build.amended', slug, due, entries, amendment });
    }
  }
  return [...groups.values()];
}

function laterOf(released_at: string, at: string): number {
  return Math.max(Date.parse(released_at), Date.parse(at));
}

/** Returns all ids of an occurrence. */
export function idsOf({ id, otherIds = [] }: Occurrence): string[] {
  return [id, ...otherIds];
}

/** Makes a UUID of version 8 (RFC 9562, 5.8) from a SHA-256. */
function makeId(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  hash.writeUInt8(0x80 | (hash.readUInt8(6) & 0x0f), 6);
  hash.writeUInt8(0x80 | (hash.readUInt8(8) & 0x3f), 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A correction of builds: when, why, and what it changed where that is known. `builds` is absent in events of older gateways. */
interface Correction extends Partial<Changes> {
  amended_at: string;
  reason: string;
  /** The corrected builds; `build` of the event is the newest of them. */
  builds?: Listing<string>;
}

/** The content of an event: corrections and withdrawals have a time and a reason, all others have the changes. */
type EventData = {
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
