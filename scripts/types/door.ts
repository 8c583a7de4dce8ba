import type { Door } from '../commands/door.ts';

/** The types of a game's records as TypeScript. */
export const door: Door = {
  name: 'types',
  commands: {
    types: async () => (await import('./commands/types.ts')).typesCommand(),
  },
};
