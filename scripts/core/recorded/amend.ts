import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { UNRECORDED, writeNote } from '../dist/notes.ts';
import type { GamePlan } from '../dist/plan.ts';
import type { Finding } from '../findings/findings.ts';
import { CommandError } from '../lib/command-error.ts';
import { Port } from '../lib/port.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { lockFileOf, recordBuilds, renderBuildsLock } from './builds-lock.ts';
import type { Published } from './published-builds.ts';

/** The folders of a build, and what dist/ publishes. */
export interface AmendedPlaces {
  /** The folder with the game folders. */
  data: string;
  /** dist/, which has what was served before. */
  out: string;
  published: Published;
}

/** Records in data/ that builds which differ from their records are corrected, for a reason. */
export const AMEND = new Port<
  /**
   * Adds the correction and its reason to the build.json of every build that differs from its record, with what it changed; and to corrections.json
   * every build that was removed. Nothing is done while there are other errors: the correction may not be complete.
   *
   * @param now ms since 1970
   * @returns what could not be recorded, as lines of text; undefined if nothing was amended
   */
  (
    places: AmendedPlaces,
    plans: readonly GamePlan[],
    findings: readonly Finding[],
    reason: string,
    now: number,
  ) => Promise<string[] | undefined>
>();

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
  await writeNote(
    out,
    UNRECORDED,
    plans.map(({ slug }) => slug),
    false,
  );
}
