import { routeChanges } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'bulk',
  offer() {
    routeChanges.offer('bulk', async () => (await import('./routes.ts')).ROUTES);
  },
};
