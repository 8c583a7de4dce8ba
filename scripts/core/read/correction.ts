import type { Json } from '../format/dist-format.ts';

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

/** The corrections of a build, by its position. Of several for one attribute, the one that begins last applies. */
export function correctionsOf(
  corrections: readonly Correction[],
  builds: readonly string[],
  at: number,
): Correction[] {
  const current = new Map<string, Correction>();
  const began = (correction: Correction) => builds.indexOf(correction.since);
  for (const correction of corrections.toSorted((a, b) => began(a) - began(b))) {
    if (began(correction) > at) break;
    current.set(targetOf(correction), correction);
  }
  return [...current.values()].filter(({ until }) => {
    const end = until === undefined ? -1 : builds.indexOf(until);
    return end === -1 || at < end;
  });
}

/** What identifies the attribute that a correction is about. */
export function targetOf({ collection, id, attribute }: Correction): string {
  return JSON.stringify([collection, id ?? null, attribute]);
}
