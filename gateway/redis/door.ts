import type { Door } from '../commands/door.ts';
import { REMOTE_STORES } from '../store/ports.ts';

export const door: Door = {
  name: 'redis',
  offer() {
    REMOTE_STORES.offer(async () => {
      const { openRedisStore } = await import('./redis-store.ts');
      return { open: openRedisStore };
    });
  },
};
