import type { CompiledBuild, CompiledRecord } from '../compile/compile-build.ts';
import type { Finding } from '../findings.ts';

/** One thing that a compiled build must hold to. `check` is pure. */
export interface Check {
  /** Stable; findings carry it. */
  name: string;
  /** What holds when nothing is found, as a sentence. */
  description: string;
  check(build: CompiledBuild): Finding[];
}

/** One thing that must hold from a build to the next. `check` is pure. */
export interface StepCheck {
  name: string;
  description: string;
  check(before: CompiledBuild, after: CompiledBuild): Finding[];
}

/** An error about a part of a compiled record, placed in the raw file as exactly as is known. */
export function recordError(
  check: string,
  { record, place, raw }: CompiledRecord,
  pointer: string,
  found: string,
  expected: string,
): Finding {
  if (raw) {
    return {
      check,
      severity: 'error',
      place: { ...place, pointer: place.pointer + pointer },
      found,
      expected,
    };
  }
  const owner = typeof record.id === 'string' ? `record "${record.id}"` : 'record';
  return {
    check,
    severity: 'error',
    place,
    found: `${found} at "${pointer}" of the compiled ${owner}`,
    expected,
  };
}

/** The lists of a build by the name that a finding gives them: `characters` and every dataset that is a list. */
export function listsOf(build: CompiledBuild): [string, CompiledRecord[]][] {
  const datasets = build.datasets.flatMap((dataset): [string, CompiledRecord[]][] =>
    dataset.kind === 'list' ? [[dataset.key, dataset.records]] : [],
  );
  return [['characters', build.characters], ...datasets];
}
