import { setImmediate } from 'node:timers/promises';
import { type Index, keysOf } from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/system.ts';
import { TIERS, type Tier } from '../access/account.ts';
import { type DistError, readIndex } from './dist-folder.ts';
import type { GameBuild } from './game-build.ts';
import { currentAt, HOUR, type LoadedGame, loadGame, MAX_DELAY_MS } from './load-game.ts';
import { makeView, nextRelease, type View } from './view.ts';

/** A whole state of dist/ in memory. */
export interface Catalog {
  /** Returns what a tier sees at a time, in ms since 1970. A time up to two seconds before the last one counts as the last one. */
  viewAt(now: number, tier: Tier): View;
  /** The builds in memory: those that are, or will become, current for a tier. */
  readonly loaded: readonly GameBuild[];
  /** Returns a game in memory. */
  find(slug: string): LoadedGame | undefined;
  /** The games that could not be loaded whole, by slug. This state has their previous builds, or those that are whole. */
  readonly failures: ReadonlyMap<string, DistError>;
  /** Whether the clock was set back: then builds that are current again may be missing. */
  readonly isIncomplete: boolean;
}

/** How many games are loaded at once: one is read while another is prepared. */
const AT_ONCE = 2;
const DAY = 24 * HOUR;
/** A clock that goes back by less is only being adjusted. */
const MAX_SLEW_MS = 2000;

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
    if (before?.sha256 === manifest.sha256 && !previous?.isIncomplete) {
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
  return await withViews(new LoadedCatalog(games, failures, now), now);
}

/** Makes what each tier sees, in an event-loop tick each, so that no request has to. */
async function withViews(catalog: Catalog, now: number): Promise<Catalog> {
  for (const tier of keysOf(TIERS)) {
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
    const current = this.#views.get(tier);
    if (current && seen < current.until) return current.view;
    this.#drop();
    const view = makeView(this.#games, seen, this.#latest);
    // Ages are in days, so that a view ends with its UTC day.
    const lasts = DAY - (this.#latest % DAY);
    this.#views.set(tier, { view, until: Math.min(nextRelease(this.#games, seen), seen + lasts) });
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
