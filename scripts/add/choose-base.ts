import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../lib/command-error.ts';
import type { FoundBuild } from '../read/read-game.ts';

/** Where a dump goes: into a new build after the newest one, or beside what the newest one has already. */
export interface Base {
  /** The builds whose files are present, oldest first. */
  builds: FoundBuild[];
  /** The build that the dump is added to; undefined for a new one. */
  existing: FoundBuild | undefined;
  /** Of the build, new or not; ISO 8601 in UTC. */
  released_at: string;
}

/** What was asked for. */
export interface Wanted {
  /** The game's folder. */
  game: string;
  build: string;
  /** `''` for the whole build. */
  into: string;
  /** ISO 8601 in UTC; undefined where nothing was said. */
  released_at: string | undefined;
  note: string | undefined;
}

/**
 * Finds the place of a dump in a game's history. Only its end is one: later builds inherit from those before them, so that a build in
 * the middle would change each of them in silence.
 *
 * @param builds of the game, oldest first
 * @param now ISO 8601 in UTC, to the second
 * @throws CommandError when the build cannot be added
 */
export async function chooseBase(builds: FoundBuild[], wanted: Wanted, now: string): Promise<Base> {
  const newest = builds.at(-1);
  const existing = builds.find(({ build }) => build === wanted.build);
  if (existing) {
    await refuseUnlessFree(existing, newest, wanted);
    return { builds, existing, released_at: existing.released_at };
  }
  const folder = path.posix.join(wanted.game, wanted.build);
  if (await exists(folder))
    throw new CommandError(`${folder} is there and is no build: remove it, or choose another name`);
  const released_at = wanted.released_at ?? now;
  if (newest && Date.parse(released_at) <= Date.parse(newest.released_at)) {
    throw new CommandError(
      `${released_at} is not after ${newest.released_at}, the release of ${newest.build}: later builds inherit from those before, so builds are added oldest first; give a later --released-at, or put the build there by hand`,
    );
  }
  return { builds, existing: undefined, released_at };
}

async function refuseUnlessFree(
  { build, folder }: FoundBuild,
  newest: FoundBuild | undefined,
  { into, released_at, note }: Wanted,
): Promise<void> {
  if (into === '') {
    throw new CommandError(
      `${folder} is there: choose another name, or add another region's dump to it by --into <sub-folder>; to take the dump anew, remove the folder first`,
    );
  }
  if (build !== newest?.build) {
    throw new CommandError(
      `${build} is not the newest build, which is ${newest?.build}: later builds inherit from it, so nothing is added to it any more`,
    );
  }
  if (await exists(path.join(folder, into))) {
    throw new CommandError(`${folder}/${into} is there: remove it first, to take the dump anew`);
  }
  if (released_at !== undefined || note !== undefined) {
    throw new CommandError(`${folder}/build.json is there: leave out --released-at and --note`, 2);
  }
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}
