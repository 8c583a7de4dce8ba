import { responseSchemas, routeChanges } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'openapi',
  offer() {
    routeChanges.offer('openapi', async () => (await import('./routes.ts')).ROUTES);
    responseSchemas.offer(async () => (await import('./schemas.ts')).SCHEMAS);
  },
};
