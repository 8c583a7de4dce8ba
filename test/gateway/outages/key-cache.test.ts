import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeyFinder } from '../../../gateway/access/ports.ts';
import type { IssuedKey } from '../../../gateway/access/account.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { KeyCache } from '../../../gateway/outages/key-cache.ts';

/** A store of one key whose reads the test controls and counts. */
class Source {
  readonly #clock: { now: number };
  /** Keeps its last value when the store is unavailable. */
  #revision = { value: '', heardAt: 0 };
  revisionNow = 'a';
  issued: IssuedKey | undefined = issuedKey();
  isUp = true;
  reads = 0;
  constructor(clock: { now: number }) {
    this.#clock = clock;
  }
  revision = () => {
    if (this.isUp) this.hear();
    return this.#revision;
  };
  hear = () => {
    this.#revision = { value: this.revisionNow, heardAt: this.#clock.now };
  };
  findKey = async (): Promise<IssuedKey | undefined> => {
    this.reads++;
    await Promise.resolve();
    if (!this.isUp) throw new StoreError('gone');
    return this.issued;
  };
}

function issuedKey(revoked_at: string | null = null): IssuedKey {
  const created_at = '2030-01-01T00:00:00.000Z';
  return {
    key: { prefix: 'gdr_aaaaaaaa', hash: 'h', account: '1', created_at, revoked_at },
    account: { id: '1', email: 'ada@example.org', tier: 'free', pro_until: null, created_at },
  };
}

const test = suite<{ source: Source; clock: { now: number }; keys: KeyFinder }>('key cache');
test.before.each((context) => {
  context.clock = { now: 1000 };
  context.source = new Source(context.clock);
  context.keys = new KeyCache({ source: context.source, clock: () => context.clock.now });
});

async function isRefused(found: ReturnType<KeyFinder['find']>): Promise<boolean> {
  try {
    await found;
    return false;
  } catch (error) {
    assert.instance(error, StoreError);
    return true;
  }
}

test('holds as many keys as its memory allows, and reads each of them once', async ({ source }) => {
  const MEBIBYTE = 2 ** 20;
  const find = async (keys: KeyCache, count: number) => {
    for (let key = 0; key < count; key++) await keys.find(`h${key}`);
  };
  const large = new KeyCache({ source, bytes: 128 * MEBIBYTE, clock: () => 1000 });
  await find(large, 100_000);
  await find(large, 100_000);
  assert.equal(large.state, { keys: 100_000, hits: 100_000, misses: 100_000 });
  assert.is(source.reads, 100_000, 'one read for a miss');

  const small = new KeyCache({ source, bytes: MEBIBYTE, clock: () => 1000 });
  await find(small, 2000);
  assert.is(small.state.keys, 1024);
  const key = issuedKey();
  source.issued = { ...key, key: { ...key.key, networks: Array.from({ length: 100 }, () => '10.0.0.0/8') } };
  await find(small, 2000);
  await find(small, 2000);
  assert.ok(small.state.keys < 200, `${small.state.keys} keys with many networks`);
});

test('reads the store once, also for many requests at once', async ({ source, keys }) => {
  const found = await Promise.all(Array.from({ length: 50 }, () => keys.find('h')));
  for (const issued of found) assert.equal(issued, source.issued);
  assert.equal(await keys.find('h'), source.issued);
  assert.is(source.reads, 1);
});

test('reads again when the revision changes', async ({ source, keys }) => {
  await keys.find('h');
  source.issued = issuedKey('2030-01-02T00:00:00.000Z');
  assert.is((await keys.find('h'))?.key.revoked_at, null);
  source.revisionNow = 'b';
  assert.is((await keys.find('h'))?.key.revoked_at, '2030-01-02T00:00:00.000Z');
  source.issued = undefined;
  source.revisionNow = 'c';
  assert.is(await keys.find('h'), undefined);
});

test('a change while a key is read is not missed', async ({ source, keys }) => {
  const first = keys.find('h');
  source.revisionNow = 'b';
  await first;
  await keys.find('h');
  assert.is(source.reads, 2);
});

test('reads a key again after 30 seconds', async ({ source, clock, keys }) => {
  await keys.find('h');
  source.issued = issuedKey('2030-01-02T00:00:00.000Z');
  clock.now += 29_999;
  assert.is((await keys.find('h'))?.key.revoked_at, null);
  assert.is(source.reads, 1);
  clock.now += 1;
  assert.is((await keys.find('h'))?.key.revoked_at, '2030-01-02T00:00:00.000Z');
});

test('without its store it uses the keys that it knows for 30 seconds, however long ago they were read', async ({
  source,
  clock,
  keys,
}) => {
  await keys.find('h');
  await keys.find('other');
  clock.now += 29_000;
  await keys.find('h');
  source.isUp = false;
  clock.now += 29_999;
  assert.ok(await keys.find('h'));
  assert.ok(await keys.find('other'));
  assert.ok(await isRefused(keys.find('unknown')));
  clock.now += 1;
  assert.ok(await isRefused(keys.find('h')));
  assert.ok(await isRefused(keys.find('other')));
  source.isUp = true;
  assert.ok(await keys.find('h'));
});

test('a changed key is not used again if the store then becomes unavailable', async ({
  source,
  clock,
  keys,
}) => {
  await keys.find('h');
  clock.now += 10_000;
  await keys.find('h');
  clock.now += 1000;
  source.revisionNow = 'b';
  source.hear();
  source.isUp = false;
  assert.ok(await keys.find('h'));
  clock.now += 28_999;
  assert.ok(await keys.find('h'));
  clock.now += 1;
  assert.ok(await isRefused(keys.find('h')));
});

test('a key that is read counts as no newer than the revision that was known before', async ({
  source,
  clock,
  keys,
}) => {
  const told = source.revision();
  source.revision = () => told;
  clock.now += 400;
  await keys.find('h');
  source.revision = () => ({ value: 'b', heardAt: clock.now });
  source.isUp = false;
  clock.now += 29_599;
  assert.ok(await keys.find('h'));
  clock.now += 1;
  assert.ok(await isRefused(keys.find('h')));
});

test('a deleted key is not used again when the store becomes unavailable', async ({ source, keys }) => {
  await keys.find('h');
  source.issued = undefined;
  source.revisionNow = 'b';
  assert.is(await keys.find('h'), undefined);
  source.isUp = false;
  assert.ok(await isRefused(keys.find('h')));
});

test('a revision that cannot be read changes nothing', async ({ source, clock, keys }) => {
  await keys.find('h');
  source.revision = () => {
    throw new StoreError('gone');
  };
  clock.now += 29_999;
  assert.ok(await keys.find('h'));
  assert.is(source.reads, 1);
  clock.now += 1;
  assert.ok(await isRefused(keys.find('h')));
});

test('does not remember keys that do not exist', async ({ source, keys }) => {
  const { issued } = source;
  source.issued = undefined;
  assert.is(await keys.find('h'), undefined);
  source.issued = issued;
  assert.ok(await keys.find('h'));
});

test.run();
