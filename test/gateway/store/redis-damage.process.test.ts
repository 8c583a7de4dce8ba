import { createClient } from '@redis/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openRedisStore } from '../../../gateway/redis/redis-store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { withRedis } from '../../support/skip.ts';
import { startRedis } from './redis-server.ts';

const damage = suite('counters in redis that are damaged');
const test = withRedis(damage);
const LIMITS = { minute: 10, day: 200 };

test('fail only for their own account, with its name, until they are deleted', async () => {
  const redis = await startRedis();
  const client = createClient({ url: redis.address });
  client.on('error', () => {});
  await client.connect();
  const store = await openRedisStore(redis.address);
  try {
    await client.lPush('gdr:quota:list', 'x');
    await client.set('gdr:quota:text', 'no numbers');
    const accounts = ['before', 'list', 'between', 'text', 'after'];
    const told = await Promise.allSettled(accounts.map((account) => store.countRequest(account, LIMITS)));
    for (const [index, result] of told.entries()) {
      const account = accounts[index] as string;
      if (result.status === 'fulfilled') {
        assert.equal([result.value.admitted, result.value.counters.count], [true, 1], account);
        continue;
      }
      assert.ok(['list', 'text'].includes(account), account);
      assert.instance(result.reason, StoreError);
      assert.match(result.reason.message, `gdr:quota:${account}`);
    }
    assert.is(told.filter(({ status }) => status === 'rejected').length, 2);
    for (const account of ['before', 'between', 'after'])
      assert.is((await store.readCounters(account)).counters.count, 1);
    const failed = await Promise.allSettled([store.readCounters('list'), store.uncountRequest('list', 1)]);
    for (const { status } of failed) assert.is(status, 'rejected');
    await client.del('gdr:quota:list');
    assert.is((await store.countRequest('list', LIMITS)).admitted, true);
  } finally {
    await store.close();
    client.destroy();
    await redis.remove();
  }
});

damage.run();
