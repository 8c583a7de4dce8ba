import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../../gateway/store/open-store.ts';
import { initStore } from '../../../gateway/backup/init-store.ts';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { untilReleased } from '../../support/count-open.ts';
import { QUIET } from '../../support/quiet.ts';

const test = suite<{ folder: string }>('a store in a folder whose files were lost');

test.before.each(async (context) => {
  context.folder = join(await mkdtemp(join(tmpdir(), 'lost-')), 'store');
});
test.after.each(({ folder }) => rm(join(folder, '..'), { recursive: true }));

test('a store that was in use and has lost its data file is refused, not made again', async ({ folder }) => {
  const identity = await makeStore(folder);
  for (const lose of [
    () => rm(join(folder, 'store.sqlite')),
    () => writeFile(join(folder, 'store.sqlite'), ''),
  ]) {
    await lose();
    assert.is(
      await refusalOf(folder),
      `cannot open the store in ${folder}: it was in use (identity ${identity}), but its store.sqlite is missing or empty; ` +
        `restore a backup with gateway store restore <file> --store ${folder}, or accept the loss with gateway store init --store ${folder}`,
    );
  }
  const next = await initStore(folder);
  assert.is.not(next, identity);
  assert.is(await makeStore(folder), next);
});

test('an identity that is expected makes the loss of the whole folder an error, and creates nothing', async ({
  folder,
}) => {
  const identity = await makeStore(folder);
  await (await openStore(folder, { identity })).close();
  const error = (await openStore(folder, { identity: 'another' }).catch(
    (reason: unknown) => reason,
  )) as Error;
  assert.instance(error, StoreError);
  assert.match(error.message, `its identity is ${identity}, expected another (--store-id)`);
  await untilReleased(folder);
  await rm(folder, { recursive: true });
  const lost = (await openStore(folder, { identity }).catch((reason: unknown) => reason)) as Error;
  assert.instance(lost, StoreError);
  assert.match(
    lost.message,
    `it has no store.sqlite, expected the store ${identity} (--store-id); mount its disk`,
  );
  assert.not.ok(existsSync(folder));
});

test('the data file of another store, or a new one, is refused', async ({ folder }) => {
  const identity = await makeStore(folder);
  const other = `${folder}-other`;
  const otherIdentity = await makeStore(other);
  await rename(join(other, 'store.sqlite'), join(folder, 'store.sqlite'));
  assert.match(
    await refusalOf(folder),
    `its store.sqlite is that of another store (identity ${otherIdentity})`,
  );
  assert.match(await refusalOf(folder), `but the folder belongs to the store ${identity}; restore a backup`);
  await untilReleased(folder);
  assert.is(await initStore(folder), otherIdentity);
  assert.is(await makeStore(folder), otherIdentity);
});

test('a store from before there were identities gets one', async ({ folder }) => {
  const store = await openSqliteStore(folder);
  await store.commit({ read: new Map(), write: new Map([['identity', { value: null }]]) });
  await store.close();
  await rm(join(folder, 'identity'));
  const identity = await makeStore(folder);
  assert.is(await readFile(join(folder, 'identity'), 'utf8'), `${identity}\n`);
  assert.is(await makeStore(folder), identity);
});

test('processes that open a new store at the same time give it one identity', async ({ folder }) => {
  const stores = await Promise.all([1, 2, 3].map(() => openSqliteStore(folder)));
  const identities = await Promise.all(stores.map((store) => store.identity()));
  assert.is(new Set(identities).size, 1);
  await Promise.all(stores.map((store) => store.close()));
  assert.equal(
    (await readdir(folder)).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('a store that is removed or replaced while it is open refuses all work, and says so in the log', async ({
  folder,
}) => {
  const logged: string[] = [];
  const store = await openSqliteStore(folder, {
    log: { ...QUIET, error: (message) => void logged.push(message) },
  });
  await store.ping();
  await rename(folder, `${folder}-moved`);
  const change = { read: new Map(), write: new Map([['a', { value: '1' }]]) };
  const refused = async (work: Promise<unknown>) =>
    assert.match(
      (await errorOf(work)).message,
      'was removed or replaced while it was in use; start this process again',
    );
  await refused(store.commit(change));
  await makeStore(folder);
  await refused(store.ping());
  await refused(store.read(['a']));
  await refused(store.countRequest('a', { minute: 1, day: 1 }));
  assert.throws(() => store.revision(), /was removed or replaced/);
  assert.equal([...new Set(logged)], ['the store was removed or replaced while it was in use']);
  await store.close();
});

test('a store whose counters cannot be opened leaves nothing open', async ({ folder }) => {
  await makeStore(folder);
  await rm(join(folder, 'counters.sqlite'));
  await mkdir(join(folder, 'counters.sqlite'));
  assert.match(await refusalOf(folder), 'unable to open database file');
  await untilReleased(folder);
  await rm(join(folder, 'counters.sqlite'), { recursive: true });
  await makeStore(folder);
});

test.run();

/** Opens a store once. @returns its identity */
async function makeStore(folder: string): Promise<string> {
  const store = await openSqliteStore(folder);
  const identity = await store.identity();
  await store.close();
  return identity;
}

async function refusalOf(folder: string): Promise<string> {
  return (await errorOf(openSqliteStore(folder))).message;
}

async function errorOf(work: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await work.then(
    (result) => (result as Store | undefined)?.close?.(),
    (reason: unknown) => reason,
  );
  assert.instance(error, StoreError);
  return error as StoreError;
}
