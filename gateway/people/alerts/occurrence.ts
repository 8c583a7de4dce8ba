import { createHash } from 'node:crypto';
import type { Amendment, BuildEntry } from '../../../scripts/format/dist-format.ts';

/** What an alert can be about: a game that is new, a further build of a game, a correction of a build. */
export type EventType = 'game.added' | 'build.released' | 'build.amended';

/** A game as dist/ names it: its builds, oldest first. */
export interface NamedGame {
  slug: string;
  title: string;
  builds: readonly BuildEntry[];
}

/** That something happens to a game at a time, as its manifest tells. */
export interface Occurrence {
  /** A UUID made of what happens, the same in every gateway. */
  id: string;
  type: EventType;
  slug: string;
  /** When it becomes visible to Pro, ms since 1970. */
  due: number;
  entry: BuildEntry;
  /** Of `build.amended`. */
  amendment?: Amendment;
}

/** Tells all that happens to a game, embargoed builds included: the first build adds the game, the others are released. */
export function occurrencesOf({ slug, builds }: NamedGame): Occurrence[] {
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

/** A UUID of version 8 (RFC 9562, 5.8): bits of a SHA-256. */
function makeId(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  hash.writeUInt8(0x80 | (hash.readUInt8(6) & 0x0f), 6);
  hash.writeUInt8(0x80 | (hash.readUInt8(8) & 0x3f), 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
