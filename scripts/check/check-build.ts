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
const CHECKS: readonly Check[] = [
  rosterSizeCheck,
  characterSchemaCheck,
  idsCheck,
  attributeNamesCheck,
  attributeKindsCheck,
  datasetKeysCheck,
  requiredDatasetsCheck,
];

/** Every check of a build beside the build before it. */
const STEP_CHECKS: readonly StepCheck[] = [datasetKindsCheck];

/**
 * Runs all checks over a compiled build; none hides another.
 *
 * @param known what was found when the files of this build and those before it were read
 */
export function checkBuild(build: CompiledBuild, known: readonly Finding[]): Finding[] {
  return CHECKS.flatMap(({ name, check }) =>
    check(build, known).map((finding): Finding => ({ check: name, severity: 'error', ...finding })),
  );
}

/** Runs all checks of the step from one build to the next. */
export function checkStep(before: CompiledBuild, after: CompiledBuild): Finding[] {
  return STEP_CHECKS.flatMap(({ name, check }) =>
    check(before, after).map((finding): Finding => ({ check: name, severity: 'error', ...finding })),
  );
}
