import path from 'node:path';
import type { GamePlan } from '../dist/plan.ts';
import { readManifestOf } from '../dist/read-dist.ts';
import type { Finding } from '../findings/findings.ts';
import { CommandError } from '../lib/command-error.ts';
import { orCommandError } from '../lib/system-error.ts';
import { type ChangedBuild, findChangedBuilds, isSame, readBuildsLock } from '../recorded/builds-lock.ts';
import { type Published, recordsToMatch } from '../recorded/published-builds.ts';
import { amendBuild, type Correction, recordWithdrawals } from './amend.ts';
import { compareWithServed } from './served-builds.ts';

/** The folder with the game folders, dist/, which has what was served before, and what it publishes. */
interface AmendedPlaces {
  data: string;
  out: string;
  published: Published;
}

/**
 * Adds the correction and its reason to the build.json of every build that differs from its record, with what it changed; and to
 * corrections.json every build that was removed. Nothing is done while there are other errors: the correction may not be complete.
 *
 * @param now ms since 1970
 * @returns what could not be recorded, as lines of text; undefined if nothing was amended
 */
export async function amendBuilds(
  { data, out, published }: AmendedPlaces,
  plans: readonly GamePlan[],
  findings: readonly Finding[],
  reason: string,
  now: number,
): Promise<string[] | undefined> {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) throw new CommandError('no build differs from its record: run it without --amend');
  if (errors.some(({ check }) => check !== 'recorded-build')) return undefined;
  const correction = { at: new Date(now).toISOString(), reason };
  const unknown: string[] = [];
  for (const plan of plans) {
    const folder = path.posix.join(data, plan.slug);
    const lock = await readBuildsLock(folder);
    const records = 'value' in lock ? recordsToMatch(lock.value, published, plan) : {};
    const changed = findChangedBuilds(records, plan.entries, now);
    const work = async () => unknown.push(...(await amendGame(folder, out, plan, changed, correction)));
    await orCommandError(work(), (why) => `${folder}/ cannot be written: ${why}; nothing was published`);
  }
  return unknown;
}

/** @returns the builds of which it is not known what was served before, as lines of text */
async function amendGame(
  folder: string,
  out: string,
  plan: GamePlan,
  changed: readonly ChangedBuild[],
  correction: Correction,
): Promise<string[]> {
  const served = await readManifestOf(out, plan.slug);
  const unknown: string[] = [];
  for (const { build, recorded, missing } of changed) {
    if (missing) continue;
    const before = served?.builds.find((entry) => entry.build === build);
    // dist/ may be of another state of the data than the record.
    const isServed = before && isSame(recorded, before);
    const changes = served && isServed ? await compareWithServed(out, served, before, plan) : undefined;
    if (changes === undefined) {
      unknown.push(
        `${folder}/${build}: ${out}/ does not have the build as it was published, so the history cannot show what this correction changed`,
      );
    }
    await amendBuild(folder, build, correction, changes);
  }
  const gone = changed.filter(({ missing }) => missing);
  await recordWithdrawals(
    folder,
    gone.map(({ build, recorded: { released_at } }) => ({ build, released_at, ...correction })),
  );
  return unknown;
}
