import { setImmediate as nextTick } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openRedisStore } from '../../../gateway/redis/redis-store.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { block } from '../../support/block.ts';
import { withRedis } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

interface Context {
  redis: RedisServer;
  store: Store;
}

const LIMITS = { minute: 10, day: 200 };
/** So long that Redis usually does its work in time also on a busy machine. */
const WAIT_MS = 1000;
/** How often a test is tried while Redis itself is late. A gateway that takes its own pause for that of Redis fails every time. */
const ATTEMPTS = 4;
/** Longer than a request waits for Redis, and longer than Redis may be silent. */
const LONG_MS = 1500;
const VERY_LONG_MS = 3500;

const all = suite<Context>('a gateway that is busy, on Redis');
const register = withRedis(all);

/** Registers a test that counts for an account of its own in each attempt. */
function test(name: string, attempt: (store: Store, account: string) => Promise<void>): void {
  register(name, async ({ store }) => {
    for (let count = 1; ; count++) {
      try {
        return await attempt(store, `a${count}`);
      } catch (error) {
        if (!(error instanceof StoreError) || count === ATTEMPTS) throw error;
        await until(() => responds(store));
      }
    }
  });
}

async function responds(store: Store): Promise<boolean> {
  try {
    await store.ping();
    return true;
  } catch {
    return false;
  }
}

all.before.each(async (context) => {
  context.redis = await startRedis();
  context.store = await openRedisStore(context.redis.address, { waitMs: WAIT_MS });
});
all.after.each(async ({ redis, store }) => {
  await store.close();
  await redis.remove();
});

test('counts a request in Redis although it sends it late', async (store, account) => {
  for (let count = 1; count <= 3; count++) {
    const admission = store.countRequest(account, LIMITS);
    process.nextTick(() => block(LONG_MS));
    assert.is((await admission).counters.count, count);
  }
});

test('counts a request in Redis although it reads the reply late', async (store, account) => {
  for (let count = 1; count <= 3; count++) {
    const admission = store.countRequest(account, LIMITS);
    await nextTick();
    await nextTick();
    block(LONG_MS);
    assert.is((await admission).counters.count, count);
  }
});

test('knows the time of Redis although it reads replies late', async (store, account) => {
  for (let count = 1; count <= 4; count++) {
    // After this pause the time is requested from Redis; the reply is read after the next pause.
    block(LONG_MS);
    for (let ticks = 0; ticks < count; ticks++) await nextTick();
    block(LONG_MS);
    await nextTick();
    assert.is((await store.countRequest(account, LIMITS)).counters.count, count);
  }
});

test('finds a key although it reads it late', async (store) => {
  const found = store.find('key:a');
  block(LONG_MS);
  assert.equal(await found, [undefined, undefined]);
});

test('does not mistake its own pause for a silent Redis', async (store) => {
  const found = store.read(['a']);
  block(VERY_LONG_MS);
  await nextTick();
  assert.equal(await store.read(['b']), [undefined]);
  assert.equal(await found, [undefined]);
});

all.run();
