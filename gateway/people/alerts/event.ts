// Events: occurrences in games, derived from dist/, in the form that every channel sends.
import { createHash } from 'node:crypto';
import type { ReadFile } from '../../../scripts/format/build-content.ts';
import type { Amendment, BuildEntry, Withdrawal } from '../../../scripts/format/dist-format.ts';
import {
  type Changes,
  type CutList,
  cut,
  cutList,
  cutSummary,
  summariseBuild,
  summariseCorrection,
  summariseFirst,
} from './changes.ts';

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
export type Occurrence = {
  /** A UUID derived from the content, so that every gateway computes the same one. */
  id: string;
  /** When the change becomes visible to Pro, ms since 1970. */
  due: number;
} & (
  | { type: 'game.added' | 'build.released'; entry: BuildEntry }
  /** One correction of one or more builds, oldest first. */
  | { type: 'build.amended'; entries: readonly [BuildEntry, ...BuildEntry[]]; amendment: Amendment }
  | { type: 'build.withdrawn'; withdrawal: Withdrawal }
);

/**
 * Lists all occurrences of a game, including those of embargoed builds. The first build adds the game; each later one is a release. Builds that were
 * corrected at the same time for the same reason are one correction.
 */
export function occurrencesOf({ slug, builds, withdrawn }: GameBuilds): Occurrence[] {
  const releases = builds.map((entry, index): Occurrence => {
    const type = index === 0 ? 'game.added' : 'build.released';
    const id = makeId(type, slug, index === 0 ? '' : entry.build);
    return { id, type, due: Date.parse(entry.released_at), entry };
  });
  const withdrawals = withdrawn.map((withdrawal): Occurrence => {
    const { build, at } = withdrawal;
    const id = makeId('build.withdrawn', slug, build, at);
    return { id, type: 'build.withdrawn', due: dueOf(withdrawal, at), withdrawal };
  });
  const corrections = new Map<string, Extract<Occurrence, { type: 'build.amended' }>>();
  for (const entry of builds) {
    for (const amendment of entry.amended) {
      const { at, reason } = amendment;
      const due = dueOf(entry, at);
      const id = makeId('build.amended', slug, at, reason, new Date(due).toISOString());
      const entries = [...(corrections.get(id)?.entries ?? []), entry] as [BuildEntry, ...BuildEntry[]];
      corrections.set(id, { id, type: 'build.amended', due, entries, amendment });
    }
  }
  return [...releases, ...corrections.values(), ...withdrawals].sort((a, b) => a.due - b.due);
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

/** A correction: when, why, and its changes if they are known. `build` of the event is the newest of `builds`. */
interface EventCorrection extends Partial<Changes> {
  amended_at: string;
  reason: string;
  builds: CutList<string>;
}

/** An event as every channel sends it, in the form that Standard Webhooks recommends. */
export interface GameEvent {
  id: string;
  type: EventType | 'alerts.test';
  /** When the change became visible to Pro, ISO 8601 UTC. */
  timestamp: string;
  data: {
    game: string;
    title: string;
    build: string;
    released_at: string;
    note: string | null;
  } & (EventCorrection | { withdrawn_at: string; reason: string } | Changes);
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
  occurrence: Occurrence,
  game: GameBuilds,
  read: ReadFile,
  now: number,
): Promise<GameEvent> {
  const { id, type, due } = occurrence;
  type About = Pick<BuildEntry, 'build' | 'released_at'> & { note?: string | null };
  const make = (about: About, rest: object) => {
    const { build, released_at, note } = about;
    const texts = { title: cut(game.title), build, released_at, note: note ? cut(note) : null };
    const data = { game: game.slug, ...texts, ...rest } as GameEvent['data'];
    return { id, type, timestamp: new Date(due).toISOString(), data };
  };
  if (occurrence.type === 'build.withdrawn') {
    const { at, reason, ...about } = occurrence.withdrawal;
    return make(about, { withdrawn_at: at, reason: cut(reason) });
  }
  if (occurrence.type === 'build.amended') {
    const { entries, amendment } = occurrence;
    const summary = await summariseCorrection(entries, amendment, read);
    const about = { amended_at: amendment.at, reason: cut(amendment.reason) };
    const names = entries.map(({ build }) => build);
    return fit((limit) =>
      make(entries.at(-1) ?? entries[0], {
        ...{ ...about, builds: cutList(names, limit, (name) => name) },
        ...(summary && cutSummary(summary, limit)),
      }),
    );
  }
  const isNew = occurrence.type === 'game.added';
  const visible = game.builds.filter(({ released_at }) => Date.parse(released_at) <= now);
  const entry = (isNew ? visible.at(-1) : undefined) ?? occurrence.entry;
  const summary = await (isNew ? summariseFirst(entry, read) : summariseBuild(entry, read));
  return fit((limit) => make(entry, cutSummary(summary, limit)));
}

/** Makes an event whose lists are as long as fits. */
function fit(make: (limit: number) => GameEvent): GameEvent {
  for (let limit = MAX_LISTED; ; limit = Math.floor(limit / 2)) {
    const event = make(limit);
    if (limit === 0 || Buffer.byteLength(JSON.stringify(event)) < MAX_EVENT_BYTES) return event;
  }
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
