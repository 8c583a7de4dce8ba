import type { Correction } from '../read/game/corrections.ts';

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
