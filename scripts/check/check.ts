import path from 'node:path';
import type { CompiledBuild, CompiledRecord } from '../compile/compile-build.ts';
import type { CheckName } from '../findings/check-names.ts';
import type { Finding, Place } from '../findings/findings.ts';

/** What a check finds. Whoever runs the check adds its name, and that it is an error. */
export type CheckFinding = Omit<Finding, 'check' | 'severity'>;

/** One thing that a compiled build must hold to. `check` is pure. */
export interface Check {
  /** Stable; findings carry it. */
  name: CheckName;
  /** What holds when nothing is found, as a sentence. */
  description: string;
  /**
   * @param known what was found when the game's files were read, so that a check need not say it again
   * @returns findings, made as they are asked for: there can be as many as records
   */
  check(build: CompiledBuild, known: readonly Finding[]): Iterable<CheckFinding>;
}

/** Something about a part of a compiled record, placed in the raw file as exactly as is known. */
export function recordError(
  { record, place, raw }: CompiledRecord,
  pointer: string,
  found: string,
  expected: string,
): CheckFinding {
  const owner = typeof record.id === 'string' ? `record "${record.id}"` : 'record';
  const where = pointer === '' ? 'in' : `at "${pointer}" of`;
  return {
    place: raw ? { ...place, pointer: place.pointer + pointer } : place,
    found: raw ? found : `${found} ${where} the compiled ${owner}`,
    expected,
  };
}

/** A place as a message names it beside that of its own finding. */
export function describePlace({ file, line, pointer }: Place): string {
  return `${file}${line === undefined ? '' : `:${line}`} ${pointer}`.trimEnd();
}

/** Whether reading found a fault in a file in the served form: that of the dataset with this key, or `characters`. */
export function hasFaultyFile(known: readonly Finding[], key: string): boolean {
  return known.some(
    ({ severity, place }) => severity === 'error' && path.posix.parse(place.file).name === key,
  );
}

/** The lists of a build by the name that a finding gives them: `characters` and every dataset that is a list. */
export function listsOf(build: CompiledBuild): [string, CompiledRecord[]][] {
  const datasets = build.datasets.flatMap((dataset): [string, CompiledRecord[]][] =>
    dataset.kind === 'list' ? [[dataset.key, dataset.records]] : [],
  );
  return [['characters', build.characters], ...datasets];
}
