import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openRedisStore } from '../../../gateway/redis/redis-store.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { findFreePort } from '../../support/free-port.ts';
import { withRedis } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { type RedisServer, sendToRedis, startRedis } from '../store/redis-server.ts';

interface Context {
  master: RedisServer;
  replica: RedisServer;
  /** `redis://` */
  sentinel: string;
  /** What `--store` takes. */
  address: string;
  store: Store;
  cleanUps: (() => Promise<void>)[];
}

const LIMITS = { minute: 10, day: 200 };
const PASSWORD = 'a-secret';

const all = suite<Context>('a store on the master of sentinels');
const test = withRedis(all);

all.before.each(async (context) => {
  context.cleanUps = [];
  const login = { requirepass: PASSWORD, masterauth: PASSWORD };
  context.master = await startRedis(login);
  context.cleanUps.push(context.master.remove);
  const { hostname, port } = new URL(context.master.address);
  context.replica = await startRedis({ ...login, replicaof: `${hostname} ${port}` });
  context.cleanUps.push(context.replica.remove);
  await startSentinel(context);
  context.store = await openRedisStore(context.address);
  context.cleanUps.push(() => context.store.close());
});
all.after.each(async ({ cleanUps }) => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** Starts one sentinel, which decides alone. It has no password. */
async function startSentinel(context: Context): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sentinel-'));
  const port = await findFreePort();
  const { hostname, port: masterPort } = new URL(context.master.address);
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor games ${hostname} ${masterPort} 1`,
    `sentinel auth-pass games ${PASSWORD}`,
    'sentinel down-after-milliseconds games 500',
    'sentinel failover-timeout games 2000',
  ];
  const file = path.join(folder, 'sentinel.conf');
  await writeFile(file, `${settings.join('\n')}\n`);
  const child: ChildProcess = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  context.cleanUps.push(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true });
  });
  context.sentinel = `redis://127.0.0.1:${port}`;
  context.address = `redis+sentinel://:${PASSWORD}@127.0.0.1:1,127.0.0.1:${port}/games`;
  await until(async () => {
    const [, replicas] = await Promise.all([
      sendToRedis({ address: context.sentinel }, ['PING']),
      sendToRedis({ address: context.sentinel }, ['SENTINEL', 'REPLICAS', 'games']),
    ]).catch(() => []);
    return Array.isArray(replicas) && replicas.length === 1;
  });
}

/** The address of a server with its password. */
function withLogin({ address }: RedisServer): string {
  return address.replace('://', `://:${PASSWORD}@`);
}

async function isDone(asked: Promise<unknown>): Promise<boolean> {
  return await asked.then(
    () => true,
    (error: unknown) => {
      assert.instance(error, StoreError);
      return false;
    },
  );
}

test('goes on with the server that takes the place of the master, and counts on there', async (context) => {
  const { store, master, replica } = context;
  const identity = await store.identity();
  const write = (name: string) =>
    store.commit({ read: new Map(), write: new Map([[name, { value: 'one' }]]) });
  assert.ok(await write('a:1'));
  for (let n = 1; n <= 3; n++) await store.countRequest('a', LIMITS);
  await until(async () =>
    String(await sendToRedis({ address: withLogin(master) }, ['INFO', 'replication'])).includes(
      'state=online',
    ),
  );
  await master.signal('SIGSTOP');
  await until(() => isDone(store.ping()));
  await until(() => isDone(write('a:2')));
  assert.equal(await store.read(['a:1', 'a:2']), ['one', 'one']);
  assert.is((await store.countRequest('a', LIMITS)).counters.count, 4);
  assert.is(await store.identity(), identity);
  const role = await sendToRedis({ address: withLogin(replica) }, ['ROLE']);
  assert.is((role as string[])[0], 'master');
});

test('is refused where an address names a sentinel, a replica, or a master that they do not know', async (context) => {
  const cases: [address: string, reason: RegExp][] = [
    [context.sentinel, /it is a Redis Sentinel; name it as redis\+sentinel:/],
    [withLogin(context.replica), /it is a replica, which takes no writes; name its master/],
    [
      context.address.replace('/games', '/chess'),
      /no sentinel leads to the master chess: .*No such master with that name/,
    ],
  ];
  for (const [address, reason] of cases) {
    const error = (await openRedisStore(address).catch((failure: unknown) => failure)) as Error;
    assert.instance(error, StoreError);
    assert.match(error.message, reason);
    assert.not.match(error.message, PASSWORD);
  }
});

all.run();
