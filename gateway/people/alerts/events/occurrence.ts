import { createHash } from 'node:crypto';
import type { Amendment, BuildEntry, Withdrawal } from '../../../../scripts/format/dist-format.ts';

/** The kinds of events: a new game, a further build of a game, a correction of builds, a build that was removed. */
export type EventType = 'game.added' | 'build.released' | 'build.amended' | 'build.withdrawn';

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
