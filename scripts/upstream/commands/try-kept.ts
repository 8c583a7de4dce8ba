import path from 'node:path';
import { LargeBuild } from '../add/add-build.ts';
import type { Finding } from '../../findings/findings.ts';
import { CommandError } from '../../lib/command-error.ts';
import { editJsonFile } from '../../recorded/edit-json-file.ts';
import { type AcceptedBuild, countServed, isOpen, overridesOf } from '../pull/accept-kept.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import { HeldBuilds } from '../pull/held.ts';
import type { GameUpstream } from '../pull/upstream.ts';
import { addOne, type PulledGame } from './pulled-game.ts';
import { takeOutAll } from './take-out-build.ts';
import { findErrors, holdsBack, type TryOptions } from './try-build.ts';

/**
 * Adds a held build with overrides, and the later ones that have its change. They stay up to the first in which something else is strange, if the change
 * is in all of them as it was checked and reported: then upstream has kept it.
 *
 * @returns whether the game has more builds now
 */
export async function tryKept(
  game: PulledGame,
  upstream: GameUpstream,
  accepted: AcceptedBuild,
  held: HeldBuilds,
  options: TryOptions,
): Promise<boolean> {
  const { folder } = game;
  const names: [string, ...string[]] = [accepted.build, ...accepted.by];
  const builds = findChecked(names, upstream, held);
  if (builds === undefined) return false;
  await held.beginTrying(...names);
  const findings = await addAll(game, upstream, builds, accepted, options).catch(async (error: unknown) => {
    if (error instanceof CommandError) await end(0);
    throw error;
  });
  // Read again: a maintainer can decide about a build while it is checked.
  const now = await HeldBuilds.read(folder);
  const areOpen = names.every((name) => isOpen(now.find(name) ?? {}));
  const served = areOpen && findings ? countServed(accepted, findings) : 0;
  await end(served);
  return served > 0;

  async function end(count: number): Promise<void> {
    await takeOutAll(folder, names.slice(count));
    await held.endTrying(names.slice(0, count), () => undefined);
  }
}

/** The builds as they were checked; undefined if upstream has changed one since. */
function findChecked(
  names: readonly string[],
  { builds }: GameUpstream,
  held: HeldBuilds,
): UpstreamBuild[] | undefined {
  const checked = names.flatMap((name) => {
    const build = builds.find((each) => each.build === name && each.newestCommit === held.find(name)?.commit);
    return build ? [{ ...build, commit: build.newestCommit }] : [];
  });
  return checked.length === names.length ? checked : undefined;
}

/** Adds the builds, and returns what is strange in them; undefined if one cannot be added. */
async function addAll(
  game: PulledGame,
  upstream: GameUpstream,
  builds: readonly UpstreamBuild[],
  accepted: AcceptedBuild,
  options: TryOptions,
): Promise<Finding[] | undefined> {
  const { slug, folder, source } = game;
  const added = { ...options.upstream, references: options.references };
  for (const build of builds) {
    const isAdded = await addOne(game, upstream, build, added, true).catch((error: unknown) => {
      if (error instanceof LargeBuild) return false;
      throw error;
    });
    if (!isAdded) return undefined;
  }
  await editJsonFile(path.join(folder, accepted.build, 'build.json'), 'overrides', overridesOf(accepted));
  const holds = builds.map(({ build }) => holdsBack(source, build));
  return await findErrors(slug, options, (warning) => holds.some((isHeldFor) => isHeldFor(warning)));
}
