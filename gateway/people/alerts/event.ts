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
  const about = (type === 'game.added' && all.findLast(isVisible)) || (builds.at(-1) as BuildEntry | Withdrawal);
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
