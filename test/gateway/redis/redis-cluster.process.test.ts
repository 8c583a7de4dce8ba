import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { slotOf } from '../../../gateway/redis/redis-clients.ts';
import { openRedisStore } from '../../../gateway/redis/redis-store.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { withRedis } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { testStore } from '../store/conformance.ts';
import { CLUSTER } from '../store/on-each-store.ts';
import { endClusters } from '../store/places.ts';
import { startCluster, type TestCluster } from '../store/redis-cluster-servers.ts';
import { type RedisServer, sendToRedis, startRedis } from '../store/redis-server.ts';

interface Context {
  cluster: TestCluster;
  store: Store;
  /** What the store logged. */
  logged: string[];
}

const LIMITS = { minute: 10, day: 200 };
/** The counters of each are on another of the three servers: their slots are 3300, 7365 and 15495. */
const ACCOUNTS = { first: 'b', second: 'c', third: 'a' };

testStore(CLUSTER);

const all = suite<Context>('a store in a redis cluster');
const test = withRedis(all);
all.before(async (context) => {
  context.cluster = await startCluster(1);
});
all.before.each(async (context) => {
  context.logged = [];
  const note = (message: string, fields = {}) => void context.logged.push(JSON.stringify([message, fields]));
  const log = { info: note, error: note, access() {} };
  context.store = await openRedisStore(context.cluster.address, { log });
});
all.after.each(async ({ store, cluster }) => {
  await store.close();
  await cluster.clear();
});
all.after(async ({ cluster }) => {
  await cluster.remove();
  await endClusters();
});

async function fails(asked: Promise<unknown>): Promise<boolean> {
  return await asked.then(
    () => false,
    (error: unknown) => {
      assert.instance(error, StoreError);
      return true;
    },
  );
}

function serverOf({ servers }: TestCluster, account: string): RedisServer {
  const slot = slotOf(`{${account}}`);
  return servers[Math.floor(slot / (16_384 / 3))] as RedisServer;
}

async function write(store: Store, name: string, value: string): Promise<boolean> {
  return await store.commit({ read: new Map(), write: new Map([[name, { value }]]) });
}

test('has all records on one server, and the counters of accounts on all', async ({ cluster, store }) => {
  await write(store, 'a:1', 'one');
  for (const account of Object.values(ACCOUNTS)) await store.countRequest(account, LIMITS);
  assert.is(new Set(Object.values(ACCOUNTS).map((account) => serverOf(cluster, account))).size, 3);
  const keys = await Promise.all(
    cluster.servers.slice(0, 3).map(async (server) => (await sendToRedis(server, ['KEYS', '*'])) as string[]),
  );
  assert.is(keys.filter((list) => list.some((key) => key.startsWith('{gdr}:record:'))).length, 1);
  for (const account of Object.values(ACCOUNTS))
    assert.is(keys.filter((list) => list.includes(`gdr:quota:{${account}}`)).length, 1);
});

test('finds the slot of a key as Redis does', async ({ cluster }) => {
  const keys = ['', 'a', '日本', '{gdr}:names', 'gdr:quota:{a}', '{{a}b}', '{}{a}', '}{a', '123456789'];
  for (const key of keys)
    assert.is(
      slotOf(key),
      Number(await sendToRedis(cluster.servers[0] as RedisServer, ['CLUSTER', 'KEYSLOT', key])),
      key,
    );
});

test('is refused under the address of one server, and one server under that of a cluster', async ({
  cluster,
}) => {
  for (const { address } of cluster.servers.slice(0, 3)) {
    const error = (await openRedisStore(address).catch((reason: unknown) => reason)) as Error;
    assert.instance(error, StoreError);
    assert.match(error.message, /it is a server of a Redis Cluster; name the cluster as redis\+cluster:/);
  }
  const single = await startRedis();
  try {
    const address = single.address.replace('redis:', 'redis+cluster:');
    const error = (await openRedisStore(address).catch((reason: unknown) => reason)) as Error;
    assert.instance(error, StoreError);
    assert.match(
      error.message,
      /cluster support disabled; if it is one server and no cluster, name it as redis:/,
    );
  } finally {
    await single.remove();
  }
});

test('goes on for the accounts and keys of other servers while one is away', async ({ cluster, store }) => {
  await write(store, 'a:1', 'one');
  const records = serverOf(cluster, 'gdr');
  const [lost = ''] = Object.values(ACCOUNTS).filter((account) => {
    const server = serverOf(cluster, account);
    return server !== records && server !== cluster.servers[0];
  });
  const others = Object.values(ACCOUNTS).filter((account) => account !== lost);
  for (const account of Object.values(ACCOUNTS)) await store.countRequest(account, LIMITS);
  await serverOf(cluster, lost).signal('SIGSTOP');
  await until(() => fails(store.countRequest(lost, LIMITS)));
  for (const account of others) await until(async () => !(await fails(store.countRequest(account, LIMITS))));
  assert.equal(await store.read(['a:1']), ['one']);
  await store.ping();
  await serverOf(cluster, lost).signal('SIGCONT');
  await until(async () => !(await fails(store.readCounters(lost))));
  assert.is((await store.readCounters(lost)).counters.count, 1, 'no late request is counted');
});

test('counts exactly while a slot is moved to another server', async ({ cluster, store, logged }) => {
  const account = ACCOUNTS.second;
  const from = serverOf(cluster, account);
  const to = cluster.servers.slice(0, 3).find((server) => server !== from) as RedisServer;
  const slot = String(slotOf(account));
  const [fromId, toId] = await Promise.all(
    [from, to].map(async (server) => String(await sendToRedis(server, ['CLUSTER', 'MYID']))),
  );
  const { hostname, port } = new URL(to.address);
  const limits = { minute: 100, day: 200 };
  const count = async () => (await store.countRequest(account, limits)).counters.count;
  assert.is(await count(), 1);
  await sendToRedis(to, ['CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId as string]);
  await sendToRedis(from, ['CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId as string]);
  assert.is(await count(), 2, 'before its key is moved');
  await sendToRedis(from, ['MIGRATE', hostname, port, `gdr:quota:{${account}}`, '0', '5000']);
  assert.is(await count(), 3, 'the server that had it names the other (ASK)');
  for (const server of [to, from])
    await sendToRedis(server, ['CLUSTER', 'SETSLOT', slot, 'NODE', toId as string]);
  assert.is(await count(), 4, 'the slot has moved (MOVED)');
  assert.is(await count(), 5);
  assert.equal(logged, []);
});

test('goes on with a replica that takes the place of its master', async ({ cluster, store }) => {
  const [master, , , replica] = cluster.servers as [RedisServer, RedisServer, RedisServer, RedisServer];
  const identity = await store.identity();
  assert.is(serverOf(cluster, 'gdr'), master, 'the records are on the master that has a replica');
  await write(store, 'a:1', 'one');
  await until(async () =>
    String(await sendToRedis(master, ['INFO', 'replication'])).includes('state=online'),
  );
  await sendToRedis(master, ['WAIT', '1', '0']);
  await master.signal('SIGKILL');
  await until(async () => String(await sendToRedis(replica, ['ROLE'])).startsWith('master'));
  await until(async () => !(await fails(store.ping())));
  assert.equal(await store.read(['a:1']), ['one']);
  assert.ok(await write(store, 'a:2', 'two'));
  assert.is(await store.identity(), identity);
});

all.run();
