import * as assert from 'uvu/assert';
import { ACCOUNTS, findKey, issueKey, revokeKey } from '../../../../gateway/store/accounts/accounts.ts';
import { createKey } from '../../../../gateway/access/api-key.ts';
import { counterNameOf, type Grant, type IssuedKey, isRevoked } from '../../../../gateway/access/account.ts';
import type { Store } from '../../../../gateway/store/store.ts';
import { transact } from '../../../../gateway/store/transaction.ts';
import { keyByPrefix } from '../../../../gateway/key-terms/commands/show-keys.ts';
import { accountByEmail, grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import { nameOldCounters } from '../../../../gateway/people/accounts/name-old-counters.ts';
import { deleteAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { listKeys } from '../../../../gateway/key-uses/list-keys.ts';
import { until } from '../../../support/until.ts';
import { onEachStore } from '../on-each-store.ts';

const NOW = Date.parse('2030-05-01T10:00:00Z');
const NOW_TEXT = '2030-05-01T10:00:00.000Z';
const LATER = NOW + 60_000;
const LIMITS = { minute: 10, day: 200 };
const PRO: Grant = { tier: 'pro', pro_until: null };

onEachStore(
  'accounts',
  () => NOW,
  (test) => {
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
          counted_as: counterNameOf(account),
        },
      });
      assert.match(counterNameOf(account), /^[0-9a-f]{64}$/);
      assert.equal(await findKey(store, hash), issued);
      assert.equal(await keyByPrefix(store, prefix), issued);
      assert.equal(await accountByEmail(store, 'ada@example.org'), { account, keys: [issued.key] });
    });

    test('findKey uses the store once, by the call that does not wait for long', async ({ store }) => {
      const { hash } = await issue(store, 'ada@example.org');
      const calls: string[] = [];
      const find = store.find.bind(store);
      store.find = (...args) => {
        calls.push('find');
        return find(...args);
      };
      store.read = async () => {
        calls.push('read');
        return [];
      };
      assert.is((await findKey(store, hash))?.account.email, 'ada@example.org');
      assert.equal(calls, ['find']);
    });

    test('a key that was never issued is not found', async ({ store }) => {
      const { hash, prefix } = createKey();
      assert.is(await findKey(store, hash), undefined);
      assert.is(await findKey(store, ''), undefined);
      assert.is(await keyByPrefix(store, prefix), undefined);
      assert.is(await accountByEmail(store, 'ada@example.org'), undefined);
      assert.equal(await listKeys(store), []);
    });

    test('a second key for an email address belongs to the same account', async ({ store }) => {
      const first = await issue(store, 'ada@example.org');
      const second = await issue(store, 'ada@example.org', LATER);
      const other = await issue(store, 'bob@example.org', LATER);
      assert.equal(second.issued.account, first.issued.account);
      assert.is.not(other.issued.account.id, first.issued.account.id);
    });

    test('a grant sets the tier for all keys of the account; issuing without a grant keeps the tier', async ({
      store,
    }) => {
      const first = await issue(store, 'ada@example.org');
      await issue(store, 'ada@example.org', NOW, { tier: 'pro', pro_until: '2031-01-01T00:00:00.000Z' });
      const third = await issue(store, 'ada@example.org');
      assert.is(third.issued.account.tier, 'pro');
      const { account } = must(await findKey(store, first.hash));
      assert.equal([account.tier, account.pro_until], ['pro', '2031-01-01T00:00:00.000Z']);
      await issue(store, 'ada@example.org', NOW, { tier: 'free', pro_until: null });
      assert.is(must(await findKey(store, first.hash)).account.tier, 'free');
    });

    test('a key whose prefix is in use is refused, and nothing is written', async ({ store }) => {
      const { issued, prefix } = await issue(store, 'ada@example.org');
      const { hash } = createKey();
      const request = { email: 'bob@example.org', prefix, hash, grant: PRO, now: LATER };
      assert.is(await issueKey(store, request), undefined);
      assert.is(await issueKey(store, { ...request, email: 'ada@example.org' }), undefined);
      assert.is(await findKey(store, hash), undefined);
      assert.is(await accountByEmail(store, 'bob@example.org'), undefined);
      assert.equal(await listKeys(store), [issued]);
    });

    test('keys are listed oldest first, revoked ones included', async ({ store }) => {
      const second = await issue(store, 'ada@example.org', LATER);
      const first = await issue(store, 'bob@example.org', NOW);
      const third = await issue(store, 'bob@example.org', LATER + 1);
      await revokeKey(store, first.prefix, LATER);
      const listed = (await listKeys(store)).map(({ key, account }) => [
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

    test('a revoked key keeps its first time of revocation, and other keys of the account stay valid', async ({
      store,
    }) => {
      const { prefix, hash } = await issue(store, 'ada@example.org');
      const sister = await issue(store, 'ada@example.org');
      assert.is(must(await revokeKey(store, prefix, NOW)).key.revoked_at, NOW_TEXT);
      assert.is(must(await revokeKey(store, prefix, LATER)).key.revoked_at, NOW_TEXT);
      assert.is(must(await findKey(store, hash)).key.revoked_at, NOW_TEXT);
      assert.is(must(await findKey(store, sister.hash)).key.revoked_at, null);
      assert.is(await revokeKey(store, createKey().prefix, NOW), undefined);
    });

    test('deleting an account removes all of its keys, and no others', async ({ store }) => {
      const gone = [await issue(store, 'ada@example.org', NOW, PRO), await issue(store, 'ada@example.org')];
      const left = await issue(store, 'bob@example.org');
      assert.is(await deleteAccount(store, 'ada@example.org'), true);
      assert.is(await deleteAccount(store, 'ada@example.org'), false);
      for (const { hash, prefix } of gone) {
        assert.is(await findKey(store, hash), undefined);
        assert.is(await keyByPrefix(store, prefix), undefined);
      }
      assert.equal(await listKeys(store), [left.issued]);
      const anew = await issue(store, 'ada@example.org', LATER);
      assert.is(anew.issued.account.tier, 'free');
      assert.is.not(anew.issued.account.id, gone[0]?.issued.account.id);
    });

    test('issuing keys to the same new email address concurrently creates one account', async ({ store }) => {
      const issues = await Promise.all(Array.from({ length: 50 }, () => issue(store, 'ada@example.org')));
      assert.is(new Set(issues.map(({ issued }) => issued.account.id)).size, 1);
      assert.is((await listKeys(store)).length, 50);
    });

    test('keys and accounts survive closing and opening the store', async (context) => {
      const { issued, hash } = await issue(context.store, 'ada@example.org', NOW, PRO);
      await context.store.close();
      context.store = await context.place.open();
      assert.equal(await findKey(context.store, hash), issued);
    });

    test('the store holds only the hash of a key, never the key', async ({ place, store }) => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => issue(store, 'ada@example.org')));
      await revokeKey(store, keys[0]?.prefix ?? '', LATER);
      await store.close();
      const kept = await place.readAll();
      for (const { key, prefix, hash } of keys) {
        assert.ok(kept.includes(hash), 'the hash is stored, so this reads the whole store');
        assert.not.ok(kept.includes(key));
        assert.not.ok(
          kept.includes(key.slice(prefix.length)),
          'the part after the prefix is not stored either',
        );
      }
    });

    test('a rotated key is replaced by another key of its account, and ends at the chosen time', async ({
      store,
    }) => {
      const old = await issue(store, 'ada@example.org', NOW, PRO);
      const { prefix, hash } = createKey();
      const replaces = { prefix: old.prefix, at: LATER };
      const issued = must(
        await issueKey(store, { email: 'ada@example.org', prefix, hash, replaces, now: NOW }),
      );
      assert.equal(issued.account, old.issued.account);
      assert.is(issued.key.revoked_at, null);
      const ending = must(await findKey(store, old.hash)).key;
      assert.is(ending.revoked_at, new Date(LATER).toISOString());
      assert.equal([isRevoked(ending, LATER - 1), isRevoked(ending, LATER)], [false, true]);
      assert.is(must(await revokeKey(store, old.prefix, NOW)).key.revoked_at, NOW_TEXT, 'it can end earlier');
      const third = createKey();
      await issueKey(store, { ...third, email: 'ada@example.org', replaces, now: NOW });
      assert.is(must(await findKey(store, old.hash)).key.revoked_at, NOW_TEXT, 'it cannot end later');
    });

    test('a tier can only be granted to an existing account', async ({ store }) => {
      const { hash, issued } = await issue(store, 'ada@example.org');
      assert.equal(await grantTier(store, 'ada@example.org', PRO, NOW), { ...issued.account, ...PRO });
      assert.is(must(await findKey(store, hash)).account.tier, 'pro');
      assert.is(await grantTier(store, 'bob@example.org', PRO, NOW), undefined);
      assert.is(await accountByEmail(store, 'bob@example.org'), undefined);
    });

    test('an account is found with its keys, the oldest first', async ({ store }) => {
      const second = await issue(store, 'ada@example.org', LATER);
      const first = await issue(store, 'ada@example.org', NOW);
      await issue(store, 'bob@example.org');
      assert.equal(await accountByEmail(store, 'ada@example.org'), {
        account: first.issued.account,
        keys: [first.issued.key, second.issued.key],
      });
    });

    test('every change that affects existing keys changes the revision, in every process', async ({
      place,
      store,
    }) => {
      const other = await place.open();
      try {
        const { prefix } = await issue(store, 'ada@example.org');
        const replaces = { prefix, at: LATER };
        const changes = [
          () => grantTier(store, 'ada@example.org', PRO, NOW),
          () => issue(store, 'ada@example.org', NOW, { tier: 'free', pro_until: null }),
          () => issueKey(store, { ...createKey(), email: 'ada@example.org', replaces, now: NOW }),
          () => revokeKey(store, prefix, NOW),
          () => deleteAccount(store, 'ada@example.org'),
        ];
        for (const change of changes) {
          const { value: before } = other.revision();
          await change();
          await until(() => other.revision().value !== before);
        }
      } finally {
        await other.close();
      }
    });

    test('an account that is deleted and created again has used what it had used', async ({ store }) => {
      const { issued } = await issue(store, 'ada@example.org');
      await store.countRequest(counterNameOf(issued.account), LIMITS);
      await deleteAccount(store, 'ada@example.org');
      const { issued: again } = await issue(store, 'ada@example.org');
      assert.is.not(again.account.id, issued.account.id);
      assert.is((await store.readCounters(counterNameOf(again.account))).counters.count, 1);
      assert.not.match(counterNameOf(again.account), /ada@|example/);
    });

    test('accounts whose addresses differ only in tags and dots share their caps', async ({ store }) => {
      const countersFor = async (email: string) => counterNameOf((await issue(store, email)).issued.account);
      const ada = await countersFor('ada@gmail.com');
      for (const email of ['ada+1@gmail.com', 'a.d.a@gmail.com', 'ada@googlemail.com'])
        assert.is(await countersFor(email), ada, email);
      assert.is.not(await countersFor('ada@example.org'), ada);
      assert.is.not(await countersFor('a.da@example.org'), await countersFor('ada@example.org'));
      const accounts = new Set((await listKeys(store)).map(({ account }) => account.id));
      assert.is(accounts.size, 6, 'the accounts are separate');
    });

    test('accounts of version 0.1.0 share caps from the start of a gateway on, and keep what they have used', async ({
      store,
    }) => {
      const young = await issue(store, 'ada+young@example.org');
      const name = counterNameOf(young.issued.account);
      const [first, second] = [
        await openOld(store, 'ada@example.org'),
        await openOld(store, 'ada+2@example.org'),
      ];
      for (const { id } of [first, first, second]) await store.countRequest(id, LIMITS);
      await Promise.all([nameOldCounters(store, NOW), nameOldCounters(store, NOW)]);
      for (const { email } of [first, second])
        assert.is((await accountByEmail(store, email))?.account.counted_as, name);
      assert.is((await store.readCounters(name)).counters.count, 3);
      assert.is((await store.readCounters(first.id)).counters.count, 0);
      const list = store.list.bind(store);
      store.list = () => Promise.reject(new Error('the accounts were read again'));
      await nameOldCounters(store, NOW);
      store.list = list;
    });

    test('an account of version 0.1.0 that is deleted before a gateway starts does not reset its caps', async ({
      store,
    }) => {
      const old = await openOld(store, 'ada@example.org');
      await store.countRequest(counterNameOf(old), LIMITS);
      await deleteAccount(store, old.email);
      const { issued: again } = await issue(store, old.email);
      assert.is((await store.readCounters(counterNameOf(again.account))).counters.count, 1);
      assert.is((await store.readCounters(old.id)).counters.count, 0);
    });
  },
);

/** Opens an account as version 0.1.0 did: requests count under its id. */
async function openOld(store: Store, email: string) {
  const { counted_as: _, ...old } = (await issue(store, email)).issued.account;
  await transact(store, async (transaction) => transaction.put(ACCOUNTS, old.id, old));
  assert.is(counterNameOf(old), old.id);
  return old;
}

/** Issues a new key. @returns the key and its record */
async function issue(store: Store, email: string, now = NOW, grant?: Grant) {
  const { key, prefix, hash } = createKey();
  const issued = must(await issueKey(store, { email, prefix, hash, ...(grant && { grant }), now }));
  return { key, prefix, hash, issued };
}

function must(issued: IssuedKey | undefined): IssuedKey {
  assert.ok(issued, 'expected a key');
  return issued as IssuedKey;
}
