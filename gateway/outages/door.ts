import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'outages',
  loadServed: async () => ({
    prepare: async () => (await import('./make-outages.ts')).makeOutages,
  }),
};
