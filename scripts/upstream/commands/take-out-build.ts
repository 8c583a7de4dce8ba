import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { forgetNeedlessRemoved } from '../add/insert-build.ts';
import { readPathsOf } from '../add/present-files.ts';
import type { HeldBuilds } from '../pull/held.ts';
import { undoHotfix } from './take-correction.ts';
import { readBuilds, readGameFile } from '../../read/game/read-game.ts';

/** The folder of a build that is being removed; hidden, so that it does not count as a build. */
const REMOVING = '.removing';

/** Removes what a killed process left in a game's folder: builds that it was checking, or one that it was correcting. */
export async function recover(folder: string, held: HeldBuilds): Promise<void> {
  await rm(path.join(folder, REMOVING), { recursive: true, force: true });
  await undoHotfix(folder);
  await held.removeLeftovers();
  const { trying } = held;
  if (trying.length === 0) return;
  await takeOutAll(folder, trying);
  await held.endTrying(trying);
}

/** Removes builds, the last one first. */
export async function takeOutAll(folder: string, builds: readonly string[]): Promise<void> {
  for (const build of builds.toReversed()) await takeOut(folder, build);
}

/** Removes a build; those after it are again as they were before it came. */
export async function takeOut(folder: string, build: string): Promise<void> {
  await removeBuild(folder, build);
  const raw = await readGameFile(folder, []);
  if (raw) await forgetNeedlessRemoved(await readBuilds(folder, raw, []), readPathsOf(raw));
}

/** In one step, so that a build is there as a whole or not at all. */
async function removeBuild(folder: string, build: string): Promise<void> {
  const target = path.join(folder, REMOVING);
  await rm(target, { recursive: true, force: true });
  await rename(path.join(folder, build), target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(target, { recursive: true, force: true });
}
