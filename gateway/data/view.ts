import { createHash } from 'node:crypto';
import type { GameFacts, Manifest } from '../../scripts/format/dist-format.ts';
import { ATTRIBUTION, TERMS } from '../http/about.ts';
import { factsOf, type GameBuild, listGame } from './game-build.ts';
import { isReleased, type LoadedGame } from './load-game.ts';

/** A game that a tier sees, and no build of which can be served. */
type LostGame = GameFacts & Pick<GameBuild, 'slug' | 'listing'>;

/** What a tier sees at a time: the current build of each game. */
export interface View {
  /** Identifies the view. A reference to the mark keeps no build in memory. */
  mark: symbol;
  /** When it was made, ms since 1970; on the same UTC day it is shown. */
  now: number;
  games: ReadonlyMap<string, GameBuild>;
  /** The games whose files are damaged, so that requests for them have to be refused. */
  lost: ReadonlyMap<string, LostGame>;
  /** The slugs of `games` of which a newer build is released, but damaged. */
  behind: ReadonlySet<string>;
  /** Whether manifests are damaged: then nobody knows which other games there are. */
  isPartial: boolean;
  /** The response of /api/games, and its tag for ETags. It lists `lost`, too. */
  gamesJson: Buffer;
  gamesTag: string;
}

/** Returns whether there is, or may be, a game of this name whose files are damaged. */
export function isLost({ games, lost, isPartial }: View, slug: string): boolean {
  return lost.has(slug) || (isPartial && !games.has(slug));
}

/** Makes what a tier sees now that sees what was released at a moment, both in ms since 1970. */
export function makeView(loaded: readonly LoadedGame[], moment: number, now = moment): View {
  const games = new Map<string, GameBuild>();
  const lost = new Map<string, LostGame>();
  const behind = new Set<string>();
  const visible: LostGame[] = [];
  for (const { slug, builds, damaged } of loaded) {
    const build = builds.findLast((each) => isReleased(each, moment));
    const released = damaged?.manifest && listReleased(damaged.manifest, moment);
    if (build) games.set(slug, build);
    else if (released) lost.set(slug, released);
    if (build && released && released.build !== build.build) behind.add(slug);
    const current = build ?? released;
    if (current) visible.push(current);
  }
  // A game that the view does not show is not named either.
  const onlyVisible = (slugs: readonly string[]) => slugs.filter((slug) => games.has(slug) || lost.has(slug));
  const gamesJson = listGames(
    visible.map(({ listing, successor = '', other_regions = [] }) => {
      const [visibleSuccessor] = onlyVisible([successor]);
      const regions = onlyVisible(other_regions);
      const named = JSON.stringify({
        successor: visibleSuccessor,
        regions: regions.length > 0 ? regions : undefined,
      });
      return named === '{}' ? listing : `${listing.slice(0, -1)},${named.slice(1)}`;
    }),
  );
  const gamesTag = createHash('sha256').update(gamesJson).digest('hex');
  const isPartial = loaded.some(({ damaged }) => damaged && !damaged.manifest);
  return { mark: Symbol(), now, games, lost, behind, isPartial, gamesJson, gamesTag };
}

/** Returns when the next build is released that a view does not show yet, in ms since 1970. */
export function nextRelease(games: readonly LoadedGame[], moment: number): number {
  const entries = games.flatMap(({ builds, damaged }) => [...builds, ...(damaged?.manifest?.builds ?? [])]);
  const coming = entries.filter((build) => !isReleased(build, moment));
  return Math.min(...coming.map(({ released_at }) => Date.parse(released_at)));
}

/** Describes the newest released build of a manifest, without its files. */
function listReleased(manifest: Manifest, moment: number): (LostGame & { build: string }) | undefined {
  const at = manifest.builds.findLastIndex((build) => isReleased(build, moment));
  const entry = manifest.builds[at];
  if (!entry) return undefined;
  return { ...factsOf(manifest), build: entry.build, listing: listGame(manifest, entry, at + 1) };
}

function listGames(listings: readonly string[]): Buffer {
  const head = { total: listings.length, attribution: ATTRIBUTION, terms: TERMS };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"games":[${listings.join()}]}`);
}
