import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findKey, issueKey } from '../../../gateway/store/accounts/accounts.ts';
import { checksum, isWhole } from '../../../gateway/store/sqlite-records.ts';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import { DamagedRecordError, StoreError } from '../../../gateway/store/store.ts';
import { table, transact } from '../../../gateway/store/transaction.ts';
import { findAccounts } from '../../../gateway/people/accounts/account-records.ts';
import { listKeys } from '../../../gateway/key-uses/list-keys.ts';
import { fc } from '../../support/random.ts';
import { onEachStore, type StoreContext } from '../store/on-each-store.ts';

const PAGE = 4096;
/** The first byte of a page that leads to other pages, in a table without row ids. */
const INNER_PAGE = 2;
const NOW = Date.parse('2030-05-01T10:00:00Z');

const checked = suite('records with checksums');

checked('any change of a name, a value or an expiry is found', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const expires = fc.option(fc.integer({ min: NOW + 1, max: NOW * 2 }));
  fc.assert(
    fc.property(text, text, expires, fc.nat(), (name, value, end, at) => {
      const row = { name, value: Buffer.from(value), expires: end, sum: checksum(name, value, end) };
      assert.ok(isWhole(row));
      assert.not.ok(isWhole({ ...row, name: `${name}x` }));
      assert.not.ok(isWhole({ ...row, expires: end === null ? NOW : end + 1 }));
      const changed = Buffer.from(`${value} `);
      const index = at % changed.length;
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.not.ok(isWhole({ ...row, value: changed }));
    }),
  );
});

checked.run();

const damaged = suite<{ folder: string }>('a store in a folder with a damaged record');

damaged.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'damaged-'));
});
damaged.after.each(({ folder }) => rm(folder, { recursive: true }));

damaged('lists and finds all other keys, and fails only for the damaged one', async ({ folder }) => {
  const first = await openSqliteStore(folder);
  for (const name of ['ada', 'bob', 'cay'])
    await issueKey(first, {
      email: `${name}@example.org`,
      prefix: `gdr_${name}`,
      hash: `hash-${name}`,
      now: NOW,
    });
  await first.close();
  await damageRecord(folder, '"prefix":"gdr_bob"', '"prefix":"gdr_bxb"');
  const reported: string[] = [];
  const store = await openSqliteStore(folder, { reportDamage: (record) => void reported.push(record) });
  assert.equal(
    (await listKeys(store)).map(({ key }) => key.prefix),
    ['gdr_ada', 'gdr_cay'],
  );
  assert.is((await findKey(store, 'hash-cay'))?.key.prefix, 'gdr_cay');
  const error: unknown = await findKey(store, 'hash-bob').catch((reason: unknown) => reason);
  assert.instance(error, DamagedRecordError);
  assert.is(
    (error as Error).message,
    'a record of the kind "key" in the store is damaged; gateway store verify lists it, and a backup may have it undamaged',
  );
  await listKeys(store);
  assert.equal(reported, ['key:hash-bob']);
  await issueKey(store, { email: 'dan@example.org', prefix: 'gdr_dan', hash: 'hash-dan', now: NOW });
  await store.close();
});

damaged('a damaged record that has expired does not stop other writes', async ({ folder }) => {
  const clock = { now: NOW };
  const first = await openSqliteStore(folder);
  await first.commit({
    read: new Map(),
    write: new Map([['a:1', { value: 'unmistakable', expires: NOW + 1 }]]),
  });
  await first.close();
  await damageRecord(folder, 'unmistakable', 'unmistakeable'.slice(0, 12));
  const store = await openSqliteStore(folder, { now: () => clock.now });
  clock.now = NOW + 2;
  assert.ok(await store.commit({ read: new Map(), write: new Map([['a:2', { value: '2' }]]) }));
  assert.equal(await store.read(['a:1', 'a:2']), [undefined, '2']);
  await store.close();
});

damaged('is not opened when damage hides other records', async ({ folder }) => {
  const names = Array.from({ length: 500 }, (_, n) => `a:${1000 + n}`);
  const first = await openSqliteStore(folder);
  await first.commit({ read: new Map(), write: new Map(names.map((name) => [name, { value: 'one' }])) });
  await first.close();
  const path = join(folder, 'store.sqlite');
  const bytes = await readFile(path);
  const inner = pagesOf(bytes).filter((page) => page[0] === INNER_PAGE && page.includes('a:1'));
  assert.ok(inner.length > 0);
  // A search for a name is led to the wrong page by it.
  for (const page of inner) page.write('z', page.indexOf('a:1'));
  await writeFile(path, bytes);
  const error: unknown = await openSqliteStore(folder).catch((reason: unknown) => reason);
  assert.instance(error, StoreError);
  assert.match(
    (error as Error).message,
    /^store\.sqlite of the store in .* is damaged \(row not in PRIMARY KEY order for record\); restore a backup /,
  );
});

damaged.run();

/** Returns the pages of a data file, which share its memory. */
function pagesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / PAGE }, (_, n) => bytes.subarray(n * PAGE, (n + 1) * PAGE));
}

/** Replaces a text in the values of records, without their checksums. */
async function damageRecord(folder: string, text: string, by: string): Promise<void> {
  const path = join(folder, 'store.sqlite');
  const bytes = await readFile(path, 'latin1');
  assert.ok(bytes.includes(text), text);
  await writeFile(path, bytes.replaceAll(text, by), 'latin1');
}

onEachStore<StoreContext>(
  'a record that is not JSON',
  () => NOW,
  (test) => {
    test('fails alone, and is left out of lists', async ({ store }) => {
      await issueKey(store, { email: 'ada@example.org', prefix: 'gdr_ada', hash: 'hash-ada', now: NOW });
      const accounts = [...(await listKeys(store))].map(({ account }) => account.id);
      const write = new Map([
        ['key:hash-bob', { value: '{"prefix":' }],
        ['account:acc_bad', { value: 'x' }],
      ]);
      await store.commit({ read: new Map(), write });
      assert.is((await listKeys(store)).length, 1);
      assert.is((await findAccounts(store, [...accounts, 'acc_bad'])).size, 1);
      assert.instance(await findKey(store, 'hash-bob').catch((error: unknown) => error), DamagedRecordError);
      const BAD = table<string>('account');
      const reading = transact(store, (transaction) => transaction.get(BAD, 'acc_bad'));
      assert.instance(await reading.catch((error: unknown) => error), DamagedRecordError);
    });
  },
);
