import { setImmediate as nextTick } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openRedisStore } from '../../../gateway/store/redis-store.ts';
import type { Store } from '../../../gateway/store/store.ts';
import { block } from '../../support/block.ts';
import { withRedis } from '../../support/skip.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

interface Context {
  redis: RedisServer;
  store: Store;
}

const LIMITS = { minute: 10, day: 200 };
/** Longer than a request waits for Redis, and than Redis may be silent. */
const LONG_MS = 400;
const VERY_LONG_MS = 3500;

const all = suite<Context>('a gateway that is busy, on Redis');
const test = withRedis(all);

all.before.each(async (context) => {
  context.redis = await startRedis();
  context.store = await openRedisStore(context.redis.address);
});
all.after.each(async ({ redis, store }) => {
  await store.close();
  await redis.remove();
});

test('counts a request in Redis, though it sends it late', async ({ store }) => {
  for (let count = 1; count <= 3; count++) {
    const admission = store.countRequest('a', LIMITS);
    process.nextTick(() => block(LONG_MS));
    assert.is((await admission).counters.count, count);
  }
});

test('counts a request in Redis, though it reads the response late', async ({ store }) => {
  for (let count = 1; count <= 3; count++) {
    const admission = store.countRequest('a', LIMITS);
    await nextTick();
    await nextTick();
    block(LONG_MS);
    assert.is((await admission).counters.count, count);
  }
});

test('is not misled about the time of Redis by what it reads late', async ({ store }) => {
  for (let count = 1; count <= 4; count++) {
    // After this Redis is asked for its time, and what it responds is read after the next.
    block(LONG_MS);
    for (let ticks = 0; ticks < count; ticks++) await nextTick();
    block(LONG_MS);
    await nextTick();
    assert.is((await store.countRequest('a', LIMITS)).counters.count, count);
  }
});

test('finds a key though it reads it late', async ({ store }) => {
  const found = store.read(['key:a'], 90);
  block(LONG_MS);
  assert.equal(await found, [undefined]);
});

test('does not take its own silence for that of Redis', async ({ store }) => {
  const found = store.read(['a']);
  block(VERY_LONG_MS);
  await nextTick();
  assert.equal(await store.read(['b']), [undefined]);
  assert.equal(await found, [undefined]);
});

all.run();
