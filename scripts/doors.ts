import type { Door } from './commands/door.ts';
import type { Doors } from './lib/port.ts';

/** Lists the doors of all parts of the compiler. A part whose folder is deleted is left out. */
export const DOORS: Doors<Door> = {
  steps: () => import('./steps/door.ts'),
  'fast-jsonata': () => import('./fast-jsonata/door.ts'),
  reuse: () => import('./reuse/door.ts'),
  corrections: () => import('./corrections/door.ts'),
  watch: () => import('./watch/door.ts'),
  check: () => import('./check/door.ts'),
  upstream: () => import('./upstream/door.ts'),
  publish: () => import('./publish/door.ts'),
  bulk: () => import('./bulk/door.ts'),
  contents: () => import('./contents/door.ts'),
  types: () => import('./types/door.ts'),
};

/** The address of this module, for worker processes. */
export const DOORS_MODULE = import.meta.url;
