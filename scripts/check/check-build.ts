import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings.ts';
import { attributeKindsCheck, attributeNamesCheck } from './attributes.ts';
import { characterSchemaCheck } from './character-schema.ts';
import type { Check } from './check.ts';
import { datasetKeysCheck, requiredDatasetsCheck } from './datasets.ts';
import { idsCheck } from './ids.ts';
import { rosterSizeCheck } from './roster-size.ts';

/** Every check of a build on its own. */
export const CHECKS: readonly Check[] = [
  rosterSizeCheck,
  characterSchemaCheck,
  idsCheck,
  attributeNamesCheck,
  attributeKindsCheck,
  datasetKeysCheck,
  requiredDatasetsCheck,
];

/** Runs all checks over a compiled build; none hides another. */
export function checkBuild(build: CompiledBuild): Finding[] {
  return CHECKS.flatMap(({ check }) => check(build));
}
