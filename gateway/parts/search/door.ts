import { meantValues, routeChanges } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';
import { nearSearch } from '../../core/query/near-names.ts';

export const door: Door = {
  name: 'search',
  offer() {
    routeChanges.offer('search', async () => (await import('./route.ts')).ROUTES);
    nearSearch.offer(() => import('./near-search.ts'));
    meantValues.offer(() => import('./did-you-mean.ts'));
  },
};
