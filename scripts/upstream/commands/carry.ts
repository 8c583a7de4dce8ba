import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from '../../findings/findings.ts';
import { parseJson } from '../../read/formats/json.ts';
import { isObject, ownValue } from '../../format/dist-format.ts';

/** Datasets that are those of the build before, with the reasons, as in build.json. */
export type Carried = Record<string, string>;

/**
 * The datasets that a build can carry from the build before, so that nothing holds it back; undefined if something else does.
 *
 * @param findings what holds the build back
 */
export function chooseCarried(findings: readonly Finding[], build: string): Carried | undefined {
  const carried: Carried = {};
  for (const { dataset, check, build: of } of findings) {
    if (dataset === undefined || of !== build) return undefined;
    const carriedLists = ownValue(carried, dataset)?.split(', ') ?? [];
    carried[dataset] = [...new Set([...carriedLists, check])].join(', ');
  }
  return Object.keys(carried).length > 0 ? carried : undefined;
}

/** The datasets that a build carries, by the build.json in its folder. */
export async function readCarried(folder: string, build: string | undefined): Promise<string[]> {
  if (build === undefined) return [];
  const file = path.join(folder, build, 'build.json');
  const parsed = parseJson(await readFile(file, 'utf8').catch(() => '{}'), file);
  const carried = 'value' in parsed && isObject(parsed.value) ? parsed.value.carried : undefined;
  return isObject(carried) ? Object.keys(carried) : [];
}
