import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'limits',
  loadServed: async () => ({
    async prepare() {
      const { ClientLimits } = await import('./client-limits.ts');
      return () => ({ limits: new ClientLimits() });
    },
  }),
};
