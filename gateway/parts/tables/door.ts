import { routeChanges, rowForms } from '../../core/api/ports.ts';
import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'tables',
  offer() {
    rowForms.offer(async () => (await import('./forms.ts')).FORMS);
    routeChanges.offer('tables', async () => (await import('./read-address.ts')).ADDRESS_ROUTES);
  },
};
