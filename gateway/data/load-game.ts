import { setImmediate } from 'node:timers/promises';
import type { Index, Manifest } from '../../scripts/format/dist-format.ts';
import { TIERS } from '../access/account.ts';
import { DistError, readManifest } from './dist-folder.ts';
import { buildLoader, type GameBuild, type LoadBuild } from './game-build.ts';

/** An hour in ms. */
export const HOUR = 3_600_000;
/** How long the tier that waits longest waits for a build. */
export const MAX_DELAY_MS = Math.max(...Object.values(TIERS).map(({ delayHours }) => delayHours)) * HOUR;

/** Returns the position of the first build that is loaded at a time: the current one of the tier with the longest delay. */
export function firstServed(builds: readonly { released_at: string }[], now: number): number {
  return currentAt(builds, now - MAX_DELAY_MS);
}

/** Returns the position of the newest released build at a time, in builds that are oldest first; 0 when none is released. */
export function currentAt(builds: readonly { released_at: string }[], moment: number): number {
  return Math.max(
    0,
    builds.findLastIndex((build) => isReleased(build, moment)),
  );
}

/** Returns whether a build is released at a moment, in ms since 1970. */
export function isReleased({ released_at }: { released_at: string }, moment: number): boolean {
  return Date.parse(released_at) <= moment;
}

/** A game in memory. */
export interface LoadedGame {
  slug: string;
  /** The SHA-256 of its manifest; undefined if the game could not be loaded whole. */
  sha256: string | undefined;
  /** Oldest first. */
  builds: readonly GameBuild[];
  /** Set if files were damaged and there was no whole state before: `builds` are then those that are whole. */
  damaged?: { manifest: Manifest | undefined };
}

/** What `loadGame` needs besides the place of the game. */
export interface LoadGameTerms {
  /** ms since 1970. */
  now: number;
  /** The game in the previous state. */
  before: LoadedGame | undefined;
  /** Whether there is no previous state. */
  isStart: boolean;
}

/** A game, and why it could not be loaded whole. */
interface Loaded {
  game: LoadedGame;
  failure?: DistError;
}

/** Loads a game of an index. When files are damaged, it keeps its state before; without one, the builds that are whole. */
export async function loadGame(
  folder: string,
  { slug, manifest: ref }: Index['games'][number],
  { now, before, isStart }: LoadGameTerms,
): Promise<Loaded> {
  const fallback = before && { ...before, sha256: undefined };
  const manifest = await orFailure(readManifest(folder, ref));
  if (manifest instanceof DistError) {
    // A running gateway did not show the game yet, so it is not missed.
    const unknown = {
      slug,
      sha256: undefined,
      builds: [],
      ...(isStart && { damaged: { manifest: undefined } }),
    };
    return { game: fallback ?? unknown, failure: manifest };
  }
  await setImmediate();
  const { builds, failure } = await loadBuilds(manifest, now, buildLoader(folder, before?.builds ?? []));
  if (!failure) return { game: { slug, sha256: ref.sha256, builds } };
  if (fallback && fallback.builds.length > 0 && !fallback.damaged) return { game: fallback, failure };
  return { game: { slug, sha256: undefined, builds, damaged: { manifest } }, failure };
}

/** Loads the builds that are or will become current; for one that is damaged, also the newest whole build before it. */
async function loadBuilds(
  manifest: Manifest,
  now: number,
  load: LoadBuild,
): Promise<{ builds: GameBuild[]; failure: DistError | undefined }> {
  const builds: GameBuild[] = [];
  let failure: DistError | undefined;
  const first = firstServed(manifest.builds, now);
  for (let at = first; at < manifest.builds.length; at++) {
    const loaded = await orFailure(load(manifest, at));
    if (!(loaded instanceof DistError)) builds.push(loaded);
    else {
      failure ??= loaded;
      if (at === first) builds.push(...(await loadWholeBefore(manifest, at, load)));
    }
  }
  return { builds, failure };
}

async function loadWholeBefore(manifest: Manifest, position: number, load: LoadBuild): Promise<GameBuild[]> {
  for (let at = position - 1; at >= 0; at--) {
    const loaded = await orFailure(load(manifest, at));
    if (!(loaded instanceof DistError)) return [loaded];
  }
  return [];
}

/** A bug that one game's data meets also fails this game alone. */
async function orFailure<T>(work: Promise<T>): Promise<T | DistError> {
  return await work.catch((error: unknown) =>
    error instanceof DistError ? error : new DistError(`cannot be loaded: ${(error as Error).stack}`),
  );
}
