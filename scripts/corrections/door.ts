import type { Door } from '../commands/door.ts';
import { AMEND, APPLY_CORRECTIONS } from '../game/corrections.ts';
import { CORRECTIONS } from '../read/game/corrections.ts';

/** Lasting corrections of what upstream has wrong, and corrections of published builds. */
export const door: Door = {
  name: 'corrections',
  offer() {
    CORRECTIONS.offer(async () => {
      const { readCorrections } = await import('./read-corrections.ts');
      const { correctionsOf } = await import('./corrections-of.ts');
      const { correctionsSchema } = await import('./corrections-schema.ts');
      return { read: readCorrections, ofBuild: correctionsOf, schema: correctionsSchema };
    });
    APPLY_CORRECTIONS.offer(async () => (await import('./apply-corrections.ts')).applyCorrections);
    AMEND.offer(async () => (await import('./amend-builds.ts')).amendBuilds);
  },
};
