// The catalog: one state of dist/ in memory, and the view of each tier.
// For each game it loads the build that is current for the tier with the longest delay, the released builds after it, and the next one, so that a
// release becomes visible without a reload. Builds that no view shows any more are dropped.
// A game that cannot be loaded keeps its previous state; at the start, an undamaged build is loaded. Unchanged games are shared with the previous
// state.
// A view lasts until the next release or the end of its UTC day, because ages are in days. If the clock is set back by more than two seconds, builds
// are hidden again until their release, and the state is loaded anew.
import { hash } from 'node:crypto';
import type { BuildEntry } from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/system.ts';
import { DAY_MS, dayOf, HOUR_MS, TIERS, type Tier } from '../access/account.ts';
import { ATTRIBUTION, HttpProblem, quote, suggest, TERMS, unavailable } from '../http/problem.ts';
import { type DistError, readIndex } from './dist-files.ts';
import {
  currentAt,
  type GameBuild,
  isReleased,
  type LoadedGame,
  loadGame,
  MAX_DELAY_MS,
} from './game-build.ts';

/** The data that a tier sees at a time: the current build of each game. */
export interface View {
  /** Identifies the view. A reference to the mark keeps no build in memory. */
  mark: symbol;
  /** When it was made, ms since 1970. It is shown only on that UTC day. */
  now: number;
  games: ReadonlyMap<string, GameBuild>;
  /** The released games of which no build could be loaded; requests for them are refused. */
  lost: ReadonlySet<string>;
  /** The response of /api/games, with its tag. */
  gamesJson: Buffer;
  gamesTag: string;
}

/** Makes the view of a tier: the builds released at `moment`, which is `now` minus the delay of the tier. Both are in ms since 1970. */
function makeView(loaded: readonly LoadedGame[], moment: number, now: number): View {
  const games = new Map<string, GameBuild>();
  const lost = new Set<string>();
  for (const { slug, builds, since } of loaded) {
    const build = builds.findLast((each) => isReleased(each, moment));
    if (build) games.set(slug, build);
    else if (since !== undefined && isReleased({ released_at: since }, moment)) lost.add(slug);
  }
  const listings = [...games.values()].map(
    ({ listing, successor = '', other_regions = [], cadence_days = null, builds }) => {
      // A game outside the view is not named either.
      const regions = other_regions.filter((slug) => games.has(slug));
      const named = JSON.stringify({
        successor: games.has(successor) ? successor : undefined,
        regions: regions.length > 0 ? regions : undefined,
        ...describeFreshness(builds, cadence_days, now),
      });
      return `${listing.slice(0, -1)},${named.slice(1)}`;
    },
  );
  const head = JSON.stringify({ total: listings.length, attribution: ATTRIBUTION, terms: TERMS });
  const gamesJson = Buffer.from(`${head.slice(0, -1)},"games":[${listings.join()}]}`);
  return { mark: Symbol(), now, games, lost, gamesJson, gamesTag: hash('sha256', gamesJson) };
}

/**
 * Describes how recent the newest of some builds is: `age_days` since its release, in UTC days, and by how many days the next patch is overdue. It
 * cannot say when a build came to this gateway, or what the game's source has released since: dist/ has no clock.
 *
 * @param builds oldest first, at least one
 * @param cadence the usual number of days between two patches, as the game's maintainers state it; null if unknown
 * @param now ms since 1970
 */
function describeFreshness(builds: readonly BuildEntry[], cadence: number | null, now: number) {
  const ageOf = (time: string) => Math.max(0, dayOf(now) - dayOf(Date.parse(time)));
  const { released_at, as_of } = builds.at(-1) as BuildEntry;
  const behind = cadence === null ? null : Math.max(0, ageOf(as_of?.characters ?? released_at) - cadence);
  return { age_days: ageOf(released_at), cadence_days: cadence, behind_days: behind };
}

/** Returns when the next build becomes visible in a view, in ms since 1970. */
function nextRelease(games: readonly LoadedGame[], moment: number): number {
  const times = games.flatMap(({ builds, since }) => [since, ...builds.map((build) => build.released_at)]);
  return Math.min(...times.map((time) => Date.parse(time ?? '')).filter((time) => time > moment));
}

/** How many games are loaded at once: one is read while another is prepared. */
const AT_ONCE = 2;
/** A clock that goes back by less is only being adjusted. */
const MAX_SLEW_MS = 2000;

/**
 * Loads the current state of a dist/ folder; the head of this file describes it. Between the steps, other requests are served.
 *
 * @param now ms since 1970
 * @param previous the previous state: unchanged parts are shared with it
 * @throws DistError when no build of any game can be loaded
 */
export async function openCatalog(folder: string, now: number, previous?: Catalog): Promise<Catalog> {
  const index = await readIndex(folder);
  const games: LoadedGame[] = [];
  const failures = new Map<string, DistError>();
  await inParallel([...index.games.entries()], AT_ONCE, async ([at, entry]) => {
    const before = previous?.find(entry.slug);
    // If the clock was set back, builds that are current again may have been dropped.
    if (before?.sha256 === entry.manifest.sha256 && !previous?.isIncompleteAt(now)) {
      games[at] = before;
      return;
    }
    const { game, failure } = await loadGame(folder, entry, now, before);
    games[at] = game;
    if (failure) failures.set(entry.slug, failure);
  });
  const [first] = failures.values();
  const isUseless = previous !== undefined || games.every(({ builds }) => builds.length === 0);
  if (first && failures.size === index.games.length && isUseless) throw first;
  return new Catalog(games, failures, now);
}

/** A complete state of dist/ in memory. A class, because closures in the loader would keep the previous state in memory. */
export class Catalog {
  /** The games that could not be loaded completely, by slug. They are served from their previous builds, or from their undamaged ones. */
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

  /** The builds in memory: those that are current for a tier, or will be. */
  get loaded(): readonly GameBuild[] {
    return this.#games.flatMap(({ builds }) => builds);
  }

  /** Returns a game in memory. */
  find(slug: string): LoadedGame | undefined {
    return this.#games.find((game) => game.slug === slug);
  }

  /** Whether a reload is needed: the clock was set back, or the last loaded build of a game has been released. */
  isIncompleteAt(now: number): boolean {
    const isOver = ({ builds, hasMore }: LoadedGame) =>
      hasMore && builds.every((build) => isReleased(build, now));
    return this.#isIncomplete || this.#games.some(isOver);
  }

  /** Returns what a tier sees at a time, in ms since 1970. A time up to two seconds before the latest one counts as the latest. */
  viewAt(moment: number, tier: Tier): View {
    if (moment > this.#latest) this.#latest = moment;
    else if (moment < this.#latest - MAX_SLEW_MS) {
      // Builds that are not released yet at the new time are hidden.
      this.#latest = moment;
      this.#views.clear();
      this.#isIncomplete = true;
    }
    const seen = this.#latest - TIERS[tier].delayHours * HOUR_MS;
    const current = this.#views.get(tier);
    if (current && seen < current.until) return current.view;
    const shown = this.#latest - MAX_DELAY_MS;
    this.#games = this.#games.map((game) => ({
      ...game,
      builds: game.builds.slice(currentAt(game.builds, shown)),
    }));
    const view = makeView(this.#games, seen, this.#latest);
    // Ages are in days, so a view ends with its UTC day.
    const lasts = DAY_MS - (this.#latest % DAY_MS);
    this.#views.set(tier, { view, until: Math.min(nextRelease(this.#games, seen), seen + lasts) });
    return view;
  }
}

/** @throws HttpProblem `unknown-game`, or `unavailable` if the game's files are damaged */
export function gameIn({ games, lost }: View, slug = ''): GameBuild {
  const game = games.get(slug);
  if (game) return game;
  if (lost.has(slug)) throw unavailable('the data of this game cannot be read right now');
  const detail = `there is no game ${quote(slug)}${suggest(slug, games.keys())}; /api/games lists all`;
  throw new HttpProblem('unknown-game', detail);
}

/** Like `gameIn`, for the game in the path of a request. */
export function findGame(asked: { view: View; params: Readonly<Record<string, string>> }): GameBuild {
  return gameIn(asked.view, asked.params.game);
}
