import { setImmediate as nextTick } from 'node:timers/promises';
import { createClient } from 'redis';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountByEmail } from '../../../gateway/people/accounts/accounts.ts';
import { openRedisStore } from '../../../gateway/store/redis-store.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { issueKey, NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { withRedis } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

interface Context {
  redis: RedisServer;
  gateway: TestGateway;
  /** A good key that the gateway has not seen. */
  unseen: string;
  /** The id of the account that the free key belongs to. */
  account: string;
  /** Ends what a test started, the last first. */
  cleanUps: (() => Promise<void>)[];
}

const all = suite<Context>('a gateway whose Redis goes away');
const outage = withRedis(all);

/** Starts Redis and a gateway on it that has seen a Pro key, and a free key so many times as Redis has counted. */
async function prepare(context: Context, used = 3, now?: () => number): Promise<void> {
  context.redis = await startRedis();
  context.cleanUps.push(context.redis.remove);
  context.gateway = await startGateway(SAMPLE_GAMES, {
    openStore: (log) => openRedisStore(context.redis.address, { log, ...(now && { now }) }),
  });
  context.cleanUps.push(context.gateway.stop);
  const { gateway } = context;
  context.unseen = await issueKey(gateway.store, 'pro');
  context.account = (await accountByEmail(gateway.store, 'free@example.org'))?.account.id ?? '';
  await waitForStatus(gateway, '/api/games', gateway.keys.pro, 200);
  // Where the machine is busy and Redis late, the gateway counts some by itself.
  await until(async () => {
    await gateway.ask('/api/games', { key: gateway.keys.free });
    return (await readUse(context)).split(' ')[1] === String(used);
  });
}

/** What Redis holds of the free account: the day, how many requests there were, and their times. */
async function readUse({ redis, account }: Context): Promise<string> {
  const client = createClient({ url: redis.address });
  await client.connect();
  const use = await client.get(`gdr:quota:${account}`);
  client.destroy();
  return use ?? '';
}

all.before.each((context) => {
  context.cleanUps = [];
});
all.after.each(async ({ cleanUps }) => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

async function statusesOf(gateway: TestGateway, key: string, count: number): Promise<number[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => (await gateway.ask('/api/games', { key })).status),
  );
}

/** Waits for a response; on a busy machine Redis may be late, and so taken for gone, once more. */
async function waitForStatus(
  gateway: TestGateway,
  path: string,
  key: string | null,
  status: number,
): Promise<void> {
  await until(async () => (await gateway.ask(path, { key })).status === status);
}

/** Waits until the store has not been heard of for longer than it takes to ask it a few times. */
async function waitForSilence(store: Store): Promise<void> {
  await until(() => performance.now() - store.revision().heardAt > 1000);
}

/** How it has to be while Redis is away, which `prepare` made ready: every answer comes though Redis never does. */
async function checkAlone({ gateway, unseen }: Context): Promise<void> {
  assert.equal(new Set(await statusesOf(gateway, gateway.keys.pro, 30)), new Set([200]));
  const free = await statusesOf(gateway, gateway.keys.free, 12);
  assert.is(free.filter((status) => status === 200).length, 7, 'the caps go on from what Redis told last');
  assert.is(free.filter((status) => status === 429).length, 5);
  const { status, headers, json } = await gateway.ask('/api/games', { key: unseen });
  assert.equal(
    [status, headers.get('retry-after'), json<{ code: string }>().code],
    [503, '5', 'unavailable'],
  );
  assert.is((await gateway.ask('/readyz', { key: null })).status, 200, 'known keys are served');
  assert.is((await gateway.ask('/healthz', { key: null })).status, 200);
  await waitForSilence(gateway.store);
}

function messagesOf({ logged }: TestGateway): string[] {
  return logged.map((line) => (JSON.parse(line) as { message: string }).message);
}

async function checkHealed({ gateway, unseen }: Context): Promise<void> {
  await waitForStatus(gateway, '/api/games', unseen, 200);
  const messages = messagesOf(gateway);
  const told = messages.filter((message) => message.startsWith('the store'));
  told.forEach((message, index) => {
    assert.is(message, index % 2 ? 'the store is back' : 'the store failed', 'each is told once');
  });
  assert.ok(told.length >= 2);
  assert.ok(messages.includes('quotas are counted by this gateway alone'));
}

outage('goes on alone while Redis is stopped, and all is well when it is back', async (context) => {
  await prepare(context);
  await context.redis.signal('SIGTERM');
  await checkAlone(context);
  await context.redis.start();
  await checkHealed(context);
  // What Redis wrote to disk is there, and what was counted without it.
  await until(async () => (await readUse(context)).split(' ')[1] === '10');
});

outage(
  'waits for no answer of a Redis that hangs, which counts nothing of it afterwards',
  async (context) => {
    await prepare(context);
    await context.redis.signal('SIGSTOP');
    const sent = context.gateway.store.countRequest(context.account, { minute: 10, day: 200 });
    assert.instance(await sent.catch((error: unknown) => error), StoreError);
    await checkAlone(context);
    await context.redis.signal('SIGCONT');
    await checkHealed(context);
    await until(async () => (await readUse(context)).split(' ')[1] === '10');
  },
);

outage(
  'loses no request when Redis is killed under load, and admits none beyond the caps',
  async (context) => {
    // The time stands still, so that no request leaves its minute.
    await prepare(context, 10, () => NOON);
    const { gateway, redis } = context;
    let isOver = false;
    const statuses = { free: new Set<number>(), pro: new Set<number>() };
    const load = Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const tier = n % 2 ? 'pro' : 'free';
        while (!isOver)
          statuses[tier].add((await gateway.ask('/api/games', { key: gateway.keys[tier] })).status);
      }),
    );
    try {
      await waitForStatus(gateway, '/readyz', null, 200);
      await redis.signal('SIGKILL');
      await until(() => messagesOf(gateway).includes('the store failed'));
      await redis.start();
      await checkHealed(context);
    } finally {
      isOver = true;
      await load;
    }
    assert.equal(statuses, { free: new Set([429]), pro: new Set([200]) });
  },
);

/** Starts another gateway on the Redis of a test, where the time stands still. */
async function addGateway({ redis, cleanUps }: Context): Promise<TestGateway> {
  const gateway = await startGateway(SAMPLE_GAMES, {
    openStore: (log) => openRedisStore(redis.address, { log, now: () => NOON }),
  });
  cleanUps.push(gateway.stop);
  return gateway;
}

for (const [signal, comeBack] of [
  ['SIGKILL', (redis: RedisServer) => redis.start()],
  ['SIGSTOP', (redis: RedisServer) => redis.signal('SIGCONT')],
] as const) {
  outage(
    `what three gateways count alone while ${signal} holds Redis is counted there once`,
    async (context) => {
      context.redis = await startRedis();
      context.cleanUps.push(context.redis.remove);
      const gateways = [await addGateway(context), await addGateway(context), await addGateway(context)];
      const [first] = gateways as [TestGateway];
      context.account = (await accountByEmail(first.store, 'free@example.org'))?.account.id ?? '';
      const { free } = first.keys;
      // Each has the key in memory; a request that is answered by 304 or 400 would count as well.
      for (const gateway of gateways) await waitForStatus(gateway, '/api/me', free, 200);
      await context.redis.signal(signal);
      for (const gateway of gateways) {
        const statuses = await statusesOf(gateway, free, 12);
        assert.is(statuses.filter((status) => status === 200).length, 10, 'each counts by itself');
      }
      await comeBack(context.redis);
      await until(async () => (await readUse(context)).split(' ')[1] === '30');
      for (const gateway of gateways) {
        await until(() => messagesOf(gateway).includes('quotas are counted in the store again'));
        assert.equal(new Set(await statusesOf(gateway, free, 4)), new Set([429]));
      }
      assert.is((await readUse(context)).split(' ')[1], '30');
    },
  );
}

outage('a reply that was held up tells what was true when it was asked for', async (context) => {
  const redis = await startRedis();
  context.cleanUps.push(redis.remove);
  const store = await openRedisStore(redis.address);
  context.cleanUps.push(() => store.close());
  await redis.signal('SIGSTOP');
  await waitForSilence(store);
  // It was asked before the timers of this tick are done.
  await nextTick();
  const { heardAt } = store.revision();
  const resumed = performance.now();
  await redis.signal('SIGCONT');
  // Looked at in each tick of the event loop, so that none is missed: the next reply comes in another.
  while (store.revision().heardAt === heardAt) await nextTick();
  assert.ok(store.revision().heardAt < resumed);
});

outage('is told in one line where there is no Redis, without its password', async (context) => {
  const redis = await startRedis();
  context.cleanUps.push(redis.remove);
  await redis.signal('SIGKILL');
  const address = redis.address.replace('redis://', 'redis://ada:secret@');
  const error: Error = (await openRedisStore(address).catch((reason: Error) => reason)) as Error;
  assert.match(
    error.message,
    /^cannot open the store redis:\/\/ada@127\.0\.0\.1:\d+: .*; see whether Redis runs/,
  );
  assert.not.match(error.message, /secret|\n/);
});

all.run();
