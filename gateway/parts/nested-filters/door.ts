import type { Door } from '../../core/commands/door.ts';
import { NESTED_FILTERS } from '../../core/query/filters.ts';

export const door: Door = {
  name: 'nested-filters',
  offer() {
    NESTED_FILTERS.offer(() => import('./nested-filters.ts'));
  },
};
