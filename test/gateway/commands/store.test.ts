import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../../gateway/store/open.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { issueKey } from '../../support/harness.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const test = suite<{ folder: string; store: string; file: string }>('gateway store');
test.before.each(async (context) => {
  context.folder = await makeFolder('store');
  context.store = path.join(context.folder, 'store');
  context.file = path.join(context.folder, 'backup.sqlite');
});

const run = (store: string, ...args: string[]) => runInProcess('gateway', [...args, '--store', store]);

test('a backup of a store in use has all that was acknowledged before it, and opens', async (context) => {
  const { store, file, folder } = context;
  const writer = await openStore(store);
  for (let index = 0; index < 5; index++) await issueKey(writer, 'free', `w${index}@example.org`);
  const { code, stderr } = await run(store, 'store', 'backup', file);
  assert.equal([code, (await stat(file)).mode & 0o777], [0, 0o600], stderr);
  await issueKey(writer, 'free', 'later@example.org');
  await writer.close();
  const restored = path.join(folder, 'restored');
  await mkdir(restored);
  await copyFile(path.join(store, 'secret.key'), path.join(restored, 'secret.key'));
  await chmod(file, 0o644);
  assert.is((await run(restored, 'store', 'restore', file)).code, 0);
  assert.is((await stat(path.join(restored, 'store.sqlite'))).mode & 0o777, 0o600);
  const { stdout } = await run(restored, 'keys', 'list', '--json');
  assert.is((JSON.parse(stdout) as object[]).length, 5);
});

test('neither a backup nor a restore overwrites anything, and only a backup is restored', async (context) => {
  const { store, file, folder } = context;
  await run(store, 'keys', 'issue', 'ada@example.org');
  assert.is((await run(store, 'store', 'backup', file)).code, 0);
  const bytes = await readFile(file);
  const missing = await run(store, 'store', 'backup', path.join(folder, 'none', 'b.sqlite'));
  assert.match(missing.stderr, /^gateway: cannot write .*ENOENT[^\n]*\n$/);
  const again = await run(store, 'store', 'backup', file);
  assert.equal([again.code, /exists; name a new file/.test(again.stderr)], [1, true]);
  const over = await run(store, 'store', 'restore', file);
  assert.equal([over.code, /has a store; name another folder/.test(over.stderr)], [1, true]);
  assert.match((await run(store, 'keys', 'list')).stdout, 'ada@example.org');
  assert.ok(bytes.equals(await readFile(file)));
  const [damaged, empty] = [path.join(folder, 'damaged'), path.join(folder, 'empty')];
  await writeFile(damaged, bytes.subarray(0, bytes.length / 2));
  const refused = await run(empty, 'store', 'restore', damaged);
  assert.equal([refused.code, /is not a backup of a store/.test(refused.stderr)], [1, true]);
  assert.is(existsSync(path.join(empty, 'store.sqlite')), false);
  await mkdir(empty);
  await writeFile(path.join(empty, 'store.sqlite'), bytes.subarray(0, 5000));
  const broken = await run(empty, 'keys', 'list');
  assert.equal([broken.code, /is damaged .*gateway store restore <file>/.test(broken.stderr)], [1, true]);
});

test('a check makes nothing, and a store gets no other key than the one that it was made with', async (context) => {
  const { store, file, folder } = context;
  await mkdir(store);
  assert.match((await run(store, 'serve', '--check')).stdout, `${store} does not exist, and will be made`);
  assert.equal(await readdir(store), []);
  await run(store, 'keys', 'issue', 'ada@example.org');
  assert.is((await run(store, 'store', 'backup', file)).code, 0);
  const restored = path.join(folder, 'restored');
  assert.match(
    (await run(restored, 'store', 'restore', file)).stderr,
    'its secret.key is missing or damaged',
  );
  assert.equal(await readdir(restored), []);
  // As a power failure could leave it.
  await writeFile(path.join(restored, 'secret.key'), '');
  assert.is((await run(restored, 'keys', 'issue', 'ada@example.org')).code, 1);
});

test('messages name a server without its password, wherever the address has it', async () => {
  for (const place of ['127.0.0.1:1/d?user=u&password=hunter2', 'u:p@hunter2@127.0.0.1:1/d'])
    assert.match(
      (await run(`postgres://${place}`, 'keys', 'list')).stderr,
      /^((?!hunter2).)*127\.0\.0\.1:1\/d does/,
    );
});

test('each reference between tables has an index: deleting an account reads no whole table', async ({
  store,
}) => {
  await run(store, 'keys', 'issue', 'ada@example.org');
  const database = new DatabaseSync(path.join(store, 'store.sqlite'), { readOnly: true });
  const read = (statement: string) => database.prepare(statement).all() as Record<string, string>[];
  const references = read("SELECT name FROM sqlite_schema WHERE type = 'table'").flatMap(({ name = '' }) =>
    read(`PRAGMA foreign_key_list(${name})`).map(({ from }) => ({ name, from })),
  );
  assert.ok(references.length > 10);
  for (const { name, from } of references) {
    const indexes = read(`PRAGMA index_list(${name})`).map(
      (each) => read(`PRAGMA index_info(${each.name})`)[0],
    );
    assert.ok(
      indexes.some((first) => first?.name === from),
      `${name}.${from}`,
    );
  }
  database.close();
});

test.run();
