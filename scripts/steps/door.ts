import { COVERAGE } from '../check/coverage.ts';
import { STEP_CHECKS } from '../check/step-checks.ts';
import type { Door } from '../commands/door.ts';
import { COMPILE_SCHEMA } from '../schemas/ports.ts';

/** The checks of what a build says, and of the step to it from the build before. */
export const door: Door = {
  name: 'steps',
  offer() {
    STEP_CHECKS.offer(async () => (await import('./step-checks.ts')).stepChecks);
    COMPILE_SCHEMA.offer(async () => (await import('./schemas/dataset-schema.ts')).compileDatasetSchema);
    COVERAGE.offer(async () => (await import('./coverage/offer.ts')).coverage);
  },
};
