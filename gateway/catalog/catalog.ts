import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Index, Manifest } from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/lib/in-parallel.ts';
import { ATTRIBUTION, TERMS } from '../lib/about.ts';
import type { Tier } from '../plans/account.ts';
import { TIERS } from '../plans/tiers.ts';
import { DistError, readIndex, readManifest } from './dist-folder.ts';
import { buildLoader, type GameBuild, type LoadBuild } from './game-build.ts';

/** What a tier sees at a time: the current build of each game. */
export interface View {
  /** Identifies the view. A reference to the mark keeps no build in memory. */
  mark: symbol;
  games: ReadonlyMap<string, GameBuild>;
  /** The response of /api/games, and its tag for ETags. */
  gamesJson: Buffer;
  gamesTag: string;
}

/** A game in memory. */
export interface LoadedGame {
  slug: string;
  /** The SHA-256 of its manifest; undefined if the manifest could not be loaded, and these are the builds from before. */
  sha256: string | undefined;
  /** Oldest first. */
  builds: readonly GameBuild[];
}

/** A whole state of dist/ in memory. */
export interface Catalog {
  /** Returns what a tier sees at a time, in ms since 1970. A time up to two seconds before the last one counts as the last one. */
  viewAt(now: number, tier: Tier): View;
  /** The builds in memory: those that are, or will become, current for a tier. */
  readonly loaded: readonly GameBuild[];
  /** Returns a game in memory. */
  find(slug: string): LoadedGame | undefined;
  /** The games that could not be loaded, by slug. This state has their builds from the previous state, if any. */
  readonly failures: ReadonlyMap<string, DistError>;
  /** Whether the clock was set back: then builds that are current again may be missing. */
  readonly isIncomplete: boolean;
}

/** How many games are loaded at once: one is read while another is prepared. */
const AT_ONCE = 2;
const HOUR = 3_600_000;
/** A clock that goes back by less is only being adjusted. */
const MAX_SLEW_MS = 2000;
const MAX_DELAY_MS = Math.max(...Object.values(TIERS).map(({ delayHours }) => delayHours)) * HOUR;

/**
 * Loads the current state of a dist/ folder.
 *
 * @param now ms since 1970
 * @param previous the previous state: unchanged parts are shared with it
 * @throws DistError
 */
export async function openCatalog(folder: string, now: number, previous?: Catalog): Promise<Catalog> {
  return await loadCatalog(folder, await readIndex(folder), { now, previous });
}

/**
 * Loads a state whose files are in a dist/ folder. For each game it loads the build that is current for the tier with the longest delay, and
 * all later ones, so that a later build becomes current without a reload. Builds that no view shows as current any more are dropped. A game
 * that cannot be loaded keeps its previous state. Other requests have their turn between the steps.
 *
 * @param now ms since 1970
 * @param previous the previous state: unchanged parts are shared with it
 * @throws DistError when no game can be loaded
 */
export async function loadCatalog(
  folder: string,
  index: Index,
  { now, previous }: { now: number; previous: Catalog | undefined },
): Promise<Catalog> {
  const games: LoadedGame[] = [];
  const failures = new Map<string, DistError>();
  await inParallel([...index.games.entries()], AT_ONCE, async ([at, { slug, manifest }]) => {
    const { sha256 } = manifest;
    const before = previous?.find(slug);
    // After the clock was set back, builds that are current again may be missing.
    if (before?.sha256 === sha256 && !previous?.isIncomplete) {
      games[at] = before;
      return;
    }
    try {
      const load = buildLoader(folder, before?.builds ?? []);
      const read = await readManifest(folder, manifest);
      await setImmediate();
      const builds = await loadBuilds(read, now, load);
      games[at] = { slug, sha256, builds };
    } catch (error) {
      if (!(error instanceof DistError)) throw error;
      failures.set(slug, error);
      games[at] = { slug, sha256: undefined, builds: before?.builds ?? [] };
    }
  });
  const [first] = failures.values();
  if (first && failures.size === index.games.length) throw first;
  return await withViews(new LoadedCatalog(games, failures, now), now);
}

/** Makes what each tier sees, in an event-loop tick each, so that no request has to. */
async function withViews(catalog: Catalog, now: number): Promise<Catalog> {
  for (const tier of Object.keys(TIERS) as Tier[]) {
    await setImmediate();
    catalog.viewAt(now, tier);
  }
  return catalog;
}

/** It is a class because closures inside the loader would keep the previous state in memory. */
class LoadedCatalog implements Catalog {
  readonly failures: ReadonlyMap<string, DistError>;
  #games: readonly LoadedGame[];
  #views = new Map<Tier, { view: View; until: number }>();
  /** Made for the next state, when it is loaded. */
  #bySlug: Map<string, LoadedGame> | undefined;
  #latest: number;
  #isIncomplete = false;

  constructor(games: readonly LoadedGame[], failures: ReadonlyMap<string, DistError>, now: number) {
    this.#games = games;
    this.failures = failures;
    this.#latest = now;
  }

  get loaded(): readonly GameBuild[] {
    return this.#games.flatMap(({ builds }) => builds);
  }

  find(slug: string): LoadedGame | undefined {
    this.#bySlug ??= new Map(this.#games.map((game) => [game.slug, game]));
    return this.#bySlug.get(slug);
  }

  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  viewAt(moment: number, tier: Tier): View {
    if (moment > this.#latest) this.#latest = moment;
    else if (moment < this.#latest - MAX_SLEW_MS) this.#goBack(moment);
    const seen = this.#latest - TIERS[tier].delayHours * HOUR;
    const known = this.#views.get(tier);
    if (known && seen < known.until) return known.view;
    this.#drop();
    const view = makeView(this.#games, seen);
    this.#views.set(tier, { view, until: nextRelease(this.#games, seen) });
    return view;
  }

  /** Hides the builds again that are not yet released at the new time. */
  #goBack(moment: number): void {
    this.#latest = moment;
    this.#views = new Map();
    this.#isIncomplete = true;
  }

  #drop(): void {
    const since = this.#latest - MAX_DELAY_MS;
    this.#bySlug = undefined;
    this.#games = this.#games.map((game) => {
      const at = currentAt(game.builds, since);
      return at === 0 ? game : { ...game, builds: game.builds.slice(at) };
    });
  }
}

async function loadBuilds(manifest: Manifest, now: number, load: LoadBuild): Promise<GameBuild[]> {
  const loaded: GameBuild[] = [];
  for (let at = firstServed(manifest.builds, now); at < manifest.builds.length; at++) {
    loaded.push(await load(manifest, at));
  }
  return loaded;
}

/** Returns the position of the first build that is loaded at a time: the current one of the tier with the longest delay. */
export function firstServed(builds: readonly { released_at: string }[], now: number): number {
  return currentAt(builds, now - MAX_DELAY_MS);
}

/** Returns the position of the newest released build at a time, in builds that are oldest first; 0 when none is released. */
function currentAt(builds: readonly { released_at: string }[], moment: number): number {
  return Math.max(
    0,
    builds.findLastIndex((build) => isReleased(build, moment)),
  );
}

function isReleased({ released_at }: { released_at: string }, moment: number): boolean {
  return Date.parse(released_at) <= moment;
}

function nextRelease(games: readonly LoadedGame[], moment: number): number {
  const coming = games.flatMap(({ builds }) => builds.filter((build) => !isReleased(build, moment)));
  return Math.min(...coming.map(({ released_at }) => Date.parse(released_at)));
}

function makeView(games: readonly LoadedGame[], moment: number): View {
  const visible = games.flatMap(({ builds }) => builds.findLast((build) => isReleased(build, moment)) ?? []);
  const gamesJson = listGames(visible);
  const gamesTag = createHash('sha256').update(gamesJson).digest('hex');
  return { mark: Symbol(), games: new Map(visible.map((game) => [game.slug, game])), gamesJson, gamesTag };
}

function listGames(games: readonly GameBuild[]): Buffer {
  const opening = JSON.stringify({ total: games.length, attribution: ATTRIBUTION, terms: TERMS }).slice(
    0,
    -1,
  );
  return Buffer.from(`${opening},"games":[${games.map(({ listing }) => listing).join()}]}`);
}
