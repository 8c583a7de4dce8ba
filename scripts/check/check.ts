import path from 'node:path';
import type { CompiledBuild, CompiledRecord } from '../compile/compile-build.ts';
import { causeOf, type Finding, type Place } from '../findings/findings.ts';
import type { Rule } from './rule.ts';
import type { BuildSurvey } from './survey.ts';

/** What a check finds. `checkBuild` adds the check's name and the severity. `follows`: a known finding is the reason, and is listed alone. */
export type CheckFinding = Omit<Finding, 'check' | 'severity'> & { follows?: boolean };

/** One rule that holds in every build, whatever was before. No override can lift it. `check` is pure. */
export interface Check extends Rule {
  /**
   * @param known the findings of reading the game's files
   * @param survey what a look at all values of the build has found already
   * @returns findings, made one at a time: there can be as many as records
   */
  check(build: CompiledBuild, known: readonly Finding[], survey: BuildSurvey): Iterable<CheckFinding>;
}

/** A finding about a part of a compiled record. Its place in the raw file is as exact as is known. */
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
    // The mapping is what is wrong.
    ...(!raw && { cause: causeOf(pointer, found.replace(/".*"/, ''), expected) }),
  };
}

/** A second place that the text of a finding mentions. */
export function describePlace({ file, line, pointer }: Place): string {
  return `${file}${line === undefined ? '' : `:${line}`} ${pointer}`.trimEnd();
}

/** Whether reading found a fault in a file that is served as it is: that of the dataset with this key, or `characters`. */
export function hasFaultyFile(readFindings: readonly Finding[], key: string): boolean {
  return readFindings.some(
    ({ severity, place }) => severity === 'error' && path.posix.parse(place.file).name === key,
  );
}

/** The lists of a build with their names in findings: `characters` and every dataset that is a list. */
export function listsOf(build: CompiledBuild): [string, CompiledRecord[]][] {
  const datasets = build.datasets.flatMap((dataset): [string, CompiledRecord[]][] =>
    dataset.kind === 'list' ? [[dataset.key, dataset.records]] : [],
  );
  return [['characters', build.characters], ...datasets];
}
