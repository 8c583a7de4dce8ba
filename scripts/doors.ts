import type { Door } from './core/commands/door.ts';
import type { Doors } from './core/lib/port.ts';

/** Lists the doors of all parts of the compiler. A part whose folder is deleted is left out. */
export const DOORS: Doors<Door> = {
  steps: () => import('./parts/steps/door.ts'),
  'fast-jsonata': () => import('./parts/fast-jsonata/door.ts'),
  reuse: () => import('./parts/reuse/door.ts'),
  corrections: () => import('./parts/corrections/door.ts'),
  watch: () => import('./parts/watch/door.ts'),
  check: () => import('./parts/check/door.ts'),
  upstream: () => import('./parts/upstream/door.ts'),
  publish: () => import('./parts/publish/door.ts'),
  bulk: () => import('./parts/bulk/door.ts'),
  contents: () => import('./parts/contents/door.ts'),
  types: () => import('./parts/types/door.ts'),
};

/** The address of this module, for worker processes. */
export const DOORS_MODULE = import.meta.url;
