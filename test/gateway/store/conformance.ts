import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/access/api-key.ts';
import type { Grant, IssuedKey, Store } from '../../../gateway/store/store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { runCli } from './run-cli.ts';

/** An empty place for a store, made for one test. */
export interface StorePlace {
  /** What `--store` takes. */
  address: string;
  open(): Promise<Store>;
  /** All that is kept of it outside of the process. */
  readAll(): Promise<Buffer>;
  remove(): Promise<void>;
}

interface Context {
  place: StorePlace;
  store: Store;
}

const NOW = Date.parse('2030-05-01T10:00:00Z');
const NOW_TEXT = '2030-05-01T10:00:00.000Z';
const LATER = NOW + 60_000;
const PRO: Grant = { tier: 'pro', pro_until: null };

/**
 * Runs what every driver of the store must do.
 *
 * @param name of the driver
 * @param makePlace makes an empty place; each test has its own
 */
export function testStore(name: string, makePlace: () => Promise<StorePlace>): void {
  const test = suite<Context>(`store on ${name}`);

  test.before.each(async (context) => {
    context.place = await makePlace();
    context.store = await context.place.open();
  });
  test.after.each(async ({ place, store }) => {
    await store.close();
    await place.remove();
  });

  test('an issued key is found by its hash and by its prefix, with its account', async ({ store }) => {
    const { issued, hash, prefix } = await issue(store, 'ada@example.org');
    const { account } = issued;
    assert.equal(issued, {
      key: { prefix, hash, account: account.id, created_at: NOW_TEXT, revoked_at: null },
      account: {
        id: account.id,
        email: 'ada@example.org',
        tier: 'free',
        pro_until: null,
        created_at: NOW_TEXT,
      },
    });
    assert.equal(await store.findKey(hash), issued);
    assert.equal(await store.keyByPrefix(prefix), issued);
    assert.equal(await store.accountByEmail('ada@example.org'), account);
  });

  test('what was never issued is not found', async ({ store }) => {
    const { hash, prefix } = createKey();
    assert.is(await store.findKey(hash), undefined);
    assert.is(await store.findKey(''), undefined);
    assert.is(await store.keyByPrefix(prefix), undefined);
    assert.is(await store.accountByEmail('ada@example.org'), undefined);
    assert.equal(await store.listKeys(), []);
  });

  test('a second key of an address belongs to the same account', async ({ store }) => {
    const first = await issue(store, 'ada@example.org');
    const second = await issue(store, 'ada@example.org', LATER);
    const other = await issue(store, 'bob@example.org', LATER);
    assert.equal(second.issued.account, first.issued.account);
    assert.is.not(other.issued.account.id, first.issued.account.id);
  });

  test('a grant sets the tier for all keys of the account, and no grant leaves it', async ({ store }) => {
    const first = await issue(store, 'ada@example.org');
    await issue(store, 'ada@example.org', NOW, { tier: 'pro', pro_until: '2031-01-01T00:00:00.000Z' });
    const third = await issue(store, 'ada@example.org');
    assert.is(third.issued.account.tier, 'pro');
    const { account } = must(await store.findKey(first.hash));
    assert.equal([account.tier, account.pro_until], ['pro', '2031-01-01T00:00:00.000Z']);
    await issue(store, 'ada@example.org', NOW, { tier: 'free', pro_until: null });
    assert.is(must(await store.findKey(first.hash)).account.tier, 'free');
  });

  test('a prefix that is in use is refused, and nothing is changed', async ({ store }) => {
    const { issued, prefix } = await issue(store, 'ada@example.org');
    const { hash } = createKey();
    const request = { email: 'bob@example.org', prefix, hash, grant: PRO, now: LATER };
    assert.is(await store.issueKey(request), undefined);
    assert.is(await store.issueKey({ ...request, email: 'ada@example.org' }), undefined);
    assert.is(await store.findKey(hash), undefined);
    assert.is(await store.accountByEmail('bob@example.org'), undefined);
    assert.equal(await store.listKeys(), [issued]);
  });

  test('keys are listed oldest first, revoked ones included', async ({ store }) => {
    const second = await issue(store, 'ada@example.org', LATER);
    const first = await issue(store, 'bob@example.org', NOW);
    const third = await issue(store, 'bob@example.org', LATER + 1);
    await store.revokeKey(first.prefix, LATER);
    const listed = (await store.listKeys()).map(({ key, account }) => [
      key.prefix,
      account.email,
      key.revoked_at,
    ]);
    assert.equal(listed, [
      [first.prefix, 'bob@example.org', new Date(LATER).toISOString()],
      [second.prefix, 'ada@example.org', null],
      [third.prefix, 'bob@example.org', null],
    ]);
  });

  test('a revoked key stays revoked from the first time on, and its sisters stay good', async ({ store }) => {
    const { prefix, hash } = await issue(store, 'ada@example.org');
    const sister = await issue(store, 'ada@example.org');
    assert.is(must(await store.revokeKey(prefix, NOW)).key.revoked_at, NOW_TEXT);
    assert.is(must(await store.revokeKey(prefix, LATER)).key.revoked_at, NOW_TEXT);
    assert.is(must(await store.findKey(hash)).key.revoked_at, NOW_TEXT);
    assert.is(must(await store.findKey(sister.hash)).key.revoked_at, null);
    assert.is(await store.revokeKey(createKey().prefix, NOW), undefined);
  });

  test('a deleted account is gone with all of its keys, and with nothing else', async ({ store }) => {
    const gone = [await issue(store, 'ada@example.org', NOW, PRO), await issue(store, 'ada@example.org')];
    const left = await issue(store, 'bob@example.org');
    assert.is(await store.deleteAccount('ada@example.org'), true);
    assert.is(await store.deleteAccount('ada@example.org'), false);
    for (const { hash, prefix } of gone) {
      assert.is(await store.findKey(hash), undefined);
      assert.is(await store.keyByPrefix(prefix), undefined);
    }
    assert.equal(await store.listKeys(), [left.issued]);
    const anew = await issue(store, 'ada@example.org', LATER);
    assert.is(anew.issued.account.tier, 'free');
    assert.is.not(anew.issued.account.id, gone[0]?.issued.account.id);
  });

  test('concurrent issues for one new address make one account', async ({ store }) => {
    const issues = await Promise.all(Array.from({ length: 50 }, () => issue(store, 'ada@example.org')));
    assert.is(new Set(issues.map(({ issued }) => issued.account.id)).size, 1);
    assert.is((await store.listKeys()).length, 50);
  });

  test('several processes that issue for one new address make one account', async ({ place, store }) => {
    const args = ['keys', 'issue', 'ada@example.org', '--store', place.address];
    const processes = [1, 2, 3].map(() => runCli(args));
    await issue(store, 'ada@example.org');
    for (const { code, stderr } of await Promise.all(processes)) assert.is(code, 0, stderr);
    const keys = await store.listKeys();
    assert.is(keys.length, 4);
    assert.is(new Set(keys.map(({ account }) => account.id)).size, 1);
  });

  test('a key that another process revokes is seen as revoked at once', async ({ place, store }) => {
    const { prefix, hash } = await issue(store, 'ada@example.org');
    assert.is(must(await store.findKey(hash)).key.revoked_at, null);
    const { code, stderr } = await runCli(['keys', 'revoke', prefix, '--store', place.address]);
    assert.is(code, 0, stderr);
    assert.is.not(must(await store.findKey(hash)).key.revoked_at, null);
  });

  test('what was written is there after closing and opening again', async (context) => {
    const { issued, hash } = await issue(context.store, 'ada@example.org', NOW, PRO);
    await context.store.close();
    context.store = await context.place.open();
    assert.equal(await context.store.findKey(hash), issued);
  });

  test('no key is kept anywhere, only its hash', async ({ place, store }) => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => issue(store, 'ada@example.org')));
    await store.revokeKey(keys[0]?.prefix ?? '', LATER);
    await store.close();
    const kept = await place.readAll();
    for (const { key, prefix, hash } of keys) {
      assert.ok(kept.includes(hash), 'the hash is kept, so what is read here is what the store holds');
      assert.not.ok(kept.includes(key));
      assert.not.ok(kept.includes(key.slice(prefix.length)), 'nor what follows its prefix');
    }
  });

  test('a store answers a ping until it is closed, and closing twice is harmless', async ({ store }) => {
    await store.ping();
    await store.close();
    await store.close();
    for (const ask of [() => store.ping(), () => store.findKey(''), () => store.revokeKey('', NOW)]) {
      assert.instance(await ask().catch((error: unknown) => error), StoreError);
    }
  });

  test.run();
}

/** Issues a new key, and tells it along with what the store made of it. */
async function issue(store: Store, email: string, now = NOW, grant?: Grant) {
  const { key, prefix, hash } = createKey();
  const issued = must(await store.issueKey({ email, prefix, hash, ...(grant && { grant }), now }));
  return { key, prefix, hash, issued };
}

function must(issued: IssuedKey | undefined): IssuedKey {
  assert.ok(issued, 'expected a key');
  return issued as IssuedKey;
}
