import type { Door } from '../commands/door.ts';
import { WATCH } from '../commands/watch.ts';

/** What builds again after each change. */
export const door: Door = {
  name: 'watch',
  offer: () => WATCH.offer(async () => (await import('./watch-games.ts')).watchGames),
};
