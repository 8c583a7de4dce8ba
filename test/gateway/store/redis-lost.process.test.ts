import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/access/api-key.ts';
import { openStore } from '../../../gateway/store/open-store.ts';
import { initStore } from '../../../gateway/backup/init-store.ts';
import { openRedisStore } from '../../../gateway/redis/redis-store.ts';
import { StoreError, StoreRefusal } from '../../../gateway/store/store.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { withRedis } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { type RedisServer, sendToRedis, startRedis } from './redis-server.ts';

interface Context {
  redis: RedisServer;
  gateway: TestGateway;
  /** A valid key that the gateway has not seen. */
  unseen: string;
}

const all = suite<Context>('a store that Redis has lost');
const test = withRedis(all);

all.before.each(async (context) => {
  context.redis = await startRedis();
  const { redis } = context;
  context.gateway = await startGateway(SAMPLE_GAMES, {
    openStore: (log) => openRedisStore(redis.address, { log }),
  });
  context.unseen = await issueKey(context.gateway.store, 'pro', 'unseen@example.org');
});
all.after.each(async ({ gateway, redis }) => {
  await gateway.stop();
  await redis.remove();
});

function hasLogged({ logged }: TestGateway, text: string): boolean {
  return logged.some((line) => line.includes(text));
}

/** Starts Redis again without its data, and waits until the gateway notices. */
async function lose({ redis, gateway }: Context): Promise<void> {
  await redis.signal('SIGKILL');
  await redis.clear();
  await redis.start();
  await until(() => hasLogged(gateway, 'Redis runs without it'));
}

async function statusOf(gateway: TestGateway, path: string, key: string | null): Promise<number> {
  return (await gateway.ask(path, { key })).status;
}

test('makes no key unknown, and makes the gateway not ready, until a backup is restored', async (context) => {
  const { gateway, redis, unseen } = context;
  const backup = await redis.dump();
  let isOver = false;
  const statuses = new Set<number>();
  const load = (async () => {
    while (!isOver) statuses.add(await statusOf(gateway, '/api/games', unseen));
  })();
  await lose(context);
  await until(async () => (await statusOf(gateway, '/readyz', null)) === 503);
  assert.is(await statusOf(gateway, '/api/games', createKey().key), 503);
  assert.is(await statusOf(gateway, '/readyz', null), 503);
  const issued = issueKey(gateway.store, 'pro', 'new@example.org');
  assert.instance(await issued.catch((error: unknown) => error), StoreError);

  await redis.signal('SIGKILL');
  await redis.clear(backup);
  await redis.start();
  await until(async () => (await statusOf(gateway, '/readyz', null)) === 200);
  isOver = true;
  await load;
  assert.not.ok(statuses.has(401), [...statuses].join());
  assert.is(await statusOf(gateway, '/api/games', unseen), 200);
});

test('is refused at start and by commands, until the loss is accepted', async (context) => {
  const { gateway, redis, unseen } = context;
  const before = await gateway.store.identity();
  await lose(context);
  const opened = await openRedisStore(redis.address).catch((error: unknown) => error);
  assert.instance(opened, StoreRefusal);
  const listed = await runInProcess('gateway', ['keys', 'list', '--store', redis.address]);
  assert.is(listed.code, 1);
  assert.match(
    listed.stderr,
    /^gateway: the store redis:\S+ was lost: .*; restore a backup, or accept the loss with/,
  );

  const given = await runInProcess('gateway', ['store', 'init', '--store', redis.address, '--json']);
  assert.is(given.code, 0, given.stderr);
  assert.is((JSON.parse(given.stdout) as { identity: string }).identity, before);
  await until(async () => (await statusOf(gateway, '/readyz', null)) === 200);
  await until(async () => (await statusOf(gateway, '/api/games', unseen)) === 401);
  assert.is(
    await statusOf(gateway, '/api/games', await issueKey(gateway.store, 'pro', 'new@example.org')),
    200,
  );
});

test('is refused at start, if its identity is expected, although no gateway ran meanwhile', async () => {
  const redis = await startRedis();
  try {
    const open = (identity: string) => openStore(redis.address, { identity });
    const store = await openStore(redis.address);
    const identity = await store.identity();
    await store.close();
    await (await open(identity)).close();
    const other = (await open('another').catch((error: unknown) => error)) as Error;
    assert.match(other.message, `its identity is ${identity}, expected another (--store-id)`);
    await sendToRedis(redis, ['FLUSHALL']);
    const lost = (await open(identity).catch((error: unknown) => error)) as Error;
    assert.instance(lost, StoreRefusal);
    assert.match(lost.message, /was lost: Redis runs without it; restore a backup, or accept the loss/);
    const listed = await runInProcess('gateway', ['keys', 'list', '--store', redis.address]);
    assert.is(listed.code, 1, 'commands do not begin an empty store either');
    assert.is(await initStore(redis.address), identity);
    await (await open(identity)).close();
  } finally {
    await redis.remove();
  }
});

test('is noticed if everything is removed while the connection stays open', async ({
  redis,
  gateway,
  unseen,
}) => {
  await sendToRedis(redis, ['FLUSHALL']);
  assert.is(await statusOf(gateway, '/api/games', unseen), 503);
  const asked = gateway.store.read(['a']).catch((error: unknown) => error);
  assert.instance(await asked, StoreRefusal);
});

test('is not confused with another store in its place', async ({ redis, gateway, unseen }) => {
  await sendToRedis(redis, ['SET', 'gdr:record:identity', '|another']);
  await until(() => hasLogged(gateway, 'is not the same as before'));
  assert.is(await statusOf(gateway, '/api/games', unseen), 503);
  assert.is(await statusOf(gateway, '/readyz', null), 503);
});

test('does not turn off gateways while Redis is full: they read from it, and count on their own', async ({
  redis,
  gateway,
}) => {
  // The gateway has learnt the clock of Redis when it counts on its own.
  const known = await statusOf(gateway, '/api/games', gateway.keys.free);
  const unseen = await issueKey(gateway.store, 'free', 'unseen@example.org');
  await sendToRedis(redis, ['CONFIG', 'SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction']);
  const failure = await gateway.store.ping().catch((error: unknown) => error);
  assert.instance(failure, StoreRefusal);
  assert.equal([known, await statusOf(gateway, '/readyz', null)], [200, 200]);
  const statuses = await Promise.all(
    Array.from({ length: 12 }, () => statusOf(gateway, '/api/games', unseen)),
  );
  assert.equal(statuses.sort(), [...Array(10).fill(200), 429, 429]);
  assert.ok(hasLogged(gateway, 'OOM command not allowed'));
  assert.not.ok(hasLogged(gateway, 'damaged counters'));
  await sendToRedis(redis, ['CONFIG', 'SET', 'maxmemory', '0']);
  await until(() => hasLogged(gateway, 'quotas are counted in the store again'));
  assert.is(await statusOf(gateway, '/api/games', unseen), 429);
  assert.is(await statusOf(gateway, '/readyz', null), 200);
});

all.run();
