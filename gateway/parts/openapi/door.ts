import { ROUTE_CHANGES } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'openapi',
  offer() {
    ROUTE_CHANGES.offer('openapi', async () => (await import('./routes.ts')).ROUTES);
  },
};
