import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings/findings.ts';
import { attributeKindsCheck, attributeNamesCheck } from './attributes.ts';
import { characterSchemaCheck } from './character-schema.ts';
import type { Check, CheckFinding } from './check.ts';
import { datasetSchemasCheck } from './dataset-schemas.ts';
import { datasetKeysCheck, requiredDatasetsCheck } from './datasets.ts';
import { idsCheck, reservedIdsCheck } from './ids.ts';
import { rosterSizeCheck } from './roster-size.ts';
import type { BuildSurvey } from './survey.ts';

/** The rules that hold in every build. */
export const CHECKS: readonly Check[] = [
  rosterSizeCheck,
  characterSchemaCheck,
  idsCheck,
  reservedIdsCheck,
  attributeNamesCheck,
  attributeKindsCheck,
  datasetKeysCheck,
  requiredDatasetsCheck,
  datasetSchemasCheck,
];

/**
 * Runs all checks over a compiled build, also after one has found something.
 *
 * @param readFindings the findings of reading the files of this build and those before it
 * @param survey what a look at all values of the build has found already; without it, the checks look at all values themselves
 */
export function* checkBuild(
  build: CompiledBuild,
  readFindings: readonly Finding[],
  survey: BuildSurvey = { lists: new Map() },
): Generator<Finding & Pick<CheckFinding, 'follows'>> {
  for (const rule of CHECKS) {
    const { name, severity } = rule;
    for (const finding of rule.check(build, readFindings, survey))
      yield { check: name, severity, ...finding };
  }
}
