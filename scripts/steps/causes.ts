import { countOf } from '../lib/count-of.ts';
import { type GateFinding, isWithin } from './overrides.ts';

/**
 * Leaves out the findings that follow from others, and counts them there.
 *
 * @param left the findings that no override lifts
 * @param all these, and those that are lifted: what follows from an intended change is intended too
 */
export function leaveOutConsequences(
  left: readonly GateFinding[],
  all: readonly GateFinding[],
): GateFinding[] {
  const causes = all.filter((finding) => finding.causes !== undefined);
  return left.flatMap((finding): GateFinding[] => {
    if (causes.some((cause) => followsFrom(finding, cause))) return [];
    const following = left.filter((other) => followsFrom(other, finding)).length;
    if (following === 0) return [finding];
    return [
      {
        ...finding,
        found: `${finding.found}; ${countOf(following, 'finding')} that it causes: not listed`,
      },
    ];
  });
}

/** Whether a finding is about something that is wrong because of another. */
export function followsFrom(finding: GateFinding, { causes = [] }: GateFinding): boolean {
  return finding.causes === undefined && causes.some((cause) => isWithin(finding.of, cause));
}
