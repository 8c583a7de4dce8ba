import type { Door } from '../commands/door.ts';

export const door: Door = {
  name: 'guard',
  loadServed: async () => ({
    async prepare() {
      const { guardServer } = await import('./guard-server.ts');
      return () => ({ guard: guardServer });
    },
  }),
};
