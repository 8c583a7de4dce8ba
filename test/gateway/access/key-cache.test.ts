import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheKeys, type KeyFinder } from '../../../gateway/access/key-cache.ts';
import type { IssuedKey } from '../../../gateway/accounts/account.ts';
import { StoreError } from '../../../gateway/store/store.ts';

/** A store of one key whose answers can be steered, and counted. */
class Source {
  revisionNow = 'a';
  issued: IssuedKey | undefined = issuedKey();
  isUp = true;
  reads = 0;
  revision = () => this.revisionNow;
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
  context.source = new Source();
  context.clock = { now: 1000 };
  context.keys = cacheKeys(context.source, () => context.clock.now);
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

test('asks the store once, also for many at once', async ({ source, keys }) => {
  const found = await Promise.all(Array.from({ length: 50 }, () => keys.find('h')));
  for (const issued of found) assert.equal(issued, source.issued);
  assert.equal(await keys.find('h'), source.issued);
  assert.is(source.reads, 1);
});

test('asks again when the revision is another', async ({ source, keys }) => {
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

test('takes nothing for true for longer than 30 seconds', async ({ source, clock, keys }) => {
  await keys.find('h');
  source.issued = issuedKey('2030-01-02T00:00:00.000Z');
  clock.now += 30_000;
  assert.is((await keys.find('h'))?.key.revoked_at, '2030-01-02T00:00:00.000Z');
});

test('reads a key that is in use again before it is too old', async ({ source, clock, keys }) => {
  await keys.find('h');
  clock.now += 10_000;
  assert.ok(await keys.find('h'));
  assert.is(source.reads, 2);
  clock.now += 29_999;
  source.isUp = false;
  assert.ok(await keys.find('h'));
});

test('without its store it goes on for 30 seconds with the keys that it knows', async ({
  source,
  clock,
  keys,
}) => {
  await keys.find('h');
  source.isUp = false;
  clock.now += 29_999;
  assert.ok(await keys.find('h'));
  source.revisionNow = 'b';
  assert.ok(await keys.find('h'));
  assert.ok(await isRefused(keys.find('other')));
  clock.now += 1;
  assert.ok(await isRefused(keys.find('h')));
  source.isUp = true;
  assert.ok(await keys.find('h'));
});

test('does not remember what there is not', async ({ source, keys }) => {
  const { issued } = source;
  source.issued = undefined;
  assert.is(await keys.find('h'), undefined);
  source.issued = issued;
  assert.ok(await keys.find('h'));
});

test.run();
