import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'site',
  loadServed: async () => (await import('./serve-site.ts')).SERVED_SITE,
};
