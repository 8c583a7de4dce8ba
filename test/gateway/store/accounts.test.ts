import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/access/api-key.ts';
import {
  deleteAccount,
  endPro,
  findAccount,
  grantTier,
  openAccount,
} from '../../../gateway/store/accounts.ts';
import { KEEP_DAYS, MAX_ENTRIES, OPERATOR, readLog, recordChange } from '../../../gateway/store/audit.ts';
import {
  findKey,
  insertKey,
  issueKey,
  keyOfPrefix,
  keysOfAccount,
  listKeys,
  liveKeysOf,
  makeAddress,
  replaceKey,
  revokeKey,
  setFields,
} from '../../../gateway/store/keys.ts';
import { sweep } from '../../../gateway/store/open.ts';
import { readRevision, type Store } from '../../../gateway/store/sql.ts';
import { onEachEngine } from './engines.ts';

const EMAIL = 'ada@example.org';
const HOUR_MS = 3_600_000;
const iso = (time: number) => new Date(time).toISOString();
const issue = (store: Store, email = EMAIL, fields = {}) =>
  store.transaction((sql) => issueKey(sql, email, OPERATOR, fields));

onEachEngine('accounts', (test) => {
  test('an email address has one account, however many keys are made at once', async ({
    store,
    place,
    clock,
  }) => {
    const other = await place.open({ now: () => clock.now });
    const made = await Promise.all([store, other, store, other].map((each) => issue(each)));
    assert.is(new Set(made.map(({ issued }) => issued.account.id)).size, 1);
    const account = await findAccount(store, EMAIL);
    assert.is((await keysOfAccount(store, account?.id ?? '')).length, 4);
    assert.is(await findAccount(store, 'other@example.org'), undefined);
    await other.close();
  });

  test('a key is found by its hash and prefix, with what was set for it and its account', async ({
    store,
    clock,
  }) => {
    const end = iso(clock.now + HOUR_MS);
    const browser = { origins: ['https://example.org'], limits: { minute: 5, day: 50 } };
    const { key, issued } = await issue(store, EMAIL, { name: 'site é', expires_at: end, browser });
    assert.match(key, /^gdr_/);
    assert.equal(issued.key, {
      prefix: key.slice(0, 12),
      hash: issued.key.hash,
      account: issued.account.id,
      name: 'site é',
      browser,
      created_at: iso(clock.now),
      revoked_at: end,
      expires_at: end,
    });
    assert.equal(issued.account, {
      id: issued.account.id,
      email: EMAIL,
      tier: 'free',
      pro_until: null,
      created_at: iso(clock.now),
      counted_as: issued.account.counted_as,
    });
    assert.equal(await findKey(store, issued.key.hash), issued);
    assert.equal(await keyOfPrefix(store, issued.key.prefix), issued);
    assert.is(await findKey(store, createKey().hash), undefined);
    assert.not.match(JSON.stringify(await store.all('SELECT * FROM keys')), key.slice(13));
  });

  test('accounts whose email addresses count as one share counters, also after they are deleted', async ({
    store,
  }) => {
    const counted = async (email: string) => (await issue(store, email)).issued.account.counted_as;
    const first = await counted('ada.l@gmail.com');
    assert.is(await counted('adal+bot@gmail.com'), first);
    assert.is.not(await counted(EMAIL), first);
    const account = await findAccount(store, 'ada.l@gmail.com');
    assert.is(await deleteAccount(store, account?.id ?? ''), true);
    assert.is(await counted('ada.l@gmail.com'), first);
  });

  test('a clock that jumps ends no Pro, and what a wrong clock ended comes back', async ({
    store,
    clock,
  }) => {
    const { id } = (await issue(store)).issued.account;
    const { now } = clock;
    await grantTier(store, id, { tier: 'pro', pro_until: iso(now + HOUR_MS) });
    clock.now += 2 * HOUR_MS;
    assert.is(await endPro(store, () => now), false);
    assert.is(await endPro(store, store.now), true);
    clock.now = now;
    assert.is((await findAccount(store, EMAIL))?.tier, 'free');
    await sweep(store);
    assert.equal((await findAccount(store, EMAIL))?.pro_until, iso(now + HOUR_MS));
  });

  test('a revoked key keeps its first end, and the revision changes', async ({ store, clock }) => {
    const { issued } = await issue(store);
    const before = await readRevision(store);
    const revoked = await revokeKey(store, issued.key.prefix, OPERATOR);
    assert.is(revoked?.key.revoked_at, iso(clock.now));
    assert.is.not(await readRevision(store), before);
    clock.now += HOUR_MS;
    assert.equal(await revokeKey(store, issued.key.prefix, OPERATOR), revoked);
    assert.is(await revokeKey(store, 'gdr_aaaaaaaa', OPERATOR), undefined);
    assert.equal(await liveKeysOf(store, issued.account.id), []);
    assert.equal(
      (await readLog(store, issued.account.id)).map(({ event, about }) => [event, about]),
      [
        ['key.revoked', issued.key.prefix],
        ['key.made', issued.key.prefix],
      ],
    );
  });

  test('a replaced key works for a while, and an expiry does not extend it', async ({ store, clock }) => {
    const { issued } = await issue(store, EMAIL, { name: 'bot' });
    const terms = { keep: HOUR_MS, fields: { name: 'bot' }, actor: OPERATOR };
    const rotation = await replaceKey(store, issued.key, terms);
    assert.is(rotation.replaced.revoked_at, iso(clock.now + HOUR_MS));
    assert.is(rotation.issued.key.name, 'bot');
    await setFields(store, rotation.replaced, { expires_at: iso(clock.now + 9 * HOUR_MS) }, OPERATOR);
    assert.is((await findKey(store, issued.key.hash))?.key.revoked_at, iso(clock.now + HOUR_MS));
    await setFields(store, rotation.issued.key, { expires_at: iso(clock.now + HOUR_MS) }, OPERATOR);
    assert.is((await findKey(store, rotation.issued.key.hash))?.key.revoked_at, iso(clock.now + HOUR_MS));
    await setFields(store, rotation.replaced, { expires_at: iso(clock.now + 1000) }, OPERATOR);
    assert.is(
      (await findKey(store, issued.key.hash))?.key.revoked_at,
      iso(clock.now + 999),
      'still replaced',
    );
    clock.now += (KEEP_DAYS + 1) * 24 * HOUR_MS;
    await sweep(store);
    assert.equal(await keysOfAccount(store, issued.account.id), []);
  });

  test('read-only addresses and the keys of sessions are no keys of the account', async ({
    store,
    clock,
  }) => {
    const account = await openAccount(store, EMAIL);
    const address = { game: 'a-game', query: 'characters.csv' };
    const made = await makeAddress(store, account.id, { address, name: 'sheet' }, OPERATOR);
    assert.equal(made?.record.address, address);
    assert.is((await findKey(store, made?.record.hash ?? ''))?.account.email, EMAIL);
    await store.run(
      "INSERT INTO sessions (hash, account, network, browser, created_at, ends_at) VALUES ('s', $1, '', '', 0, $2)",
      [account.id, clock.now],
    );
    const name = createKey();
    assert.is(await insertKey(store, name, account.id, { session: 's' }), true);
    assert.is(await insertKey(store, name, account.id, { session: 's' }), false);
    assert.equal([await keysOfAccount(store, account.id), await listKeys(store)], [[], []]);
    await store.run("DELETE FROM sessions WHERE hash = 's'");
    assert.is(await findKey(store, name.hash), undefined);
  });

  test('the log of an account keeps the newest entries, also of rare events, and mails what its holder should know', async ({
    store,
    clock,
  }) => {
    const { id } = await openAccount(store, EMAIL);
    const actor = { by: 'account', network: '203.0.113.7' } as const;
    await recordChange(store, { account: id, event: 'feed.removed', actor });
    for (let count = 0; count < MAX_ENTRIES + 5; count++) {
      clock.now += 1000;
      await recordChange(store, { account: id, event: 'session.begun', actor });
    }
    await recordChange(store, { account: id, event: 'key.revoked', about: 'gdr_aaaaaaaa', actor });
    const [newest, ...others] = await readLog(store, id);
    const entry = { at: iso(clock.now), event: 'key.revoked', about: 'gdr_aaaaaaaa', ...actor };
    assert.equal({ ...newest }, entry);
    assert.is(others.length, MAX_ENTRIES - 1);
    assert.is(others.at(-1)?.event, 'feed.removed');
    const mails = await store.all<{ content: string }>('SELECT content FROM mails');
    assert.equal(
      mails.map(({ content }) => JSON.parse(content)),
      [entry],
    );
  });
});
