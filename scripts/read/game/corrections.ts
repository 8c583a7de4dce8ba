import path from 'node:path';
import type { Finding, Outcome } from '../../findings/findings.ts';
import type { Json, Withdrawal } from '../../format/dist-format.ts';
import { Port } from '../../lib/port.ts';
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

/** Reads corrections.json. */
export interface Corrections {
  /**
   * Reads the file of a game, which exists.
   *
   * @param builds the names of the game's builds, oldest first; undefined if some of them could not be read
   */
  read(folder: string, builds: readonly string[] | undefined): Promise<Outcome<CorrectionsFile>>;
  /** The corrections of a build, by its position. Of several for one attribute, the one that begins last applies. */
  ofBuild(corrections: readonly Correction[], builds: readonly string[], at: number): Correction[];
  /** JSON Schema of the file. */
  schema: object;
}

export const CORRECTIONS = new Port<Corrections>();

/** Reads a game's corrections.json. A game that has the file cannot be compiled without the part that reads it. */
export async function readCorrections(
  folder: string,
  builds: readonly string[],
  isWhole: boolean,
): Promise<Outcome<{ ofBuilds: readonly Correction[][]; withdrawn: readonly Withdrawal[] }>> {
  const none = { ofBuilds: builds.map(() => []), withdrawn: [] };
  const file = path.posix.join(folder, CORRECTIONS_FILE);
  if (await isAbsent(file)) return { value: none, findings: [] };
  const part = await CORRECTIONS.load();
  if (part === undefined) return { value: none, findings: [unreadable(file)] };
  const { value, findings } = await part.read(folder, isWhole ? builds : undefined);
  const ofBuilds = builds.map((_, at) => part.ofBuild(value.corrections, builds, at));
  return { value: { ofBuilds, withdrawn: value.withdrawn }, findings };
}

function unreadable(file: string): Finding {
  return {
    check: 'corrections',
    severity: 'error',
    place: { file, pointer: '', line: 1 },
    found: 'corrections, which the part "corrections" of gamedata applies, and it is not installed',
    expected: 'the part (scripts/corrections/)',
    fix: 'install it',
  };
}
