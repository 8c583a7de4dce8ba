import * as assert from 'uvu/assert';
import { findKey, issueKey, revoke, revokeKey } from '../../../gateway/store/accounts/accounts.ts';
import { createKey } from '../../../gateway/access/api-key.ts';
import { isRevoked, type Key } from '../../../gateway/access/account.ts';
import type { Store } from '../../../gateway/store/store.ts';
import { type Transaction, transact } from '../../../gateway/store/transaction.ts';
import { keyByPrefix } from '../../../gateway/key-terms/commands/show-keys.ts';
import { deleteAccount } from '../../../gateway/people/privacy/personal-data.ts';
import * as changes from '../../../gateway/key-terms/shared/key-changes.ts';
import { addKeyUses, keyUsesOf, listKeyUses } from '../../../gateway/key-uses/key-uses.ts';
import { listKeys } from '../../../gateway/key-uses/list-keys.ts';
import type { Register } from '../../support/skip.ts';
import type { StoreContext } from './on-each-store.ts';

const NOW = Date.parse('2030-05-01T10:20:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOLDER = { by: 'account holder', now: NOW } as const;

/** Registers the tests of key records that must pass on every driver of the store. */
export function defineKeyTests<T extends StoreContext>(test: Register<T>): void {
  defineOptionTests(test);
  defineRotationTests(test);
  defineUseTests(test);
}

function defineOptionTests<T extends StoreContext>(test: Register<T>): void {
  test('a key has no name, expiry or networks until they are set, and none after they are removed', async ({
    store,
  }) => {
    const { prefix, hash } = await issue(store);
    const plain = await keyOf(store, hash);
    assert.equal(Object.keys(plain), ['prefix', 'hash', 'account', 'created_at', 'revoked_at']);
    const options = { name: 'my bot', expires: NOW + DAY_MS, networks: ['203.0.113.0/24'] };
    await transact(store, (transaction) => changes.setKeyOptions(transaction, prefix, options, HOLDER));
    const expires_at = new Date(NOW + DAY_MS).toISOString();
    const { name, networks } = options;
    assert.equal(await keyOf(store, hash), { ...plain, name, networks, expires_at, revoked_at: expires_at });
    const renamed = { name: 'another' };
    await transact(store, (transaction) => changes.setKeyOptions(transaction, prefix, renamed, HOLDER));
    assert.equal((await keyOf(store, hash)).networks, networks);
    const none = { name: null, expires: null, networks: null };
    await transact(store, (transaction) => changes.setKeyOptions(transaction, prefix, none, HOLDER));
    assert.equal(await keyOf(store, hash), plain);
  });

  test('a key ends when it expires, for versions that know no expiry too', async ({ store }) => {
    const { prefix, hash } = await issue(store);
    const until = (expires: number) =>
      transact(store, (transaction) => changes.setKeyOptions(transaction, prefix, { expires }, HOLDER));
    await until(NOW + DAY_MS);
    const { account: _, expires_at: __, ...known } = await keyOf(store, hash);
    const before = { ...known, account: '' };
    assert.equal([isRevoked(before, NOW + DAY_MS - 1), isRevoked(before, NOW + DAY_MS)], [false, true]);
    await until(NOW + 2 * DAY_MS);
    assert.not(isRevoked(await keyOf(store, hash), NOW + DAY_MS), 'it can be extended');
    const late = { by: 'operator', now: NOW + 2 * DAY_MS } as const;
    const change = transact(store, (transaction) =>
      changes.setKeyOptions(transaction, prefix, { expires: NOW + 9 * DAY_MS }, late),
    );
    assert.is(await change, undefined, 'a key that has ended stays so');
  });

  test('an expiry does not extend a key that is revoked or due to end', async ({ store }) => {
    const { prefix, hash } = await issue(store);
    const rotation = { keep: HOUR_MS, ...HOLDER };
    await transact(store, (transaction) => changes.rotate(transaction, prefix, rotation));
    const expire = (expires: number | null) =>
      transact(store, (transaction) => changes.setKeyOptions(transaction, prefix, { expires }, HOLDER));
    for (const expires of [NOW + DAY_MS, null]) {
      await expire(expires);
      assert.is((await keyOf(store, hash)).revoked_at, new Date(NOW + HOUR_MS).toISOString());
    }
    await expire(NOW + 1);
    assert.is((await keyOf(store, hash)).revoked_at, new Date(NOW + 1).toISOString(), 'it can end earlier');
    const revoked = await issue(store);
    await revokeKey(store, revoked.prefix, NOW);
    const change = transact(store, (transaction) =>
      changes.setKeyOptions(transaction, revoked.prefix, { name: 'x' }, HOLDER),
    );
    assert.is(await change, undefined);
  });

  test('gateways read keys again after each change of one', async ({ store }) => {
    const { prefix } = await issue(store);
    const steps: ((transaction: Transaction) => Promise<unknown>)[] = [
      (transaction) => changes.setKeyOptions(transaction, prefix, { name: 'x' }, HOLDER),
      (transaction) => changes.rotate(transaction, prefix, { keep: HOUR_MS, ...HOLDER }),
      (transaction) => revoke(transaction, prefix, HOLDER),
    ];
    for (const step of steps) {
      const [before] = await store.read(['revision']);
      await transact(store, step);
      assert.is.not((await store.read(['revision']))[0], before);
    }
  });
}

function defineRotationTests<T extends StoreContext>(test: Register<T>): void {
  test('a rotated key has the name, networks and lifetime of the old one, and both work for a while', async ({
    store,
  }) => {
    const { prefix, hash } = await issue(store, NOW - DAY_MS);
    const options = { name: 'my bot', networks: ['2001:db8::/48'], expires: NOW + 9 * DAY_MS };
    await transact(store, (transaction) => changes.setKeyOptions(transaction, prefix, options, HOLDER));
    const rotation = await transact(store, (transaction) =>
      changes.rotate(transaction, prefix, { keep: HOUR_MS, ...HOLDER }),
    );
    const fresh = rotation?.issued.key as Key;
    const expires_at = new Date(NOW + 10 * DAY_MS).toISOString();
    assert.equal([fresh.name, fresh.networks, fresh.expires_at], ['my bot', ['2001:db8::/48'], expires_at]);
    const old = await keyOf(store, hash);
    assert.equal(rotation?.replaced, old);
    for (const key of [old, fresh]) assert.not(isRevoked(key, NOW + HOUR_MS - 1));
    assert.equal([isRevoked(old, NOW + HOUR_MS), isRevoked(fresh, NOW + HOUR_MS)], [true, false]);
    const late = { keep: 0, by: 'operator', now: NOW + HOUR_MS } as const;
    assert.is(await transact(store, (transaction) => changes.rotate(transaction, prefix, late)), undefined);
    assert.is((await listKeys(store)).length, 2);
  });
}

function defineUseTests<T extends StoreContext>(test: Register<T>): void {
  test('uses of keys from several gateways are added: by day, with the last hour and network', async ({
    place,
    store,
  }) => {
    const [one, other] = [await issue(store), await issue(store)];
    const second = await place.open(() => NOW);
    const use = (hash: string, at: number, network: string, count: number) => ({ hash, at, network, count });
    await Promise.all([
      addKeyUses(store, [use(one.hash, NOW, '203.0.113.7', 2), use(other.hash, NOW, '203.0.113.8', 1)]),
      addKeyUses(second, [use(one.hash, NOW + DAY_MS, '203.0.113.9', 5)]),
      addKeyUses(second, [use(one.hash, NOW, '203.0.113.7', 4)]),
    ]);
    await second.close();
    const expected = {
      at: '2030-05-02T10:00:00.000Z',
      network: '203.0.113.9',
      days: { '2030-05-01': 6, '2030-05-02': 5 },
    };
    assert.equal(await keyUsesOf(store, [one]), [expected]);
    assert.equal((await listKeyUses(store)).get(one.hash), expected);
    assert.equal((await listKeyUses(store)).get(other.hash)?.days, { '2030-05-01': 1 });
  });

  test('the use of a key covers 30 days, and changes neither the key nor the revision', async ({ store }) => {
    const { hash } = await issue(store);
    const before = [await store.read(['revision']), await keyOf(store, hash)];
    for (let day = 0; day < 33; day++)
      await addKeyUses(store, [{ hash, at: NOW + day * DAY_MS, network: '203.0.113.7', count: 1 }]);
    const days = Object.keys((await listKeyUses(store)).get(hash)?.days ?? {});
    assert.equal([days.length, days[0], days.at(-1)], [30, '2030-05-04', '2030-06-02']);
    assert.equal([await store.read(['revision']), await keyOf(store, hash)], before);
  });

  test('a use that arrives after its key was deleted leaves nothing behind', async ({ store }) => {
    const { hash } = await issue(store);
    const usage = { hash, at: NOW, network: '203.0.113.7', count: 1 };
    await addKeyUses(store, [usage]);
    await deleteAccount(store, 'ada@example.org');
    assert.is((await listKeyUses(store)).size, 0);
    await addKeyUses(store, [usage]);
    assert.is((await listKeyUses(store)).size, 0);
  });

  test('a damaged use is begun again, and the others are added', async ({ store }) => {
    const [one, other] = [await issue(store), await issue(store)];
    const damaged = new Map([[`key-use:${one.hash}`, { value: '{"at":' }]]);
    await store.commit({ read: new Map(), write: damaged });
    assert.equal(await keyUsesOf(store, [one, other]), [undefined, undefined]);
    const usages = [one, other].map(({ hash }) => ({ hash, at: NOW, network: '203.0.113.7', count: 3 }));
    await addKeyUses(store, usages);
    const uses = await listKeyUses(store);
    assert.equal(
      [one, other].map(({ hash }) => uses.get(hash)?.days),
      [{ '2030-05-01': 3 }, { '2030-05-01': 3 }],
    );
  });
}

async function issue(store: Store, now = NOW): Promise<{ prefix: string; hash: string }> {
  const { prefix, hash } = createKey();
  assert.ok(await issueKey(store, { email: 'ada@example.org', prefix, hash, now }));
  assert.ok(await keyByPrefix(store, prefix));
  return { prefix, hash };
}

async function keyOf(store: Store, hash: string): Promise<Key> {
  const issued = await findKey(store, hash);
  assert.ok(issued);
  return (issued as { key: Key }).key;
}
