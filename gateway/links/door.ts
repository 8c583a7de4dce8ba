import { ROUTE_CHANGES } from '../api/ports.ts';
import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'links',
  offer() {
    ROUTE_CHANGES.offer('links', async () => (await import('./routes.ts')).ROUTES);
  },
  loadServed: async () => (await import('./serve-links.ts')).SERVED_LINKS,
};
