import type { Door } from '../commands/door.ts';

/** What each game of dist/ has, as tables. */
export const door: Door = {
  name: 'contents',
  commands: {
    contents: async () => (await import('./commands/contents.ts')).contentsCommand(),
  },
};
