import { COVERAGE } from '../../core/check/coverage.ts';
import { STEP_CHECKS } from '../../core/check/step-checks.ts';
import type { Door } from '../../core/commands/door.ts';
import { COMPILE_SCHEMA } from '../../core/schemas/ports.ts';

/** The checks of what a build says, and of the step to it from the build before. */
export const door: Door = {
  name: 'steps',
  offer() {
    STEP_CHECKS.offer(async () => (await import('./step-checks.ts')).stepChecks);
    COMPILE_SCHEMA.offer(async () => (await import('./schemas/dataset-schema.ts')).compileDatasetSchema);
    COVERAGE.offer(async () => (await import('./coverage/offer.ts')).coverage);
  },
};
