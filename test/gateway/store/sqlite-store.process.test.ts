import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findKey } from '../../../gateway/store/accounts/accounts.ts';
import { listKeys } from '../../../gateway/key-uses/list-keys.ts';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { runSource, runSourceSync, startProcess } from '../../support/command.ts';
import { testInNamespaces } from '../../support/namespaces.ts';
import { BUILD } from '../../support/paths.ts';
import { withPrograms } from '../../support/skip.ts';
import { whenFull } from '../../support/when-full.ts';

const IMPORTS = `
  import { issueKey } from './gateway/store/accounts/accounts.js';
  import { openSqliteStore } from './gateway/store/sqlite-store.js';`;

const LIMITS = { minute: 10, day: 200 };

const test = suite<{ folder: string }>('an SQLite store of several processes, and on a full disk');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'store-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

test('a record written by another process is read, also after the store grew a hundredfold', async ({
  folder,
}) => {
  const store = await openSqliteStore(folder);
  assert.equal(await listKeys(store), []);
  const { code, stderr } = await runSource(`
    ${IMPORTS}
    const store = await openSqliteStore(${JSON.stringify(folder)});
    for (let i = 0; i < 3000; i++) {
      await issueKey(store, { email: 'u' + i + '@example.org', prefix: 'gdr_' + i, hash: 'h' + i, now: 0 });
    }
    await store.close();`);
  assert.is(code, 0, stderr);
  assert.is((await listKeys(store)).length, 3000);
  assert.is((await findKey(store, 'h2999'))?.account.email, 'u2999@example.org');
  await store.close();
});

test('a key is found that another process issued while this one did nothing', async ({ folder }) => {
  const store = await openSqliteStore(folder);
  const source = `
    ${IMPORTS}
    const store = await openSqliteStore(${JSON.stringify(folder)});
    await issueKey(store, { email: 'ada@example.org', prefix: 'gdr_1', hash: 'h1', now: 0 });
    await store.close();`;
  const before = findKey(store, 'h1');
  runSourceSync(source);
  const after = findKey(store, 'h1');
  assert.is(await before, undefined);
  assert.is((await after)?.account.email, 'ada@example.org');
  await store.close();
});

test('an issued key exists although the process was killed directly afterwards', async ({ folder }) => {
  const { signal, stderr } = await runSource(`
    ${IMPORTS}
    const store = await openSqliteStore(${JSON.stringify(folder)});
    await issueKey(store, { email: 'ada@example.org', prefix: 'gdr_1', hash: 'h1', now: 0 });
    process.kill(process.pid, 'SIGKILL');`);
  assert.is(signal, 'SIGKILL', stderr);
  const store = await openSqliteStore(folder);
  assert.is((await findKey(store, 'h1'))?.account.email, 'ada@example.org');
  await store.close();
});

withPrograms(test, 'prlimit')(
  'a request that cannot be counted on a full disk is a failure of the store',
  async ({ folder }) => {
    const store = await openSqliteStore(folder);
    await store.countRequest('a', LIMITS);
    await whenFull(20, async () => {
      const error: unknown = await store.countRequest('a', LIMITS).catch((reason: unknown) => reason);
      assert.instance(error, StoreError);
      assert.is(
        (error as StoreError).message,
        `the store in ${folder} failed: disk I/O error; check whether its disk is full or failing`,
      );
    });
    assert.is((await store.countRequest('a', LIMITS)).counters.count, 2);
    await store.close();
  },
);

testInNamespaces(
  test,
  'processes with the same number, as in two containers, share a folder',
  async ({ folder }) => {
    const program = `
      ${IMPORTS}
      const store = await openSqliteStore(${JSON.stringify(folder)});
      for (let n = 0; n < 50; n++) {
        await store.commit({ read: new Map(), write: new Map([[process.argv[1] + n, { value: 'x' }]]) });
        await store.countRequest('ada', { minute: 1000, day: 1000 });
      }
      console.log(process.pid);
      await store.close();`;
    const run = (name: string) =>
      startProcess(
        'unshare',
        ['--pid', '--fork', '--kill-child', process.execPath, '--input-type=module', '--eval', program, name],
        { cwd: BUILD },
      ).ended;
    const ended = await Promise.all(['a:', 'b:'].map(run));
    for (const { stdout, stderr } of ended) assert.is(stdout, '1\n', stderr);
    const store = await openSqliteStore(folder);
    for (const prefix of ['a:', 'b:'])
      assert.is((await store.list(prefix, { after: '', limit: 100 })).length, 50);
    assert.is((await store.readCounters('ada')).counters.count, 100);
    await store.close();
  },
);

test.run();
