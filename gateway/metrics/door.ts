import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'metrics',
  loadServed: async () => (await import('./serve-metrics.ts')).SERVED_METRICS,
};
