import type { Door } from '../../core/commands/door.ts';

const CACHE_BYTES = 64 * 1024 * 1024;

export const door: Door = {
  name: 'replies',
  loadServed: async () => ({
    async prepare() {
      const { ReplyCache } = await import('../../shared/replies/reply-cache.ts');
      return () => ({ replies: new ReplyCache(CACHE_BYTES) });
    },
  }),
};
