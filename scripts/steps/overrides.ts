import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding, Place } from '../findings/findings.ts';
import { suggestFix } from '../lib/nearest.ts';
import type { Override } from '../read/game/definition.ts';
import type { StepFinding } from './step.ts';

/** What a gate or a check of content found, with its name and severity. */
export type GateFinding = StepFinding & Pick<Finding, 'check' | 'severity'>;

type BuildSource = CompiledBuild['source'];

const CHECK = 'overrides';

/** What is left after the overrides of a build. */
export interface Overridden {
  left: GateFinding[];
  /** One for each override that nothing needs. */
  needless: Finding[];
}

/**
 * Removes the findings that a build's overrides confirm as intended.
 *
 * @param names of all checks that can be overridden; `findUnknownOverrides` reports an override with another name
 */
export function applyOverrides(
  source: BuildSource,
  findings: readonly GateFinding[],
  names: readonly string[],
): Overridden {
  const needed = new Set<number>();
  const left = findings.filter((finding) => {
    const index = source.overrides.findIndex((override) => lifts(override, finding));
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
            expected: 'one override for each finding in the step to this build, and no others',
            fix: 'remove it',
          },
        ],
  );
  return { left, needless };
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
        ...suggestFix(check, names),
      },
    ];
  });
}

/** Whether one of some overrides lifts a finding. */
export function isLifted(
  overrides: readonly Override[],
  finding: Pick<GateFinding, 'check' | 'of'>,
): boolean {
  return overrides.some((override) => lifts(override, finding));
}

function lifts({ check, of }: Override, finding: Pick<GateFinding, 'check' | 'of'>): boolean {
  return check === finding.check && (of === undefined || isWithin(finding.of, of));
}

/** Whether a list or attribute is another one, or inside it. */
export function isWithin(of: string, outer: string): boolean {
  return of === outer || of.startsWith(`${outer}.`);
}

/** The finding with the override that lifts it; that of a wrong `renamed` is lifted by none. */
export function withOverride(source: BuildSource, { causes, count, ...finding }: GateFinding): Finding {
  const { of, ...renamed } = finding;
  if (finding.check === 'renamed') return renamed;
  const override = JSON.stringify({ check: finding.check, of, reason: '…' });
  const advice = `if this is intended, add ${override} to "overrides" in ${buildFile(source)}`;
  const fix = finding.fix ? `${finding.fix}; ${advice}` : advice;
  return { build: source.build, ...finding, fix };
}

function placeOf(source: BuildSource, index: number): Place {
  return { file: buildFile(source), pointer: `/overrides/${index}` };
}

function buildFile({ folder }: BuildSource): string {
  return `${folder}/build.json`;
}
