import { CONTENT_CHECKS } from '../../scripts/steps/content/content-checks.ts';
import { GATES } from '../../scripts/steps/step-checker.ts';
import type { Finding } from '../../scripts/findings/findings.ts';
import { locateFindings, renderFindings } from '../../scripts/report/report.ts';
import type { Part } from './newest-build.ts';

const NAMES: Readonly<Record<Part, string>> = {
  step: 'the newest build',
  first: 'the newest build, without the build before it,',
};

/** A game that cannot be measured; its message says why, and what to do. */
export class UnsoundGame extends Error {}

/** The checks that run only if no other finds an error. What they find in a real build stops none of them. */
export const LAST_CHECKS: ReadonlySet<string> = new Set<string>(
  [...GATES, ...CONTENT_CHECKS].map(({ name }) => name),
);

/**
 * Throws `UnsoundGame` if a build has errors before all mutations, except for those of gates. Then builds are not compared, and what mutations
 * cause is counted with these errors: too few mutations would be found.
 */
export async function requireSound(slug: string, part: Part, findings: readonly Finding[]): Promise<void> {
  const errors = findings.filter(({ check, severity }) => severity === 'error' && !LAST_CHECKS.has(check));
  if (errors.length === 0) return;
  const [first] = await locateFindings(errors);
  throw new UnsoundGame(
    `${slug} is not measured: ${NAMES[part]} has ${errors.length} ${errors.length === 1 ? 'error' : 'errors'} before any mutation. ` +
      `Correct the files or the mapping, then measure again. The first error:\n${renderFindings(first ? [first] : [])}`,
  );
}
