import path from 'node:path';
import { LargeBuild } from '../add/add-build.ts';
import { CommandError } from '../../../core/lib/command-error.ts';
import { editJsonFile } from '../../../core/recorded/edit-json-file.ts';
import { type AcceptedBuild, isOpen, overridesOf } from '../pull/accept-kept.ts';
import type { UpstreamBuild } from '../pull/group-builds.ts';
import { HeldBuilds } from '../pull/held.ts';
import type { GameUpstream } from '../pull/upstream.ts';
import { addOne, type PulledGame } from './pulled-game.ts';
import { takeOutAll } from './take-out-build.ts';
import { findErrors, holdsBack, type TryOptions } from './try-build.ts';

/**
 * Adds a held build with overrides, and the later ones that are held back for the same. They stay if nothing else is strange in any step from one to
 * the next: then upstream has kept the change, as it was checked and reported.
 *
 * @returns whether the game has them now
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
  const isKept = await addAll(game, upstream, builds, accepted, options).catch(async (error: unknown) => {
    if (error instanceof CommandError) await takeBack();
    throw error;
  });
  // Read again: a maintainer can decide about a build while it is checked.
  const now = await HeldBuilds.read(folder);
  if (isKept && names.every((name) => isOpen(now.find(name) ?? {}))) {
    await held.endTrying(names, () => undefined);
    return true;
  }
  await takeBack();
  return false;

  async function takeBack(): Promise<void> {
    await takeOutAll(folder, names);
    await held.endTrying(names);
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

async function addAll(
  game: PulledGame,
  upstream: GameUpstream,
  builds: readonly UpstreamBuild[],
  accepted: AcceptedBuild,
  options: TryOptions,
): Promise<boolean> {
  const { slug, folder, source } = game;
  const added = { ...options.upstream, references: options.references };
  for (const build of builds) {
    const isAdded = await addOne(game, upstream, build, added, true).catch((error: unknown) => {
      if (error instanceof LargeBuild) return false;
      throw error;
    });
    if (!isAdded) return false;
  }
  await editJsonFile(path.join(folder, accepted.build, 'build.json'), 'overrides', overridesOf(accepted));
  const holds = builds.map(({ build }) => holdsBack(source, build));
  const strange = await findErrors(slug, options, (warning) => holds.some((isHeldFor) => isHeldFor(warning)));
  return strange.length === 0;
}
