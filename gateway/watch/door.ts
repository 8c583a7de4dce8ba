import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'watch',
  loadServed: async () => (await import('./serve-watch.ts')).SERVED_WATCH,
};
