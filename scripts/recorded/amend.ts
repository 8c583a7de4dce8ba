import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { noteUnrecorded } from '../dist/notes.ts';
import type { GamePlan } from '../dist/plan.ts';
import { CommandError } from '../lib/command-error.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { lockFileOf, recordBuilds, renderBuildsLock } from './builds-lock.ts';

/**
 * Writes the builds.lock.json of each game that was built to dist/.
 *
 * @throws CommandError if one cannot be written
 */
export async function recordGames(
  { data, out }: { data: string; out: string },
  plans: readonly GamePlan[],
): Promise<void> {
  for (const { slug, entries } of plans) {
    const folder = path.posix.join(data, slug);
    const file = lockFileOf(folder);
    const text = renderBuildsLock(recordBuilds(entries));
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await replaceFile(file, Buffer.from(text)).catch((error: Error) => {
      throw new CommandError(
        `${file} cannot be written: ${error.message}; the builds are in dist/, but not recorded`,
      );
    });
  }
  const recorded = plans.map(({ slug }) => slug);
  await noteUnrecorded(out, recorded, false);
}
