import { openRedisStore } from '../../../gateway/store/redis-store.ts';
import { withRedis } from '../../skip.ts';
import { testStore } from './conformance.ts';
import { startRedis } from './redis-server.ts';

testStore(
  'redis',
  async () => {
    const server = await startRedis();
    return {
      address: server.address,
      open: (now) => openRedisStore(server.address, now ? { now } : {}),
      readAll: server.readAll,
      remove: server.remove,
    };
  },
  withRedis,
);
