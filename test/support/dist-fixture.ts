import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { compileGame } from '../../scripts/compile/game.ts';
import { type GamePlan, planIndex } from '../../scripts/dist/plan.ts';
import { writeDist } from '../../scripts/dist/write-dist.ts';
import type { BulkFormat } from '../../scripts/format/dist-format.ts';
import { type Files, withFolder } from './fixtures.ts';

/**
 * Compiles game folders, given as files, into a dist folder; throws if there is a finding.
 *
 * @param formats the formats of builds besides JSON
 */
export async function buildGames(
  files: Files,
  dist: string,
  formats: readonly BulkFormat[] = [],
): Promise<void> {
  await withFolder(files, async (data) => {
    const plans: GamePlan[] = [];
    for (const slug of (await readdir(data)).sort()) {
      const { value, findings } = await compileGame(path.posix.join(data, slug), slug, { formats });
      if (findings.length > 0 || !value) throw new Error(`${slug}: ${JSON.stringify(findings, null, 1)}`);
      plans.push(value);
    }
    await mkdir(dist, { recursive: true });
    await writeDist(dist, plans, planIndex(plans, []), undefined);
  });
}
