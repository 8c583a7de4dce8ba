import { ROUTE_CHANGES } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'bulk',
  offer() {
    ROUTE_CHANGES.offer('bulk', async () => (await import('./routes.ts')).ROUTES);
  },
};
