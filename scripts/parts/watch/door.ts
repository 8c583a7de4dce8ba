import type { Door } from '../../core/commands/door.ts';
import { WATCH } from '../../core/commands/watch.ts';

/** What builds again after each change. */
export const door: Door = {
  name: 'watch',
  offer: () => WATCH.offer(async () => (await import('./watch-games.ts')).watchGames),
};
