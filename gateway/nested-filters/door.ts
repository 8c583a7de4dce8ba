import type { Door } from '../commands/door.ts';
import { NESTED_FILTERS } from '../query/filters.ts';

export const door: Door = {
  name: 'nested-filters',
  offer() {
    NESTED_FILTERS.offer(() => import('./nested-filters.ts'));
  },
};
