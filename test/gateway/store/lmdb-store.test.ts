import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLmdbStore } from '../../../gateway/store/lmdb-store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { transact } from '../../../gateway/store/transaction.ts';
import { testStore } from './conformance.ts';
import { LMDB } from './on-each-store.ts';

testStore(LMDB);

const LIMITS = { minute: 10, day: 200 };

const test = suite<{ folder: string }>('folder of an lmdb store');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'store-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

test('a missing folder is created for its owner only, whatever its name', async ({ folder }) => {
  const path = join(folder, 'var', 'store.d');
  await (await openLmdbStore(path)).close();
  assert.is((await stat(path)).mode & 0o777, 0o700);
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    assert.is(mode & 0o777, entry.isFile() ? 0o600 : 0o700, entry.name);
  }
});

test('a process that changes keys sees the new revision at once', async ({ folder }) => {
  const store = await openLmdbStore(folder);
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
  for (const [name, bytes] of Object.entries({ noise: Buffer.alloc(40_000, 7), short: Buffer.from('x') })) {
    const path = join(folder, name);
    await mkdir(path);
    await writeFile(join(path, 'data.mdb'), bytes);
    assert.match(
      await refusalOf(path),
      /its data\.mdb is damaged or is not an LMDB file; restore a backup with gateway store/,
    );
    assert.equal(await readFile(join(path, 'data.mdb')), bytes);
  }
});

test('counters of another boot, which may be damaged, are removed and never opened', async ({ folder }) => {
  const other = join(folder, 'quota-00000000');
  await mkdir(other);
  await writeFile(join(other, 'data.mdb'), Buffer.alloc(40_000, 7));
  const store = await openLmdbStore(folder);
  assert.is((await store.countRequest('a', LIMITS)).admitted, true);
  await store.close();
  const counters = (await readdir(folder)).filter((name) => name.startsWith('quota'));
  assert.is(counters.length, 1);
  assert.not.equal(counters, ['quota-00000000']);
});

test('counters are read by the first ping, not when the store is opened', async ({ folder }) => {
  const store = await openLmdbStore(folder);
  const quota = (await readdir(folder)).find((name) => name.startsWith('quota')) as string;
  const files = () => readdir(join(folder, quota));
  assert.equal(await files(), []);
  await store.ping();
  assert.equal(await files(), ['0000000001.log']);
  await store.close();
});

test('an empty data file, left by a process that was killed early, is filled', async ({ folder }) => {
  await writeFile(join(folder, 'data.mdb'), '');
  const store = await openLmdbStore(folder);
  await store.ping();
  await store.close();
});

test.run();

async function refusalOf(folder: string): Promise<string> {
  const error: unknown = await openLmdbStore(folder).catch((reason: unknown) => reason);
  assert.instance(error, StoreError);
  return (error as StoreError).message;
}
