import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../lib/command-error.ts';
import type { FoundBuild } from '../read/read-game.ts';

/** The build that a dump goes into: a new one after the newest, or the newest itself. */
export interface Base {
  /** The builds whose files are present, oldest first. */
  builds: FoundBuild[];
  /** The existing build that the dump is added to; undefined for a new build. */
  existing: FoundBuild | undefined;
  /** The release of the new or existing build, ISO 8601 in UTC. */
  released_at: string;
}

/** Where to add a dump, and what is known about the build. */
export interface AddOptions {
  /** The game's folder. */
  game: string;
  build: string;
  /** The sub-folder to add the dump to; `''` for the whole build. */
  into: string;
  /** ISO 8601 in UTC; undefined when not given. */
  released_at: string | undefined;
  note: string | undefined;
}

/**
 * Chooses the build that a dump goes into: only at the end of a game's history. Builds inherit from earlier ones, so a build in the middle
 * would silently change all later ones.
 *
 * @param builds of the game, oldest first
 * @param now ISO 8601 in UTC, to the second
 * @throws CommandError when the build cannot be added
 */
export async function chooseBase(builds: FoundBuild[], options: AddOptions, now: string): Promise<Base> {
  const newest = builds.at(-1);
  const existing = builds.find(({ build }) => build === options.build);
  if (existing) {
    await refuseUnlessFree(existing, newest, options);
    return { builds, existing, released_at: existing.released_at };
  }
  const folder = path.posix.join(options.game, options.build);
  if (await exists(folder))
    throw new CommandError(`${folder} exists and is not a build: remove it, or choose another name`);
  const released_at = options.released_at ?? now;
  if (newest && Date.parse(released_at) <= Date.parse(newest.released_at)) {
    throw new CommandError(
      `${released_at} is not after ${newest.released_at}, the release of ${newest.build}: later builds inherit from earlier ones, so builds are added oldest first; pass a later --released-at, or create the build by hand`,
    );
  }
  return { builds, existing: undefined, released_at };
}

async function refuseUnlessFree(
  { build, folder }: FoundBuild,
  newest: FoundBuild | undefined,
  { into, released_at, note }: AddOptions,
): Promise<void> {
  if (into === '') {
    throw new CommandError(
      `${folder} already exists: choose another name, or add the dump of another region with --into <sub-folder>; to add this dump again, remove the folder first`,
    );
  }
  if (build !== newest?.build) {
    throw new CommandError(
      `${build} is not the newest build, which is ${newest?.build}: later builds inherit from it, so it must not change`,
    );
  }
  if (await exists(path.join(folder, into))) {
    throw new CommandError(`${folder}/${into} already exists: remove it first to add the dump again`);
  }
  if (released_at !== undefined || note !== undefined) {
    throw new CommandError(`${folder}/build.json already exists: leave out --released-at and --note`, 2);
  }
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}
