import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { GamePlan } from '../dist/plan.ts';
import type { Finding } from '../findings/findings.ts';
import { CommandError } from '../lib/command-error.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { orCommandError } from '../lib/system-error.ts';
import { amendBuild } from './amend.ts';
import {
  findChangedBuilds,
  lockFileOf,
  readBuildsLock,
  recordBuilds,
  renderBuildsLock,
} from './builds-lock.ts';

/**
 * Adds the correction and its reason to the build.json of every build that differs from its record. Nothing is done while there are other
 * errors: the correction may not be complete.
 *
 * @param data the folder with the game folders
 * @param now ms since 1970
 * @returns whether a build was amended
 */
export async function amendBuilds(
  data: string,
  plans: readonly GamePlan[],
  findings: readonly Finding[],
  reason: string,
  now: number,
): Promise<boolean> {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) throw new CommandError('no build differs from its record: run it without --amend');
  if (errors.some(({ check }) => check !== 'recorded-build')) return false;
  const at = new Date(now).toISOString();
  for (const { slug, entries } of plans) {
    const folder = path.posix.join(data, slug);
    const lock = await readBuildsLock(folder);
    const changed = 'value' in lock ? findChangedBuilds(lock.value, entries, now) : [];
    // A build that was removed has no build.json. It is removed from the record.
    for (const { build } of changed.filter(({ missing }) => !missing)) {
      const buildFolder = path.posix.join(folder, build);
      await orCommandError(
        amendBuild(buildFolder, { at, reason }),
        (why) => `${buildFolder}/build.json cannot be written: ${why}; nothing was published`,
      );
    }
  }
  return true;
}

/**
 * Writes the builds.lock.json of each game that was built.
 *
 * @throws CommandError if one cannot be written
 */
export async function recordGames(data: string, plans: readonly GamePlan[]): Promise<void> {
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
}
