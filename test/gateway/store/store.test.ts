import * as assert from 'uvu/assert';
import { checkStore, readMeta, setMeta, sweep } from '../../../gateway/store/open.ts';
import { complete, fail, giveBack, type Leased, lease, PAUSES_MS } from '../../../gateway/store/queues.ts';
import { keyedName, seal, unseal } from '../../../gateway/store/secrets.ts';
import { changeRevision, readRevision, type Sql, StoreError } from '../../../gateway/store/sql.ts';
import { onEachEngine, SECRET_KEY } from './engines.ts';

/** Rows of SQLite have no prototype, which uvu compares. */
const equal = (actual: unknown, expected: unknown) =>
  assert.equal(JSON.parse(JSON.stringify(actual)), expected);

const addJob = (sql: Sql, id: string, due: number) =>
  sql.run("INSERT INTO mails (id, kind, content, due_at) VALUES ($1, 'test', '{}', $2)", [id, due]);

onEachEngine('store', (test) => {
  test('statements return rows with numbers and texts, and how many rows they changed', async ({ store }) => {
    assert.is(await addJob(store, 'é 💥', 1_900_000_000_000), 1);
    equal(await store.get('SELECT id, due_at, error FROM mails WHERE due_at = $1', [1_900_000_000_000]), {
      id: 'é 💥',
      due_at: 1_900_000_000_000,
      error: null,
    });
    equal(await store.all('SELECT count(*) AS count, sum(due_at) AS sum FROM mails'), [
      { count: 1, sum: 1_900_000_000_000 },
    ]);
    assert.is(await store.get('SELECT id FROM mails WHERE id = $1', ['other']), undefined);
    equal(await store.all('DELETE FROM mails WHERE id = $1 RETURNING id', ['é 💥']), [{ id: 'é 💥' }]);
    assert.is(await store.run('DELETE FROM mails WHERE id = $1', ['é 💥']), 0);
  });

  test('a transaction writes all or nothing, and nobody sees it before it ends', async ({ store, place }) => {
    const other = await place.open();
    const failure = new Error('on purpose');
    const failed = store.transaction(async (sql) => {
      await addJob(sql, 'a', 1);
      equal(await store.all('SELECT id FROM mails'), []);
      assert.equal(await store.fast.all('SELECT id FROM mails'), []);
      equal(await other.all('SELECT id FROM mails'), []);
      throw failure;
    });
    assert.is(await failed.catch((error) => error), failure);
    equal(await store.all('SELECT id FROM mails'), []);
    await store.transaction((sql) => addJob(sql, 'b', 1));
    equal(await other.all('SELECT id FROM mails'), [{ id: 'b' }]);
    await other.close();
  });

  test('transactions of several processes run as if one after the other', async ({ store, place }) => {
    const others = await Promise.all([place.open(), place.open()]);
    await setMeta(store, 'number', '0');
    const add = (each: typeof store) =>
      each.transaction(async (sql) => {
        const before = Number(await readMeta(sql, 'number'));
        await new Promise((resolve) => setImmediate(resolve));
        await setMeta(sql, 'number', String(before + 1));
      });
    await Promise.all([store, ...others, store, ...others].flatMap((each) => [add(each), add(each)]));
    assert.is(await readMeta(store, 'number'), '12');
    for (const other of others) await other.close();
  });

  test('the revision changes with each change, also when old ones are removed', async ({ store, clock }) => {
    const seen = new Set([await readRevision(store)]);
    for (let count = 0; count < 5; count++) {
      await changeRevision(store);
      seen.add(await readRevision(store));
    }
    clock.now += 2 * 3_600_000;
    await sweep(store);
    await changeRevision(store);
    seen.add(await readRevision(store));
    assert.is(seen.size, 7);
  });

  test('a sealed secret is read only with its key and for its owner', async ({ store }) => {
    const sealed = seal(store, 'whsec_é', 'account');
    assert.not.match(sealed, 'whsec');
    assert.is(unseal(store, sealed, 'account'), 'whsec_é');
    assert.is(unseal(store, sealed, 'other'), undefined);
    assert.is(unseal({ secretKey: Buffer.alloc(32) }, sealed, 'account'), undefined);
    for (const damaged of ['', 'x', sealed.slice(1), `${sealed.slice(0, -2)}AA`])
      assert.is(unseal(store, damaged, 'account'), undefined);
    assert.match(keyedName(store, 'ada@example.org'), /^[0-9a-f]{64}$/);
    assert.is.not(
      keyedName(store, 'ada@example.org'),
      keyedName({ secretKey: Buffer.alloc(32) }, 'ada@example.org'),
    );
  });

  test('a server or disk that becomes read-only is a failure of the store', async ({ store, place }) => {
    const isShared = place.address.startsWith('postgres');
    // Of one connection, which a failure ends.
    const forbid = () =>
      store.run(isShared ? 'SET default_transaction_read_only = on' : 'PRAGMA query_only = ON');
    await forbid();
    assert.instance(await addJob(store, 'a', 1).catch((error) => error), StoreError);
    await forbid();
    assert.instance(await sweep(store).catch((error) => error), StoreError);
  });

  test('a store is refused with another secret key', async ({ place }) => {
    const error = await place
      .open({ secretKey: Buffer.alloc(32).toString('base64') })
      .catch((error) => error);
    assert.match(error.message, 'was made with another secret key');
  });

  test('tables of a newer version are refused, and a check changes none', async ({ store, place }) => {
    await setMeta(store, 'version', '99');
    const error = await place.open().catch((error) => error);
    assert.match(error.message, 'was written by a newer version');
    await store.run('DELETE FROM meta');
    assert.is(await checkStore(place.address, { secretKey: SECRET_KEY }), false);
    equal(await store.all('SELECT name FROM meta'), []);
  });

  test('a row whose attempts all ended their process is given up, and one that nobody could do is removed', async ({
    store,
    clock,
  }) => {
    await addJob(store, 'a', clock.now);
    const leased: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++, clock.now += 1)
      leased.push((await lease(store, 'mails', { lease: 1, limit: 1 })).length);
    assert.equal(leased, [1, 1, 1, 1, 1, 1, 0, 0, 0]);
    equal(await store.all('SELECT failed_at FROM mails'), [{ failed_at: clock.now - 3 }]);
    await addJob(store, 'b', clock.now + 1);
    clock.now += 7 * 86_400_000 + 1;
    await sweep(store);
    equal(await store.all('SELECT id FROM mails'), [{ id: 'b' }]);
    clock.now += 1;
    await sweep(store);
    equal(await store.all('SELECT id FROM mails'), []);
  });

  test('work that fails is tried again with growing pauses, and kept as failed', async ({ store, clock }) => {
    await addJob(store, 'a', clock.now);
    let attempts = 0;
    for (let pause = 0; ; clock.now += 1000 * 60) {
      const [row] = await lease(store, 'mails', { lease: 1, limit: 1 });
      if (row === undefined) continue;
      attempts += 1;
      await fail(store, 'mails', row, { error: 'refused' });
      const next = await store.get<{ due_at: number }>('SELECT due_at FROM mails WHERE failed_at IS NULL');
      if (!next) break;
      assert.ok(next.due_at - clock.now > pause);
      pause = next.due_at - clock.now;
    }
    assert.is(attempts, PAUSES_MS.length + 1);
    clock.now += 1_000_000_000;
    assert.equal(await lease(store, 'mails', { lease: 1, limit: 1 }), []);
    equal(await store.all('SELECT error FROM mails WHERE failed_at IS NOT NULL'), [{ error: 'refused' }]);
  });

  test('a row whose lease has ended is leased again, and the first holder cannot settle it', async ({
    store,
    clock,
  }) => {
    await addJob(store, 'a', clock.now);
    const [held] = (await lease(store, 'mails', { lease: 1000, limit: 1 })) as [Leased];
    assert.equal(await lease(store, 'mails', { lease: 1000, limit: 1 }), []);
    clock.now += 1000;
    const [again] = (await lease(store, 'mails', { lease: 1000, limit: 1 })) as [Leased];
    assert.is(again.attempts, 2);
    assert.is(await complete(store, 'mails', held), false);
    await fail(store, 'mails', held, { error: 'late' });
    equal(await store.all('SELECT error FROM mails'), [{ error: null }]);
    await giveBack(store, 'mails', again, clock.now);
    const [third] = (await lease(store, 'mails', {
      lease: 1000,
      limit: 1,
      where: 'kind = $1',
      values: ['test'],
    })) as [Leased];
    assert.is(third.attempts, 2);
    assert.is(await complete(store, 'mails', third), true);
    assert.is(await complete(store, 'mails', third), false);
  });
});
