import path from 'node:path';
import type { Outcome } from '../../findings/findings.ts';
import type { Json, Withdrawal } from '../../format/dist-format.ts';
import { isAbsent } from '../../lib/regular-file.ts';

/** The file with a game's lasting corrections, in the game's folder. */
export const CORRECTIONS_FILE = 'corrections.json';

/** The value of `until` for a correction that ends with the first build in which upstream has the right value. */
export const UNTIL_AGREED = 'upstream agrees';

/** A lasting correction: from a build on, an attribute of a record has a value that upstream does not have. */
export interface Correction {
  /** Where corrections.json has it, as a JSON Pointer. */
  pointer: string;
  /** `characters` or the key of a dataset. */
  collection: string;
  /** Absent for a dataset that is one object. */
  id?: string;
  /** A dotted key. */
  attribute: string;
  value: Json;
  reason: string;
  /** The first build that is corrected. */
  since: string;
  /** `UNTIL_AGREED`, or the first build that is not corrected any more. */
  until?: string;
}

/** What corrections.json says. */
export interface CorrectionsFile {
  corrections: readonly Correction[];
  /** Released builds that were removed. */
  withdrawn: readonly Withdrawal[];
}

/** Reads a game's corrections.json. @param isWhole whether all of its builds could be read */
export async function readCorrections(
  folder: string,
  builds: readonly string[],
  isWhole: boolean,
): Promise<Outcome<{ ofBuilds: readonly Correction[][]; withdrawn: readonly Withdrawal[] }>> {
  const none = { ofBuilds: builds.map(() => []), withdrawn: [] };
  const file = path.posix.join(folder, CORRECTIONS_FILE);
  if (await isAbsent(file)) return { value: none, findings: [] };
  const { readCorrectionsFile } = await import('../../corrections/read-corrections.ts');
  const { correctionsOf } = await import('../../corrections/corrections-of.ts');
  const { value, findings } = await readCorrectionsFile(folder, isWhole ? builds : undefined);
  const ofBuilds = builds.map((_, at) => correctionsOf(value.corrections, builds, at));
  return { value: { ofBuilds, withdrawn: value.withdrawn }, findings };
}
