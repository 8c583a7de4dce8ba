import type { Door } from '../../core/commands/door.ts';

/** What each game of dist/ has, as tables. */
export const door: Door = {
  name: 'contents',
  commands: {
    contents: async () => (await import('./commands/contents.ts')).contentsCommand(),
  },
};
