import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type BuildEntry,
  factsOf,
  type GameFacts,
  type Index,
  keysOf,
  type Manifest,
} from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/system.ts';
import { type Tier, TIERS } from '../access/account.ts';
import { ATTRIBUTION, HttpProblem, quote, suggest, TERMS, unavailable } from '../http/problem.ts';
import { type DistError, readIndex } from './dist-files.ts';
import {
  currentAt,
  type GameBuild,
  HOUR,
  isReleased,
  listGame,
  type LoadedGame,
  loadGame,
  MAX_DELAY_MS,
} from './game-build.ts';

const DAY = 24 * HOUR;

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
function makeView(loaded: readonly LoadedGame[], moment: number, now = moment): View {
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
    visible.map(({ slug, listing, successor = '', other_regions = [], cadence_days }) => {
      const builds = games.get(slug)?.builds;
      const [visibleSuccessor] = onlyVisible([successor]);
      const regions = onlyVisible(other_regions);
      const named = JSON.stringify({
        successor: visibleSuccessor,
        regions: regions.length > 0 ? regions : undefined,
        ...(builds && describeFreshness(builds, cadence_days, now)),
      });
      return named === '{}' ? listing : `${listing.slice(0, -1)},${named.slice(1)}`;
    }),
  );
  const gamesTag = createHash('sha256').update(gamesJson).digest('hex');
  const isPartial = loaded.some(({ damaged }) => damaged && !damaged.manifest);
  return { mark: Symbol(), now, games, lost, behind, isPartial, gamesJson, gamesTag };
}

/** How fresh the newest of some builds is. */
export interface Freshness {
  /** How many UTC days ago it was released. */
  age_days: number;
  /** How many days usually pass between two patches: what the game's maintainers say, or the median of the last builds; null if neither is known. */
  cadence_days: number | null;
  /** How many days ago the next patch after the one that the characters are of was usual; 0 if it still is to come, null if no cadence is known. */
  behind_days: number | null;
}

/** How many of the last intervals are looked at. */
const LAST_INTERVALS = 12;
/** One interval is no habit. */
const MIN_INTERVALS = 2;

/**
 * Describes how fresh the newest of some builds is. When a build came to this gateway is not known, nor what the source of the game has
 * released since: dist/ has no clock.
 *
 * @param builds oldest first, at least one
 * @param known how many days usually pass between two patches of the game
 * @param now ms since 1970
 */
export function describeFreshness(
  builds: readonly BuildEntry[],
  known: number | undefined,
  now: number,
): Freshness {
  const times = builds.map(({ released_at }) => Date.parse(released_at));
  const intervals = times.map((time, at) => time - (times[at - 1] ?? time)).slice(1);
  const last = intervals.slice(-LAST_INTERVALS).sort((a, b) => a - b);
  const middle = (last[(last.length - 1) >> 1] ?? 0) + (last[last.length >> 1] ?? 0);
  const usual = last.length < MIN_INTERVALS ? null : Math.round(middle / 2 / DAY) || null;
  const cadence = known ?? usual;
  const ageOf = (time: number) => Math.max(0, Math.floor(now / DAY) - Math.floor(time / DAY));
  const newest = builds.at(-1);
  const characters = newest ? Date.parse(newest.as_of?.characters ?? newest.released_at) : 0;
  return {
    age_days: ageOf(times.at(-1) ?? 0),
    cadence_days: cadence,
    behind_days: cadence === null ? null : Math.max(0, ageOf(characters) - cadence),
  };
}

/** Returns when the next build is released that a view does not show yet, in ms since 1970. */
function nextRelease(games: readonly LoadedGame[], moment: number): number {
  const entries = games.flatMap(({ builds, damaged }) => [...builds, ...(damaged?.manifest?.builds ?? [])]);
  const coming = entries.filter((build) => !isReleased(build, moment));
  return Math.min(...coming.map(({ released_at }) => Date.parse(released_at)));
}

/** Describes the newest released build of a manifest, without its files. */
function listReleased(manifest: Manifest, moment: number): (LostGame & { build: string }) | undefined {
  const at = manifest.builds.findLastIndex((build) => isReleased(build, moment));
  const entry = manifest.builds[at];
  if (!entry) return undefined;
  return {
    ...factsOf(manifest),
    slug: manifest.slug,
    build: entry.build,
    listing: listGame(manifest, manifest.builds.slice(0, at + 1)),
  };
}

function listGames(listings: readonly string[]): Buffer {
  const head = { total: listings.length, attribution: ATTRIBUTION, terms: TERMS };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"games":[${listings.join()}]}`);
}

/** How many games are loaded at once: one is read while another is prepared. */
const AT_ONCE = 2;
/** A clock that goes back by less is only being adjusted. */
const MAX_SLEW_MS = 2000;

/** Loads the current state of a dist/ folder, as `loadCatalog` does. @throws DistError */
export async function openCatalog(folder: string, now: number, previous?: Catalog): Promise<Catalog> {
  return await loadCatalog(folder, await readIndex(folder), { now, previous });
}

/**
 * Loads a state whose files are in a dist/ folder. For each game it loads the build that is current for the tier with the longest delay, the
 * later ones that are released, and the next, so that it becomes current without a reload. Builds that no view shows as current any more are dropped. A game
 * that cannot be loaded keeps its previous state; at a start, its whole builds are loaded. Other requests have their turn between the steps.
 *
 * @param now ms since 1970
 * @param previous the previous state: unchanged parts are shared with it
 * @throws DistError when no build of any game can be loaded
 */
export async function loadCatalog(
  folder: string,
  index: Index,
  { now, previous }: { now: number; previous: Catalog | undefined },
): Promise<Catalog> {
  const games: LoadedGame[] = [];
  const failures = new Map<string, DistError>();
  await inParallel([...index.games.entries()], AT_ONCE, async ([at, { slug, manifest }]) => {
    const before = previous?.find(slug);
    // After the clock was set back, builds that are current again may be missing.
    if (before?.sha256 === manifest.sha256 && !previous?.isIncompleteAt(now)) {
      games[at] = before;
      return;
    }
    const isStart = previous === undefined;
    const { game, failure } = await loadGame(folder, { slug, manifest }, { now, before, isStart });
    games[at] = game;
    if (failure) failures.set(slug, failure);
  });
  const [first] = failures.values();
  const isUseless = ({ builds, damaged }: LoadedGame) => (previous ? !damaged : builds.length === 0);
  if (first && failures.size === index.games.length && games.every(isUseless)) throw first;
  const catalog = new Catalog(games, failures, now);
  // What each tier sees is made in an event-loop tick each, so that no request has to.
  for (const tier of keysOf(TIERS)) {
    await setImmediate();
    catalog.viewAt(now, tier);
  }
  return catalog;
}

/** A whole state of dist/ in memory. It is a class because closures inside the loader would keep the previous state in memory. */
export class Catalog {
  /** The games that could not be loaded whole, by slug. This state has their previous builds, or those that are whole. */
  readonly failures: ReadonlyMap<string, DistError>;
  #games: readonly LoadedGame[];
  #views = new Map<Tier, { view: View; until: number }>();
  #latest: number;
  #isIncomplete = false;

  constructor(games: readonly LoadedGame[], failures: ReadonlyMap<string, DistError>, now: number) {
    this.#games = games;
    this.failures = failures;
    this.#latest = now;
  }

  /** The builds in memory: those that are, or will become, current for a tier. */
  get loaded(): readonly GameBuild[] {
    return this.#games.flatMap(({ builds }) => builds);
  }

  /** Returns a game in memory. */
  find(slug: string): LoadedGame | undefined {
    return this.#games.find((game) => game.slug === slug);
  }

  /** Whether builds may be missing that are to be loaded now: the clock was set back, or the last loaded build of a game is released. */
  isIncompleteAt(now: number): boolean {
    const isOver = ({ builds, hasMore }: LoadedGame) =>
      hasMore && builds.every((build) => isReleased(build, now));
    return this.#isIncomplete || this.#games.some(isOver);
  }

  /** Returns what a tier sees at a time, in ms since 1970. A time up to two seconds before the last one counts as the last one. */
  viewAt(moment: number, tier: Tier): View {
    if (moment > this.#latest) this.#latest = moment;
    else if (moment < this.#latest - MAX_SLEW_MS) {
      // Builds are hidden again that are not yet released at the new time.
      this.#latest = moment;
      this.#views.clear();
      this.#isIncomplete = true;
    }
    const seen = this.#latest - TIERS[tier].delayHours * HOUR;
    const current = this.#views.get(tier);
    if (current && seen < current.until) return current.view;
    this.#dropOld();
    const view = makeView(this.#games, seen, this.#latest);
    // Ages are in days, so that a view ends with its UTC day.
    const lasts = DAY - (this.#latest % DAY);
    this.#views.set(tier, { view, until: Math.min(nextRelease(this.#games, seen), seen + lasts) });
    return view;
  }

  #dropOld(): void {
    const since = this.#latest - MAX_DELAY_MS;
    this.#games = this.#games.map((game) => {
      const at = currentAt(game.builds, since);
      return at === 0 ? game : { ...game, builds: game.builds.slice(at) };
    });
  }
}

/** Returns a game of a view. @throws HttpProblem `unknown-game`, or `unavailable` if its files are damaged */
export function gameIn(view: View, slug: string): GameBuild {
  const game = view.games.get(slug);
  if (game) return game;
  if (isLost(view, slug)) throw unavailable('the data of this game cannot be read right now');
  throw new HttpProblem(
    'unknown-game',
    `there is no game ${quote(slug)}${suggest(slug, view.games.keys())}; /api/games lists all`,
  );
}

/** @throws HttpProblem `unknown-game`, or `unavailable` if the files of the game are damaged */
export function findGame({
  view,
  params,
}: {
  view: View;
  params: Readonly<Record<string, string>>;
}): GameBuild {
  return gameIn(view, params.game ?? '');
}
