import { createHash } from 'node:crypto';
import type { Amendment, BuildEntry } from '../../../scripts/format/dist-format.ts';

/** The kinds of events: a new game, a further build of a game, a correction of a build. */
export type EventType = 'game.added' | 'build.released' | 'build.amended';

/** A game as its manifest describes it, with its builds, the oldest first. */
export interface GameBuilds {
  slug: string;
  title: string;
  builds: readonly BuildEntry[];
}

/** Something that happens to a game at a certain time, derived from its manifest. */
export interface Occurrence {
  /** A UUID derived from the content, so that it is the same in every gateway. */
  id: string;
  type: EventType;
  slug: string;
  /** When the change becomes visible to Pro, ms since 1970. */
  due: number;
  entry: BuildEntry;
  /** Only with `build.amended`. */
  amendment?: Amendment;
}

/** Lists all occurrences of a game, including those of embargoed builds. The first build adds the game, each later one is a release. */
export function occurrencesOf({ slug, builds }: GameBuilds): Occurrence[] {
  return builds.flatMap((entry, index) => {
    const released = Date.parse(entry.released_at);
    const type = index === 0 ? 'game.added' : 'build.released';
    return [
      { id: makeId(type, slug, index === 0 ? '' : entry.build), type, slug, due: released, entry },
      ...entry.amended.map((amendment): Occurrence => {
        const id = makeId('build.amended', slug, entry.build, amendment.at, amendment.reason);
        const due = Math.max(released, Date.parse(amendment.at));
        return { id, type: 'build.amended', slug, due, entry, amendment };
      }),
    ];
  });
}

/** Makes a UUID of version 8 (RFC 9562, 5.8) from a SHA-256. */
function makeId(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  hash.writeUInt8(0x80 | (hash.readUInt8(6) & 0x0f), 6);
  hash.writeUInt8(0x80 | (hash.readUInt8(8) & 0x3f), 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
