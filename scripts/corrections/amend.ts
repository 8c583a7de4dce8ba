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
import type { Withdrawal } from '../format/dist-format.ts';
import { AMENDMENTS_FOLDER } from '../read/game.ts';
import type { RawAmendment } from '../read/game-schema.ts';
import { CommandError, isAbsent, makeFolder, orCommandError, replaceFile } from '../system.ts';
import { CORRECTIONS_FILE, type RawCorrections } from './corrections.ts';

/** When and why a build was corrected. */
type Reason = Pick<RawAmendment, 'at' | 'reason'>;

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
  correction: Reason,
): Promise<string[]> {
  const unknown: string[] = [];
  for (const each of changed.filter(({ missing }) => !missing)) {
    const changes = await findChanges(out, plan, each).catch(() => undefined);
    if (!changes)
      unknown.push(
        `${folder}/${each.build}: ${out}/ does not have the build as it was published, so the history cannot show what this correction changed`,
      );
    await amendBuild(folder, each.build, correction, changes);
  }
  const gone = changed.filter(({ missing }) => missing);
  const withdrawn = gone.map(({ build, recorded: { released_at } }) => {
    return { build, released_at, ...correction };
  });
  if (withdrawn.length > 0) await recordWithdrawals(folder, withdrawn);
  return unknown;
}

/** @returns undefined if dist/, which may be from another state of the data, does not have the build as it was published */
async function findChanges(
  out: string,
  plan: GamePlan,
  { build, recorded }: ChangedBuild,
): Promise<AmendmentChanges | undefined> {
  const served = await readManifestOf(out, plan.slug);
  const [before, after] = [served?.builds, plan.entries].map((all) =>
    all?.find((each) => each.build === build),
  );
  if (!served || !before || !after || !isSame(recorded, before)) return undefined;
  const readAfter = contentReader(served, (ref) => readPlanned(plan, out, ref));
  const { characters, datasets } = diffBuilds(await distReader(out, served)(before), await readAfter(after));
  return { characters, datasets };
}

/** Records a correction in a build.json, and its changes in a file of the folder `amendments`. @param folder the game's folder */
async function amendBuild(
  folder: string,
  build: string,
  correction: Reason,
  changes: AmendmentChanges | undefined,
): Promise<void> {
  const file = path.join(folder, build, 'build.json');
  const { amended = [] } = parse(await readFile(file, 'utf8')) as { amended?: RawAmendment[] };
  const amendment: RawAmendment = { ...correction };
  if (changes) {
    amendment.changes = `${AMENDMENTS_FOLDER}/${build}.${amended.length + 1}.json`;
    await makeFolder(path.join(folder, AMENDMENTS_FOLDER));
    const text = `${JSON.stringify(changes, null, 1)}\n`;
    await replaceFile(path.join(folder, amendment.changes), Buffer.from(text));
  }
  await editJsonFile(file, 'amended', [...amended, amendment]);
}

/** Records in corrections.json that released builds were removed. @param folder the game's folder */
async function recordWithdrawals(folder: string, withdrawn: readonly Withdrawal[]): Promise<void> {
  const file = path.join(folder, CORRECTIONS_FILE);
  if (await isAbsent(file))
    await replaceFile(file, Buffer.from('{\n  "$schema": "../corrections.schema.json"\n}\n'));
  const { withdrawn: before = [] } = parse(await readFile(file, 'utf8')) as RawCorrections;
  await editJsonFile(file, 'withdrawn', [...before, ...withdrawn]);
}
