import { type AmendmentChanges, diffBuilds } from '../diff/diff-builds.ts';
import type { GamePlan } from '../dist/plan.ts';
import { readPlanned } from '../dist/planned-files.ts';
import { distReader } from '../dist/read-dist.ts';
import { contentReader } from '../format/build-content.ts';
import type { BuildEntry, Manifest } from '../format/dist-format.ts';

/**
 * Compares a build as dist/ has it with the same build of a plan.
 *
 * @returns undefined if files of dist/ are missing or damaged
 */
export async function compareWithServed(
  out: string,
  served: Manifest,
  before: BuildEntry,
  plan: GamePlan,
): Promise<AmendmentChanges | undefined> {
  const after = plan.entries.find(({ build }) => build === before.build);
  if (after === undefined) return undefined;
  const readAfter = contentReader(served, (ref) => readPlanned(plan, out, ref));
  try {
    const content = await distReader(out, served)(before);
    const { characters, datasets } = diffBuilds(content, await readAfter(after));
    return { characters, datasets };
  } catch {
    return undefined;
  }
}
