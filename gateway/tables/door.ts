import { ROUTE_CHANGES, ROW_FORMS } from '../api/ports.ts';
import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'tables',
  offer() {
    ROW_FORMS.offer(async () => (await import('./forms.ts')).FORMS);
    ROUTE_CHANGES.offer('tables', async () => (await import('./read-address.ts')).ADDRESS_ROUTES);
  },
};
