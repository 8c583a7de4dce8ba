import { MEANT_VALUES, ROUTE_CHANGES } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';
import { NAME_SEARCH } from '../../core/query/names.ts';

export const door: Door = {
  name: 'search',
  offer() {
    ROUTE_CHANGES.offer('search', async () => (await import('./route.ts')).ROUTES);
    NAME_SEARCH.offer(async () => ({ indexNames: (await import('./name-index.ts')).NameIndex.make }));
    MEANT_VALUES.offer(() => import('./did-you-mean.ts'));
  },
};
