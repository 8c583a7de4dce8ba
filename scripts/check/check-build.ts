import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings.ts';
import { attributeKindsCheck, attributeNamesCheck } from './attributes.ts';
import { characterSchemaCheck } from './character-schema.ts';
import type { Check, StepCheck } from './check.ts';
import { datasetKindsCheck } from './dataset-kinds.ts';
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

/** Every check of a build beside the build before it. */
export const STEP_CHECKS: readonly StepCheck[] = [datasetKindsCheck];

/** Runs all checks of the step from one build to the next. */
export function checkStep(before: CompiledBuild, after: CompiledBuild): Finding[] {
  return STEP_CHECKS.flatMap(({ check }) => check(before, after));
}
