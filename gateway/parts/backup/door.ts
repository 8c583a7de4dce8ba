import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'backup',
  commands: {
    store: {
      summary: 'initialise, back up, verify, restore and migrate a store',
      load: async () => (await import('./commands/store.ts')).storeCommand(),
    },
  },
};
