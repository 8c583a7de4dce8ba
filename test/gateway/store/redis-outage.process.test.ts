import { setImmediate as nextTick } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { counterNameOf } from '../../../gateway/access/account.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { type Transaction, table, transact } from '../../../gateway/store/transaction.ts';
import { accountByEmail } from '../../../gateway/people/accounts/account-records.ts';
import { openRedisStore } from '../../../gateway/redis/redis-store.ts';
import { find } from '../../../gateway/lists/lists.ts';
import { issueKey, NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { withRedis } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { startDelayingProxy } from './delaying-proxy.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

interface Context {
  redis: RedisServer;
  gateway: TestGateway;
  /** A valid key that the gateway has not seen. */
  unseen: string;
  /** The name of the counters of the account that the free key belongs to. */
  account: string;
  /** Ends everything that a test started, in reverse order. */
  cleanUps: (() => Promise<void>)[];
}

const all = suite<Context>('a gateway whose Redis goes away');
const outage = withRedis(all);

/** Starts Redis and a gateway that has seen a Pro key and a free key, until Redis has counted all requests of the free key. */
async function prepare(context: Context, used = 3, now?: () => number): Promise<void> {
  context.redis = await startRedis();
  context.cleanUps.push(context.redis.remove);
  context.gateway = await startGateway(SAMPLE_GAMES, {
    openStore: (log) => openRedisStore(context.redis.address, { log, ...(now && { now }) }),
  });
  context.cleanUps.push(context.gateway.stop);
  const { gateway } = context;
  context.unseen = await issueKey(gateway.store, 'pro');
  context.account = await findCounters(gateway.store);
  await waitForStatus(gateway, '/api/games', gateway.keys.pro, 200);
  // If Redis is late on a busy machine, the gateway counts some requests in memory.
  await until(async () => {
    await gateway.ask('/api/games', { key: gateway.keys.free });
    return (await readUse(context)).split(' ')[1] === String(used);
  });
}

async function findCounters(store: Store): Promise<string> {
  const found = await accountByEmail(store, 'free@example.org');
  assert.ok(found);
  return counterNameOf(found.account);
}

/** The counters of the free account in Redis: the day, the number of requests, and their times. */
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

/** Waits for a status. On a busy machine Redis may be late, and then counts as gone once more. */
async function waitForStatus(
  gateway: TestGateway,
  path: string,
  key: string | null,
  status: number,
): Promise<void> {
  await until(async () => (await gateway.ask(path, { key })).status === status);
}

/** Waits until the store has not responded to several probes. */
async function waitForSilence(store: Store): Promise<void> {
  await until(() => performance.now() - store.revision().heardAt > 1000);
}

/** Checks the behaviour while Redis is away, after `prepare`: every request gets a response. */
async function checkAlone({ gateway, unseen }: Context): Promise<void> {
  assert.equal(new Set(await statusesOf(gateway, gateway.keys.pro, 30)), new Set([200]));
  const free = await statusesOf(gateway, gateway.keys.free, 12);
  assert.is(
    free.filter((status) => status === 200).length,
    7,
    'the caps continue from the last counters of Redis',
  );
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
  const events = messages.filter((message) => message.startsWith('the store'));
  events.forEach((message, index) => {
    assert.is(message, index % 2 ? 'the store is back' : 'the store failed', 'each is logged once');
  });
  assert.ok(events.length >= 2);
  assert.ok(messages.includes('quotas are counted by this gateway alone'));
}

outage('continues alone while Redis is stopped, and recovers when it is back', async (context) => {
  await prepare(context);
  await context.redis.signal('SIGTERM');
  await checkAlone(context);
  await context.redis.start();
  await checkHealed(context);
  // The counters are those that Redis wrote to disk, and those counted without it.
  await until(async () => (await readUse(context)).split(' ')[1] === '10');
});

outage('does not wait for a Redis that hangs, which counts none of these requests later', async (context) => {
  await prepare(context);
  await context.redis.signal('SIGSTOP');
  const sent = context.gateway.store.countRequest(context.account, { minute: 10, day: 200 });
  assert.instance(await sent.catch((error: unknown) => error), StoreError);
  await checkAlone(context);
  await context.redis.signal('SIGCONT');
  await checkHealed(context);
  await until(async () => (await readUse(context)).split(' ')[1] === '10');
});

outage('loses no request when Redis is killed under load, and never exceeds the caps', async (context) => {
  // The clock is stopped, so that no request leaves its minute.
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
});

/** Starts another gateway, with a stopped clock, on the Redis of a test. */
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
    `requests that three gateways count alone during ${signal} are added to Redis once`,
    async (context) => {
      context.redis = await startRedis();
      context.cleanUps.push(context.redis.remove);
      const gateways = [await addGateway(context), await addGateway(context), await addGateway(context)];
      const [first] = gateways as [TestGateway];
      context.account = await findCounters(first.store);
      const { free } = first.keys;
      // Puts the key into the memory of each; this request does not count.
      for (const gateway of gateways) await waitForStatus(gateway, '/api/me', free, 200);
      await context.redis.signal(signal);
      for (const gateway of gateways) {
        const statuses = await statusesOf(gateway, free, 12);
        assert.is(statuses.filter((status) => status === 200).length, 10, 'each counts on its own');
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

outage('a commit is done once although the connection breaks before its reply', async ({ cleanUps }) => {
  const redis = await startRedis();
  cleanUps.push(redis.remove);
  const proxy = await startDelayingProxy(Number(new URL(redis.address).port));
  cleanUps.push(proxy.close);
  const store = await openRedisStore(proxy.address);
  cleanUps.push(() => store.close());
  const NUMBERS = table<{ n: number }>('number');
  const raise = async (transaction: Transaction) => {
    const { n } = (await transaction.get(NUMBERS, 'a')) ?? { n: 0 };
    transaction.put(NUMBERS, 'a', { n: n + 1 });
    return n + 1;
  };
  const done = { tried: 0, acknowledged: 0 };
  // On a busy machine it takes longer to connect again than a commit waits, which then fails.
  while (done.acknowledged < 3) {
    proxy.loseReply('"n":');
    done.tried++;
    const raised = await transact(store, raise).catch((error: unknown) => error);
    if (!(raised instanceof StoreError)) done.acknowledged++;
  }
  await until(async () => !((await store.ping().catch((error: unknown) => error)) instanceof StoreError));
  const n = (await find(store, NUMBERS, 'a'))?.n ?? 0;
  assert.ok(done.acknowledged <= n && n <= done.tried, `${n} of ${JSON.stringify(done)}`);
});

outage('a delayed reply counts as read when it was requested', async (context) => {
  const redis = await startRedis();
  context.cleanUps.push(redis.remove);
  const store = await openRedisStore(redis.address);
  context.cleanUps.push(() => store.close());
  await redis.signal('SIGSTOP');
  await waitForSilence(store);
  // It was requested before the timers of this tick are done.
  await nextTick();
  const { heardAt } = store.revision();
  const resumed = performance.now();
  await redis.signal('SIGCONT');
  // Checks in every event-loop tick, so that no reply is missed: the next reply arrives in another tick.
  while (store.revision().heardAt === heardAt) await nextTick();
  assert.ok(store.revision().heardAt < resumed);
});

outage('reports in one line that there is no Redis, without its password', async (context) => {
  const redis = await startRedis();
  context.cleanUps.push(redis.remove);
  await redis.signal('SIGKILL');
  const address = redis.address.replace('redis://', 'redis://ada:secret@');
  const error: Error = (await openRedisStore(address).catch((reason: Error) => reason)) as Error;
  assert.match(
    error.message,
    /^cannot open the store redis:\/\/ada@127\.0\.0\.1:\d+: .*; check that Redis runs/,
  );
  assert.not.match(error.message, /secret|\n/);
});

all.run();
