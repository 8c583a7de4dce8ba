import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openRedisStore } from '../../../gateway/store/redis-store.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { withRedis } from '../../support/skip.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

interface Context {
  redis: RedisServer;
  gateway: TestGateway;
  /** A good key that the gateway has not seen. */
  unseen: string;
  /** Ends what a test started, the last first. */
  cleanUps: (() => Promise<void>)[];
}

const all = suite<Context>('a gateway whose Redis goes away');
const outage = withRedis(all);

/** Starts Redis and a gateway on it that has seen a Pro key, and a free key three times. */
async function prepare(context: Context): Promise<void> {
  context.redis = await startRedis();
  context.cleanUps.push(context.redis.remove);
  context.gateway = await startGateway(SAMPLE_GAMES, {
    openStore: (log) => openRedisStore(context.redis.address, { log }),
  });
  context.cleanUps.push(context.gateway.stop);
  const { gateway } = context;
  context.unseen = await issueKey(gateway.store, 'pro');
  await gateway.ask('/api/games');
  for (let n = 0; n < 3; n++) await gateway.ask('/api/games', { key: gateway.keys.free });
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

/** What the free account has used in the minute. */
async function usedOf({ gateway }: Context): Promise<number> {
  const me = await gateway.ask('/api/me', { key: gateway.keys.free });
  return me.json<{ usage: { minute: { used: number } } }>().usage.minute.used;
}

/** Waits for an answer; on a busy machine Redis may be late, and so taken for gone, once more. */
async function waitForStatus(
  gateway: TestGateway,
  path: string,
  key: string | null,
  status: number,
): Promise<void> {
  const deadline = Date.now() + 20_000;
  while ((await gateway.ask(path, { key })).status !== status) {
    assert.ok(Date.now() < deadline, `${path} does not become ${status}`);
  }
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
  await waitForStatus(gateway, '/readyz', null, 503);
  assert.is((await gateway.ask('/healthz', { key: null })).status, 200);
  const { heardAt } = gateway.store.revision();
  await sleep(500);
  assert.is(gateway.store.revision().heardAt, heardAt, 'nothing is heard of a store that is away');
}

async function checkHealed({ gateway, unseen }: Context): Promise<void> {
  await waitForStatus(gateway, '/readyz', null, 200);
  await waitForStatus(gateway, '/api/games', unseen, 200);
  const messages = gateway.logged.map((line) => (JSON.parse(line) as { message: string }).message);
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
  assert.is(await usedOf(context), 3, 'what Redis wrote to disk is there');
});

outage(
  'waits for no answer of a Redis that hangs, which counts nothing of it afterwards',
  async (context) => {
    await prepare(context);
    await context.redis.signal('SIGSTOP');
    await checkAlone(context);
    await context.redis.signal('SIGCONT');
    await checkHealed(context);
    assert.is(await usedOf(context), 3);
  },
);

outage('loses no request when Redis is killed under load', async (context) => {
  await prepare(context);
  const { gateway, redis } = context;
  let isOver = false;
  const statuses = new Set<number>();
  let admitted = 0;
  const load = Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      while (!isOver) {
        const isFree = n % 2 === 0;
        const [status = 0] = await statusesOf(gateway, isFree ? gateway.keys.free : gateway.keys.pro, 1);
        if (isFree && status === 200) admitted++;
        statuses.add(isFree ? status : -status);
      }
    }),
  );
  try {
    await waitForStatus(gateway, '/readyz', null, 200);
    await redis.signal('SIGKILL');
    await waitForStatus(gateway, '/readyz', null, 503);
    await redis.start();
    await checkHealed(context);
  } finally {
    isOver = true;
    await load;
  }
  assert.ok(statuses.has(-200));
  for (const status of statuses) assert.ok([200, 429, -200].includes(status), String(status));
  assert.is(admitted, 7);
});

outage('a reply that was held up tells what was true when it was asked for', async (context) => {
  const redis = await startRedis();
  context.cleanUps.push(redis.remove);
  const store = await openRedisStore(redis.address);
  context.cleanUps.push(() => store.close());
  await redis.signal('SIGSTOP');
  await sleep(700);
  const { heardAt } = store.revision();
  const resumed = performance.now();
  await redis.signal('SIGCONT');
  // Looked at in each turn of the event loop, so that none is missed: the next reply comes in another.
  while (store.revision().heardAt === heardAt) await nextTurn();
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
