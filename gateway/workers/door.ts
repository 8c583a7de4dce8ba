import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'workers',
  loadServed: async () => (await import('./commands/serve-workers.ts')).SERVED_WORKERS,
};
