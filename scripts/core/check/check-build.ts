import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings/findings.ts';
import { attributeKindsCheck, attributeNamesCheck } from './attributes.ts';
import { characterSchemaCheck } from './character-schema.ts';
import type { Check, CheckFinding } from './check.ts';
import { datasetSchemasCheck } from './dataset-schemas.ts';
import { datasetKeysCheck, requiredDatasetsCheck } from './datasets.ts';
import { idsCheck, reservedIdsCheck } from './ids.ts';
import { rosterSizeCheck } from './roster-size.ts';
import { limitsOf } from './rule.ts';
import { profileBuild } from '../../parts/steps/profile/profile.ts';

/** The rules that hold in every build. */
export const CHECKS: readonly Check<string>[] = [
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
 * @param known the findings of reading the files of this build and those before it
 * @param profile the attributes of the build
 */
export function* checkBuild(
  build: CompiledBuild,
  known: readonly Finding[],
  profile = profileBuild(build),
): Generator<Finding & Pick<CheckFinding, 'follows'>> {
  for (const rule of CHECKS) {
    const { name, severity } = rule;
    const limits = limitsOf(rule, build.source.checks);
    for (const finding of rule.check(build, known, limits, profile))
      yield { check: name, severity, ...finding };
  }
}
