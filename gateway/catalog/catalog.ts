import { createHash } from 'node:crypto';
import type { Index, Manifest } from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/lib/in-parallel.ts';
import { ATTRIBUTION, TERMS } from '../lib/about.ts';
import type { Tier } from '../plans/account.ts';
import { TIERS } from '../plans/tiers.ts';
import { readIndex, readManifest } from './dist-folder.ts';
import { buildLoader, type GameBuild, type LoadBuild } from './game-build.ts';

/** What can be seen at a moment: of each game its current build. */
export interface View {
  /** Stands for the view: who keeps it keeps nothing of the builds. */
  mark: symbol;
  games: ReadonlyMap<string, GameBuild>;
  /** The answer to /api/games, and what stands for it in ETags. */
  gamesJson: Buffer;
  gamesTag: string;
}

/** A whole state of dist/ in memory. */
export interface Catalog {
  /** What a tier sees at a moment, in ms since 1970; moments never go back. */
  viewAt(now: number, tier: Tier): View;
  /** The builds that are in memory: those that are or will be current to some tier. */
  readonly loaded: readonly GameBuild[];
}

/** How many games are loaded at once: the next is read while one is made ready. */
const AT_ONCE = 2;
const HOUR = 3_600_000;
const LONGEST_DELAY = Math.max(...Object.values(TIERS).map(({ delayHours }) => delayHours)) * HOUR;

/**
 * Loads what is current in a dist/ folder.
 *
 * @param now ms since 1970
 * @param previous the state before: what is the same is shared with it
 * @throws DistError
 */
export async function openCatalog(folder: string, now: number, previous?: Catalog): Promise<Catalog> {
  return await loadCatalog(folder, await readIndex(folder), { now, previous });
}

/**
 * Loads a state whose files are in a dist/ folder: of each game the build that is current to the tier that waits longest, and all later
 * ones, so that every view moves on by itself. Builds that no view has as current any more are forgotten.
 *
 * @param now ms since 1970
 * @param previous the state before: what is the same is shared with it
 * @throws DistError
 */
export async function loadCatalog(
  folder: string,
  index: Index,
  { now, previous }: { now: number; previous: Catalog | undefined },
): Promise<Catalog> {
  const load = buildLoader(folder, previous?.loaded ?? []);
  const games: GameBuild[][] = [];
  await inParallel([...index.games.entries()], AT_ONCE, async ([at, { manifest }]) => {
    games[at] = await loadBuilds(await readManifest(folder, manifest), now - LONGEST_DELAY, load);
  });
  return createCatalog(games, now);
}

/**
 * A function of its own: closures made beside the loader would keep what it knows, which is the state before.
 *
 * @param loaded the builds of each game, oldest first
 */
function createCatalog(loaded: readonly GameBuild[][], now: number): Catalog {
  let games = loaded;
  const views = new Map<Tier, { view: View; until: number }>();
  let latest = now;
  return {
    viewAt(moment, tier) {
      latest = Math.max(latest, moment);
      const seen = latest - TIERS[tier].delayHours * HOUR;
      const known = views.get(tier);
      if (known && seen < known.until) return known.view;
      games = games.map((builds) => builds.slice(currentAt(builds, latest - LONGEST_DELAY)));
      const view = makeView(games, seen);
      views.set(tier, { view, until: nextRelease(games, seen) });
      return view;
    },
    get loaded() {
      return games.flat();
    },
  };
}

async function loadBuilds(manifest: Manifest, since: number, load: LoadBuild): Promise<GameBuild[]> {
  const loaded: GameBuild[] = [];
  for (let at = currentAt(manifest.builds, since); at < manifest.builds.length; at++) {
    loaded.push(await load(manifest, at));
  }
  return loaded;
}

/** The position of the newest of some builds, oldest first, that is released at a moment; 0 where none is. */
function currentAt(builds: readonly { released_at: string }[], moment: number): number {
  return Math.max(
    0,
    builds.findLastIndex((build) => isReleased(build, moment)),
  );
}

function isReleased({ released_at }: { released_at: string }, moment: number): boolean {
  return Date.parse(released_at) <= moment;
}

function nextRelease(games: readonly GameBuild[][], moment: number): number {
  const coming = games.flatMap((builds) => builds.filter((build) => !isReleased(build, moment)));
  return Math.min(...coming.map(({ released_at }) => Date.parse(released_at)));
}

function makeView(games: readonly GameBuild[][], moment: number): View {
  const visible = games.flatMap((builds) => builds.findLast((build) => isReleased(build, moment)) ?? []);
  const gamesJson = listGames(visible);
  const gamesTag = createHash('sha256').update(gamesJson).digest('hex');
  return { mark: Symbol(), games: new Map(visible.map((game) => [game.slug, game])), gamesJson, gamesTag };
}

function listGames(games: readonly GameBuild[]): Buffer {
  return Buffer.from(
    JSON.stringify({
      total: games.length,
      attribution: ATTRIBUTION,
      terms: TERMS,
      games: games.map(({ slug, title, build, released_at, builds, roster, datasets }) => ({
        slug,
        title,
        build,
        released_at,
        counts: { characters: roster.count, datasets: datasets.size, builds: builds.length },
        datasets: [...datasets.keys()],
      })),
    }),
  );
}
