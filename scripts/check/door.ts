import type { Door } from '../commands/door.ts';

/** Does everything that a build does, except writing, and compares with what is published. */
export const door: Door = {
  name: 'check',
  commands: {
    check: async (start) => (await import('./commands/check.ts')).checkCommand(start),
  },
};
