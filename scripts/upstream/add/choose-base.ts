import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../../system.ts';
import type { FoundBuild, PackageOrigin } from '../../read/game.ts';
import type { DumpOrigin } from './write-references.ts';

/** The build that a dump goes into: a new one after the newest, the newest itself, or any one whose dump is replaced. */
export interface Base {
  /** The builds whose files are present, oldest first. */
  builds: FoundBuild[];
  /** The builds after a replaced or inserted one, oldest first. */
  later: FoundBuild[];
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
  /** Whether the dump takes the place of that of an existing build. */
  replace?: boolean;
  /** Whether a new build may be released before others, which keep their files. */
  insert?: boolean;
  /** How many bytes a file, and all files together, may have that are copied to a new build. */
  limits?: { file: number; build: number };
  /** Where the dump of a new build comes from, if its files are named by reference instead of copied. */
  origin?: DumpOrigin | undefined;
  /** The package that a new build is made from. */
  package?: PackageOrigin | undefined;
}

/**
 * Chooses the build that a dump goes into: at the end of a game's history, unless a build is replaced. Builds inherit from earlier ones, so
 * a build in the middle changes later ones.
 *
 * @param builds of the game, oldest first
 * @param now ISO 8601 in UTC, to the second
 * @throws CommandError when the build cannot be added
 */
export async function chooseBase(builds: FoundBuild[], options: AddOptions, now: string): Promise<Base> {
  const newest = builds.at(-1);
  const existing = builds.find(({ build }) => build === options.build);
  if (options.replace) return chooseReplaced(builds, existing, options);
  if (existing) {
    await refuseUnlessFree(existing, newest, options);
    return { builds, later: [], existing, released_at: existing.released_at };
  }
  const folder = path.posix.join(options.game, options.build);
  if (await exists(folder))
    throw new CommandError(`${folder} exists and is not a build: remove it, or choose another name`);
  const released_at = options.released_at ?? now;
  if (options.insert) {
    const at = builds.filter((build) => Date.parse(build.released_at) < Date.parse(released_at)).length;
    return { builds: builds.slice(0, at), later: builds.slice(at), existing: undefined, released_at };
  }
  if (newest && Date.parse(released_at) <= Date.parse(newest.released_at)) {
    throw new CommandError(
      `${released_at} is not after ${newest.released_at}, the release of ${newest.build}: later builds inherit from earlier ones, so builds are added oldest first; pass a later --released-at, or create the build by hand`,
    );
  }
  return { builds, later: [], existing: undefined, released_at };
}

function chooseReplaced(
  builds: FoundBuild[],
  existing: FoundBuild | undefined,
  { game, build, released_at, note }: AddOptions,
): Base {
  if (existing === undefined) {
    const names = builds.map((each) => each.build).join(', ') || 'none';
    throw new CommandError(`no build ${build} in ${game} to replace; it has ${names}`, 2);
  }
  if (released_at !== undefined || note !== undefined)
    throw new CommandError(
      `${existing.folder}/build.json stays as it is: leave out --released-at and --note, and edit it there`,
      2,
    );
  const at = builds.indexOf(existing);
  return {
    builds: builds.slice(0, at),
    later: builds.slice(at + 1),
    existing,
    released_at: existing.released_at,
  };
}

async function refuseUnlessFree(
  { build, folder, references }: FoundBuild,
  newest: FoundBuild | undefined,
  { into, released_at, note }: AddOptions,
): Promise<void> {
  if (into === '') {
    throw new CommandError(
      `${folder} already exists: choose another name, or add the dump of another region with --into <sub-folder>; to add its dump anew, pass --replace`,
    );
  }
  if (build !== newest?.build) {
    throw new CommandError(
      `${build} is not the newest build, which is ${newest?.build}: later builds inherit from it; to take its dump anew, pass --replace`,
    );
  }
  const isNamed = references.some(({ file }) => file.startsWith(`${into}/`));
  if (isNamed || (await exists(path.join(folder, into)))) {
    throw new CommandError(`${folder}/${into} already exists: to take its dump anew, pass --replace`);
  }
  if (released_at !== undefined || note !== undefined) {
    throw new CommandError(`${folder}/build.json already exists: leave out --released-at and --note`, 2);
  }
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}
