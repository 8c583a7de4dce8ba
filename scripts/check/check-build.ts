import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings/findings.ts';
import { attributeKindsCheck, attributeNamesCheck } from './attributes.ts';
import { characterSchemaCheck } from './character-schema.ts';
import type { Check } from './check.ts';
import { datasetSchemasCheck } from './dataset-schemas.ts';
import { datasetKeysCheck, requiredDatasetsCheck } from './datasets.ts';
import { idsCheck } from './ids.ts';
import { rosterSizeCheck } from './roster-size.ts';

/** All checks that need only one build. */
export const CHECKS: readonly Check[] = [
  rosterSizeCheck,
  characterSchemaCheck,
  idsCheck,
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
 */
export function* checkBuild(build: CompiledBuild, known: readonly Finding[]): Generator<Finding> {
  for (const { name, check } of CHECKS) {
    for (const finding of check(build, known)) yield { check: name, severity: 'error', ...finding };
  }
}
