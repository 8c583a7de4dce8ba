import { MEANT_VALUES, ROUTE_CHANGES } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';
import { NEAR_SEARCH } from '../../core/query/near-names.ts';

export const door: Door = {
  name: 'search',
  offer() {
    ROUTE_CHANGES.offer('search', async () => (await import('./route.ts')).ROUTES);
    NEAR_SEARCH.offer(() => import('./near-search.ts'));
    MEANT_VALUES.offer(() => import('./did-you-mean.ts'));
  },
};
