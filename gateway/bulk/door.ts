import { ROUTE_CHANGES } from '../api/ports.ts';
import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'bulk',
  offer() {
    ROUTE_CHANGES.offer('bulk', async () => (await import('./routes.ts')).ROUTES);
  },
};
