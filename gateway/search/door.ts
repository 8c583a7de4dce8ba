import { MEANT_VALUES, ROUTE_CHANGES } from '../api/ports.ts';
import type { Door } from '../commands/door.ts';
import { NAME_SEARCH } from '../query/names.ts';

export const door: Door = {
  name: 'search',
  offer() {
    ROUTE_CHANGES.offer('search', async () => (await import('./route.ts')).ROUTES);
    NAME_SEARCH.offer(async () => ({ indexNames: (await import('./name-index.ts')).NameIndex.make }));
    MEANT_VALUES.offer(() => import('./did-you-mean.ts'));
  },
};
