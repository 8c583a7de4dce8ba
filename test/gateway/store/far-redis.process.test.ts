import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openNearStore } from '../../../gateway/store/open-store.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { issueKey, startGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { withRedis } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { type DelayingProxy, startDelayingProxy } from './delaying-proxy.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

const all = suite<{ redis: RedisServer; proxy: DelayingProxy }>('Redis with a long round trip');
const test = withRedis(all);

all.before.each(async (context) => {
  context.redis = await startRedis();
  context.proxy = await startDelayingProxy(Number(new URL(context.redis.address).port));
});
all.after.each(async ({ redis, proxy }) => {
  await proxy.close();
  await redis.remove();
});

test('of 60 ms: keys that were never seen are served and counted at once', async ({ proxy }) => {
  proxy.delay(60);
  const gateway = await startGateway(SAMPLE_GAMES, {
    openStore: (log) => openNearStore(proxy.address, { log }),
  });
  // Redis knows the scripts before requests are counted: the first use of each takes two round trips.
  await gateway.ask('/api/games', { key: gateway.keys.free });
  await until(async () => (await gateway.ask('/api/games', { key: gateway.keys.free })).status === 200);
  // On a busy machine one may be refused. With a second round trip, all would be.
  let tries = 0;
  await until(async () => {
    const key = await issueKey(gateway.store, 'free', `${++tries}@example.org`);
    return (await gateway.ask('/api/games', { key })).status === 200;
  });
  await gateway.stop();
});

test('of 300 ms: refused at the start by default, usable with a longer timeout', async ({ proxy }) => {
  proxy.delay(300);
  const refused = await openNearStore(proxy.address, {}).catch((error: unknown) => error);
  assert.instance(refused, StoreError);
  assert.match((refused as Error).message, /not within 90 ms.*set --store-timeout to more than 250/);
  const store: Store = await openNearStore(proxy.address, { waitMs: 2000 });
  const found = await store.find('a');
  await store.close();
  assert.equal(found, [undefined, undefined]);
});

all.run();
