import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import {
  type ChangedBuild,
  editJsonFile,
  findChangedBuilds,
  isSame,
  type Published,
  readBuildsLock,
  recordsToMatch,
} from '../check/recorded.ts';
import { type AmendmentChanges, diffBuilds } from '../diff/diff-builds.ts';
import type { GamePlan } from '../dist/plan.ts';
import { distReader, readManifestOf } from '../dist/read-dist.ts';
import { readPlanned } from '../dist/stage.ts';
import type { Finding } from '../findings.ts';
import { contentReader } from '../format/build-content.ts';
import { AMENDMENTS_FOLDER } from '../read/game.ts';
import type { RawAmendment } from '../read/game-schema.ts';
import { CommandError, makeFolder, orCommandError, replaceFile } from '../system.ts';
import { replaceWithdrawn } from './withdrawn.ts';

/**
 * Adds the correction with its reason and changes to the build.json of every build that differs from its record, and every removed build to
 * corrections.json. Does nothing if there are other errors: the correction may be incomplete.
 *
 * @param places the folder with the game folders; dist/, which has the earlier content; and the publication of dist/
 * @param now ms since 1970
 * @returns what could not be recorded, as lines of text; undefined if nothing was amended
 */
export async function amendBuilds(
  { data, out, published }: { data: string; out: string; published: Published },
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

/** @returns the builds whose earlier content is unknown, as lines of text */
async function amendGame(
  folder: string,
  out: string,
  plan: GamePlan,
  changed: readonly ChangedBuild[],
  correction: RawAmendment,
): Promise<string[]> {
  const unknown: string[] = [];
  for (const each of changed.filter(({ missing }) => !missing)) {
    const found = await findChanges(out, plan, each).catch(() => undefined);
    if (!found)
      unknown.push(
        `${folder}/${each.build}: ${out}/ does not have the build as it was published, so the history cannot show what this correction changed`,
      );
    await amendBuild(folder, each.build, correction, found);
  }
  const withdrawn = changed.flatMap(({ build, missing, recorded: { released_at } }) =>
    missing ? [{ build, released_at, ...correction }] : [],
  );
  await replaceWithdrawn(folder, withdrawn);
  return unknown;
}

/**
 * Finds what a correction changes, and how many corrections the published build has.
 *
 * @returns undefined if dist/, which may be from another state of the data, does not have the build as it was published
 */
async function findChanges(
  out: string,
  plan: GamePlan,
  { build, recorded }: ChangedBuild,
): Promise<{ changes: AmendmentChanges; published: number } | undefined> {
  const served = await readManifestOf(out, plan.slug);
  const [before, after] = [served?.builds, plan.entries].map((all) =>
    all?.find((each) => each.build === build),
  );
  if (!served || !before || !after || !isSame(recorded, before)) return undefined;
  const readAfter = contentReader(served, (ref) => readPlanned(plan, out, ref));
  const { characters, datasets } = diffBuilds(await distReader(out, served)(before), await readAfter(after));
  return { changes: { characters, datasets }, published: before.amended.length };
}

/** Records a correction in a build.json, and its changes in a file of the folder `amendments`. @param folder the game's folder */
async function amendBuild(
  folder: string,
  build: string,
  correction: RawAmendment,
  found: Awaited<ReturnType<typeof findChanges>>,
): Promise<void> {
  const file = path.join(folder, build, 'build.json');
  const { amended: all = [] } = parse(await readFile(file, 'utf8')) as { amended?: RawAmendment[] };
  // One more than is published is left of a build that failed. If there are several, dist/ is from another state of the data.
  const amended = all.length - 1 === found?.published ? all.slice(0, -1) : all;
  const amendment: RawAmendment = { ...correction };
  if (found) {
    amendment.changes = `${AMENDMENTS_FOLDER}/${build}.${amended.length + 1}.json`;
    await makeFolder(path.join(folder, AMENDMENTS_FOLDER));
    const text = `${JSON.stringify(found.changes, null, 1)}\n`;
    await replaceFile(path.join(folder, amendment.changes), Buffer.from(text));
  }
  await editJsonFile(file, 'amended', [...amended, amendment]);
}
