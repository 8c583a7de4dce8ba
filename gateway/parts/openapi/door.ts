import { RESPONSE_SCHEMAS, ROUTE_CHANGES } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'openapi',
  offer() {
    ROUTE_CHANGES.offer('openapi', async () => (await import('./routes.ts')).ROUTES);
    RESPONSE_SCHEMAS.offer(async () => (await import('./schemas.ts')).SCHEMAS);
  },
};
