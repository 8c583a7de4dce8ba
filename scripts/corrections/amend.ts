import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import type { AmendmentChanges } from '../diff/diff-builds.ts';
import type { Withdrawal } from '../format/dist-format.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { AMENDMENTS_FOLDER, type RawAmendment } from '../read/game/amendments.ts';
import { CORRECTIONS_FILE } from '../read/game/corrections.ts';
import { editJsonFile } from '../recorded/edit-json-file.ts';

/** A correction: when and why. */
export interface Correction {
  at: string;
  reason: string;
}

/**
 * Records a correction in a build's build.json, and what it changed in a file of the folder `amendments`.
 *
 * @param folder the game's folder
 * @param changes undefined if what was served before is not known
 */
export async function amendBuild(
  folder: string,
  build: string,
  { at, reason }: Correction,
  changes: AmendmentChanges | undefined,
): Promise<void> {
  const file = path.join(folder, build, 'build.json');
  const { amended = [] } = parse(await readFile(file, 'utf8')) as { amended?: RawAmendment[] };
  const amendment: RawAmendment = { at, reason };
  if (changes) {
    amendment.changes = `${AMENDMENTS_FOLDER}/${build}.${amended.length + 1}.json`;
    await makeFolder(path.join(folder, AMENDMENTS_FOLDER));
    const text = `${JSON.stringify(changes, null, 1)}\n`;
    await replaceFile(path.join(folder, amendment.changes), Buffer.from(text));
  }
  await editJsonFile(file, 'amended', [...amended, amendment]);
}

/**
 * Records in corrections.json that released builds were removed.
 *
 * @param folder the game's folder
 */
export async function recordWithdrawals(folder: string, withdrawn: readonly Withdrawal[]): Promise<void> {
  if (withdrawn.length === 0) return;
  const file = path.join(folder, CORRECTIONS_FILE);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    const content = { $schema: '../corrections.schema.json', withdrawn };
    await replaceFile(file, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
    return;
  }
  const { withdrawn: before = [] } = parse(text) as { withdrawn?: Withdrawal[] };
  await editJsonFile(file, 'withdrawn', [...before, ...withdrawn]);
}
