import { closest } from 'fastest-levenshtein';
import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { CheckName } from '../../findings/check-names.ts';
import type { Finding, Place } from '../../findings/findings.ts';
import type { StepFinding } from './step.ts';

/** What a gate found, and the gate. */
export type GateFinding = StepFinding & { check: CheckName };

type BuildSource = CompiledBuild['source'];

const CHECK = 'overrides';

/**
 * Takes away what a build's overrides say is meant.
 *
 * @param names of all gates; that an override names none of them is told by `findUnknownOverrides`
 * @returns the other findings, each with what to write if it is meant, and those of overrides that nothing needs
 */
export function applyOverrides(
  source: BuildSource,
  found: readonly GateFinding[],
  names: readonly string[],
): Finding[] {
  const needed = new Set<number>();
  const left = found.filter((finding) => {
    const index = source.overrides.findIndex(
      ({ check, of }) => check === finding.check && (of === undefined || isWithin(finding.of, of)),
    );
    needed.add(index);
    return index === -1;
  });
  const needless = source.overrides.flatMap(({ check, of }, index): Finding[] =>
    needed.has(index) || !names.includes(check)
      ? []
      : [
          {
            check: CHECK,
            severity: 'error',
            place: placeOf(source, index),
            found: `an override of ${check}${of === undefined ? '' : ` of ${of}`} that build ${source.build} does not need`,
            expected: 'overrides of what is found in the step to this build, each once',
            fix: 'remove it',
          },
        ],
  );
  return [...left.map((finding) => toFinding(source, finding)), ...needless];
}

/** Finds overrides that name no gate. */
export function findUnknownOverrides(source: BuildSource, names: readonly string[]): Finding[] {
  return source.overrides.flatMap(({ check }, index): Finding[] => {
    if (names.includes(check)) return [];
    const place = placeOf(source, index);
    return [
      {
        check: CHECK,
        severity: 'error',
        place: { ...place, pointer: `${place.pointer}/check` },
        found: `an override of "${check}", which cannot be overridden`,
        expected: `one of ${names.join(', ')}`,
        fix: `did you mean "${closest(check, [...names])}"?`,
      },
    ];
  });
}

/** Whether what a finding is about is what an override names, or in it. */
function isWithin(of: string, overridden: string): boolean {
  return of === overridden || of.startsWith(`${overridden}.`);
}

function toFinding(source: BuildSource, { of, ...finding }: GateFinding): Finding {
  const override = JSON.stringify({ check: finding.check, of, reason: '…' });
  const meant = `if it is meant, add ${override} to "overrides" in ${buildFile(source)}`;
  return { severity: 'error', ...finding, fix: finding.fix ? `${finding.fix}; ${meant}` : meant };
}

function placeOf(source: BuildSource, index: number): Place {
  return { file: buildFile(source), pointer: `/overrides/${index}` };
}

function buildFile({ folder }: BuildSource): string {
  return `${folder}/build.json`;
}
