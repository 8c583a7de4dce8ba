import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'workers',
  loadServed: async () => (await import('./commands/serve-workers.ts')).SERVED_WORKERS,
};
