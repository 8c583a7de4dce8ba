import { ROUTE_CHANGES } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'links',
  offer() {
    ROUTE_CHANGES.offer('links', async () => (await import('./routes.ts')).ROUTES);
  },
  loadServed: async () => (await import('./serve-links.ts')).SERVED_LINKS,
};
