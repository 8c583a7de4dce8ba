import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { editJsonFile } from '../check/recorded.ts';
import type { Withdrawal } from '../format/dist-format.ts';
import { isAbsent, replaceFile } from '../system.ts';
import { CORRECTIONS_FILE, type RawCorrections } from './corrections.ts';

/** Returns the withdrawn builds in corrections.json. @param folder the game's folder */
export async function readWithdrawn(folder: string): Promise<readonly Withdrawal[]> {
  const text = await readFile(path.join(folder, CORRECTIONS_FILE), 'utf8').catch(() => '{}');
  return (parse(text) as RawCorrections | undefined)?.withdrawn ?? [];
}

/** Replaces the records of withdrawn builds in corrections.json. @param builds the builds whose records are removed */
export async function replaceWithdrawn(
  folder: string,
  added: readonly Withdrawal[],
  builds = added.map(({ build }) => build),
): Promise<void> {
  const file = path.join(folder, CORRECTIONS_FILE);
  const before = await readWithdrawn(folder);
  const others = before.filter(({ build }) => !builds.includes(build));
  if (added.length === 0 && others.length === before.length) return;
  if (await isAbsent(file))
    await replaceFile(file, Buffer.from('{\n  "$schema": "../corrections.schema.json"\n}\n'));
  await editJsonFile(file, 'withdrawn', [...others, ...added]);
}
