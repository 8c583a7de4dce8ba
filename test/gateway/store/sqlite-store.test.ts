import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../../gateway/store/open-store.ts';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { transact } from '../../../gateway/store/transaction.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { testStore } from './conformance.ts';
import { SQLITE } from './on-each-store.ts';

testStore(SQLITE);

const LIMITS = { minute: 10, day: 200 };
const MANY = { minute: 1e6, day: 1e6 };

const test = suite<{ folder: string }>('folder of an SQLite store');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'store-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

test('a missing folder is created for its owner only, whatever its name', async ({ folder }) => {
  const path = join(folder, 'var', 'store.d');
  await (await openSqliteStore(path)).close();
  assert.is((await stat(path)).mode & 0o777, 0o700);
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    assert.is(mode & 0o777, entry.isFile() ? 0o600 : 0o700, entry.name);
  }
});

test('a process that changes keys sees the new revision at once', async ({ folder }) => {
  const store = await openSqliteStore(folder);
  const { value: before } = store.revision();
  await transact(store, async (transaction) => transaction.changeRevision());
  assert.is.not(store.revision().value, before);
  await store.close();
});

test('a file instead of the folder is refused in one line that says what to do', async ({ folder }) => {
  const path = join(folder, 'store');
  await writeFile(path, 'x');
  for (const place of [path, join(path, 'below')]) {
    assert.is(await refusalOf(place), `cannot open the store in ${place}: it is not a folder; name a folder`);
  }
});

test('a damaged store is refused, not overwritten', async ({ folder }) => {
  const bytes = Buffer.alloc(40_000, 7);
  await writeFile(join(folder, 'store.sqlite'), bytes);
  assert.match(
    await refusalOf(folder),
    /^store\.sqlite of the store in .* is damaged \(file is not a database\); restore a backup with gateway store/,
  );
  assert.equal(await readFile(join(folder, 'store.sqlite')), bytes);
});

test('a data file of a newer version is refused', async ({ folder }) => {
  await (await openSqliteStore(folder)).close();
  const database = new DatabaseSync(join(folder, 'store.sqlite'));
  database.exec('PRAGMA user_version = 2');
  database.close();
  assert.match(await refusalOf(folder), 'it was written by a newer version; use that version');
});

test('counters are read by the first ping, so that no request waits for that', async ({ folder }) => {
  const first = await openSqliteStore(folder);
  await first.countRequest('a', LIMITS);
  await first.close();
  const store = await openSqliteStore(folder);
  await store.ping();
  assert.is((await store.countRequest('a', LIMITS)).counters.count, 2);
  await store.close();
});

test('an empty data file, left by a process that was killed early, is filled', async ({ folder }) => {
  await writeFile(join(folder, 'store.sqlite'), '');
  const store = await openSqliteStore(folder);
  await store.ping();
  await store.close();
});

test('a process that counted nothing for a long time counts after all that others counted', async ({
  folder,
}) => {
  const [idle, busy] = [await openSqliteStore(folder), await openSqliteStore(folder)];
  const one = { minute: 1, day: 1 };
  await idle.countRequest('used up', one);
  // So many that every bucket is saved, and the ticks before are removed.
  for (let n = 0; n < 300; n++)
    await Promise.all(Array.from({ length: 300 }, (_, i) => busy.countRequest(`other ${i % 100}`, MANY)));
  assert.is((await busy.countRequest('later', one)).admitted, true);
  assert.is((await idle.countRequest('later', one)).admitted, false);
  assert.is((await idle.countRequest('used up', one)).admitted, false);
  assert.is((await idle.readCounters('other 1')).counters.count, 900);
  await Promise.all([idle.close(), busy.close()]);
});

test('what was deleted is not in the file any more', async ({ folder }) => {
  const store = await openSqliteStore(folder);
  const commit = (value: string | null) =>
    store.commit({ read: new Map(), write: new Map([['record', { value }]]) });
  await commit('ada@example.org'.repeat(20));
  await commit(null);
  await store.close();
  assert.not.ok((await readFile(join(folder, 'store.sqlite'))).includes('ada@example'));
});

test('an address that is no folder and not of Redis is refused', async ({ folder }) => {
  const failure = await openStore(`http://user:secret@${folder}`).catch((error: Error) => error.message);
  assert.match(String(failure), /this is no address of a store; name a folder, or redis:/);
  assert.not.match(String(failure), /secret/);
});

test('a folder whose shared memory was removed while a process uses it is refused by others', async ({
  folder,
}) => {
  const store = await openSqliteStore(folder);
  await store.commit({ read: new Map(), write: new Map([['record', { value: 'kept' }]]) });
  await rm(join(folder, 'store.sqlite-shm'));
  const { code, stderr } = await runInProcess('gateway', ['keys', 'list', '--store', folder]);
  assert.is(code, 1);
  assert.match(stderr, new RegExp(`shm was removed, but the process ${process.pid} uses the store; stop it`));
  await store.close();
});

test.run();

async function refusalOf(folder: string): Promise<string> {
  const error: unknown = await openSqliteStore(folder).catch((reason: unknown) => reason);
  assert.instance(error, StoreError);
  return (error as StoreError).message;
}
