import { ROUTE_CHANGES } from '../api/ports.ts';
import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'browse',
  offer() {
    ROUTE_CHANGES.offer('browse', async () => (await import('./routes.ts')).ROUTES);
  },
};
