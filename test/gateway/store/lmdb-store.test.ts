import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findKey, listKeys } from '../../../gateway/people/accounts/accounts.ts';
import { openLmdbStore } from '../../../gateway/store/lmdb-store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { transact } from '../../../gateway/store/transaction.ts';
import { runSource } from '../../support/command.ts';
import { withPrograms } from '../../support/skip.ts';
import { whenFull } from '../../support/when-full.ts';
import { testStore } from './conformance.ts';
import { LMDB } from './on-each-store.ts';

testStore(LMDB);

const IMPORTS = `
  import { issueKey } from './gateway/people/accounts/accounts.js';
  import { openLmdbStore } from './gateway/store/lmdb-store.js';`;

const LIMITS = { minute: 10, day: 200 };

const test = suite<{ folder: string }>('folder of an lmdb store');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'store-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

test('a missing folder is made, for its owner alone, whatever its name', async ({ folder }) => {
  const path = join(folder, 'var', 'store.d');
  await (await openLmdbStore(path)).close();
  assert.is((await stat(path)).mode & 0o777, 0o700);
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    assert.is(mode & 0o777, entry.isFile() ? 0o600 : 0o700, entry.name);
  }
});

test('what another process wrote is read, also when the store grew a hundredfold', async ({ folder }) => {
  const store = await openLmdbStore(folder);
  assert.equal(await listKeys(store), []);
  const { code, stderr } = await runSource(`
    ${IMPORTS}
    const store = await openLmdbStore(${JSON.stringify(folder)});
    for (let i = 0; i < 3000; i++) {
      await issueKey(store, { email: 'u' + i + '@example.org', prefix: 'gdr_' + i, hash: 'h' + i, now: 0 });
    }
    await store.close();`);
  assert.is(code, 0, stderr);
  assert.is((await listKeys(store)).length, 3000);
  assert.is((await findKey(store, 'h2999'))?.account.email, 'u2999@example.org');
  await store.close();
});

test('who changes what keys are sees another revision at once', async ({ folder }) => {
  const store = await openLmdbStore(folder);
  const { value: before } = store.revision();
  await transact(store, async (transaction) => transaction.changeRevision());
  assert.is.not(store.revision().value, before);
  await store.close();
});

test('a key that was issued is there although the process was killed in the same moment', async ({
  folder,
}) => {
  const { signal, stderr } = await runSource(`
    ${IMPORTS}
    const store = await openLmdbStore(${JSON.stringify(folder)});
    await issueKey(store, { email: 'ada@example.org', prefix: 'gdr_1', hash: 'h1', now: 0 });
    process.kill(process.pid, 'SIGKILL');`);
  assert.is(signal, 'SIGKILL', stderr);
  const store = await openLmdbStore(folder);
  assert.is((await findKey(store, 'h1'))?.account.email, 'ada@example.org');
  await store.close();
});

test('a file in the place of the folder is refused in one line that says what to do', async ({ folder }) => {
  const path = join(folder, 'store');
  await writeFile(path, 'x');
  for (const place of [path, join(path, 'below')]) {
    assert.is(await refusalOf(place), `cannot open the store in ${place}: it is not a folder; name one`);
  }
});

test('a damaged store is refused, not overwritten', async ({ folder }) => {
  for (const [name, bytes] of Object.entries({ noise: Buffer.alloc(40_000, 7), short: Buffer.from('x') })) {
    const path = join(folder, name);
    await mkdir(path);
    await writeFile(join(path, 'data.mdb'), bytes);
    assert.match(await refusalOf(path), /its data\.mdb is damaged or no LMDB file; restore it from a backup/);
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

test('what was counted is read when the store is asked whether it answers, not when it is opened', async ({
  folder,
}) => {
  const store = await openLmdbStore(folder);
  const quota = (await readdir(folder)).find((name) => name.startsWith('quota')) as string;
  const files = () => readdir(join(folder, quota));
  assert.equal(await files(), []);
  await store.ping();
  assert.equal(await files(), ['0000000001.log']);
  await store.close();
});

withPrograms(test, 'prlimit')(
  'a request that cannot be counted on a full disk is a failure of the store',
  async ({ folder }) => {
    const store = await openLmdbStore(folder);
    await store.countRequest('a', LIMITS);
    await whenFull(20, async () => {
      const error: unknown = await store.countRequest('a', LIMITS).catch((reason: unknown) => reason);
      assert.instance(error, StoreError);
      assert.is(
        (error as StoreError).message,
        `the store in ${folder} failed: EFBIG: file too large, write; see whether its disk is full or failing`,
      );
    });
    assert.is((await store.countRequest('a', LIMITS)).counters.count, 2);
    await store.close();
  },
);

test('an empty data file, as a process leaves that was stopped early, is filled', async ({ folder }) => {
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
