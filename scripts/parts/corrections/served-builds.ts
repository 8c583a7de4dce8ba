import { diffBuilds } from '../../core/diff/diff-builds.ts';
import type { AmendmentChanges } from '../../core/diff/model-changes.ts';
import type { GamePlan } from '../../core/dist/plan.ts';
import { readPlanned } from '../../core/dist/planned-files.ts';
import { distReader, readIndex, readManifest } from '../../core/dist/read-dist.ts';
import { contentReader } from '../../core/format/build-content.ts';
import type { BuildEntry, Manifest } from '../../core/format/dist-format.ts';

/** Reads the manifest of a game in dist/; undefined if it cannot be read or does not exist. */
export async function readServed(out: string, slug: string): Promise<Manifest | undefined> {
  const index = await readIndex(out).catch(() => undefined);
  const ref = index?.games.find((game) => game.slug === slug)?.manifest;
  return ref && (await readManifest(out, ref));
}

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
  const readAfter = contentReader({ slug: plan.slug, title: served.title }, async (ref) => {
    const bytes = await readPlanned(plan, out, ref);
    if (bytes === undefined) throw new Error(`${ref.file} is missing`);
    return Buffer.from(bytes).toString();
  });
  try {
    const content = await distReader(out, served)(before);
    const { characters, datasets } = diffBuilds(content, await readAfter(after));
    return { characters, datasets };
  } catch {
    return undefined;
  }
}
