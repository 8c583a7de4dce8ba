import { ROUTE_CHANGES } from '../api/ports.ts';
import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'openapi',
  offer() {
    ROUTE_CHANGES.offer('openapi', async () => (await import('./routes.ts')).ROUTES);
  },
};
