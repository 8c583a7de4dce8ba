import type { Door } from '../commands/door.ts';

const CACHE_BYTES = 64 * 1024 * 1024;

export const door: Door = {
  name: 'replies',
  loadServed: async () => ({
    async prepare() {
      const { ReplyCache } = await import('./shared/reply-cache.ts');
      return () => ({ replies: new ReplyCache(CACHE_BYTES) });
    },
  }),
};
