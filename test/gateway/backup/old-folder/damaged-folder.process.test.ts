import { mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GAME } from '../../../campaigns/fleet.ts';
import { runCommand, startCommand } from '../../../support/command.ts';
import { buildGames } from '../../../support/dist-fixture.ts';
import { runInProcess } from '../../../support/run-in-process.ts';

interface Context {
  root: string;
  /** A folder in LMDB with ten keys. */
  store: string;
}

const test = suite<Context>('an old folder');

test.before.each(async (context) => {
  context.root = await mkdtemp(path.join(tmpdir(), 'old-folder-'));
  context.store = path.join(context.root, 'old');
  const first = path.join(context.root, 'first');
  for (let n = 0; n < 10; n++) await complete('keys', 'issue', `ada-${n}@example.org`, '--store', first);
  await complete('store', 'migrate', '--from', first, '--to', `lmdb:${context.store}`);
});
test.after.each(({ root }) => rm(root, { recursive: true }));

async function complete(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runInProcess('gateway', args);
  assert.is(code, 0, stderr);
  return stdout;
}

const list = (store: string, env = {}) =>
  runCommand('gateway', ['keys', 'list', '--json', '--store', store], { env });

/** Replaces a text in the data file by another of the same length. */
async function replaceText(store: string, from: string, to: string): Promise<void> {
  const file = path.join(store, 'data.mdb');
  const bytes = await readFile(file);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from)) bytes.write(to, at);
  await writeFile(file, bytes);
}

test('with damaged records is refused; init leaves them out', async ({ store }) => {
  await replaceText(store, '"ada-3@example.org"', '"eda-3@example.org"');
  const { code, stderr } = await list(store);
  assert.is(code, 1);
  assert.match(
    stderr,
    /was not taken over: \d of its records are damaged \(a record of the kind "\w+".*\); restore a backup with that version, or leave them out with gateway store init/,
  );
  assert.not((await readdir(store)).includes('store.sqlite'));
  await complete('store', 'init', '--store', store);
  const left = JSON.parse(await complete('keys', 'list', '--json', '--store', store)) as object[];
  assert.is(left.length, 9);
});

for (const [how, damage] of [
  ['cut off', (file: string) => truncate(file, 3 * 4096)],
  ['overwritten', overwrite],
  ['of another kind', (file: string) => writeFile(file, 'another file, which is not one of LMDB')],
] as const) {
  test(`with a data file that is ${how} is refused without a signal`, async ({ store }) => {
    await damage(path.join(store, 'data.mdb'));
    const { code, signal, stderr } = await list(store);
    assert.equal([code, signal], [1, null], stderr);
    assert.match(
      stderr,
      /was not taken over: .*its data\.mdb is damaged.* restore a backup with that version/,
    );
    assert.not((await readdir(store)).includes('store.sqlite'));
  });
}

async function overwrite(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size - 2 * 4096, 0x5a), 0, size - 2 * 4096, 2 * 4096);
  await handle.close();
}

test('of another store is refused; init accepts it', async ({ store }) => {
  await writeFile(path.join(store, 'identity'), '00000000-0000-4000-8000-000000000000\n');
  const { code, stderr } = await list(store);
  assert.is(code, 1);
  assert.match(stderr, /that of another store \(identity .*\), but the folder belongs to the store 00000000/);
  await complete('store', 'init', '--store', store);
  assert.is((JSON.parse(await complete('keys', 'list', '--json', '--store', store)) as object[]).length, 10);
});

test('with the files of both versions is refused', async ({ root, store }) => {
  await writeFile(path.join(store, 'store.sqlite'), await readFile(path.join(root, 'first', 'store.sqlite')));
  const { code, stderr } = await list(store);
  assert.is(code, 1);
  assert.match(stderr, /has both store\.sqlite and an LMDB file, data\.mdb; move the one away/);
});

test('is taken over where --store-id names it, and refused where it names another', async ({
  root,
  store,
}) => {
  const dist = path.join(root, 'dist');
  await buildGames(GAME, dist);
  const serve = (id: string) =>
    startCommand('gateway', ['serve', '--port', '0', '--dist', dist, '--store', store, '--store-id', id]);
  const { code, stderr } = await serve('00000000-0000-4000-8000-000000000000').ended;
  assert.is(code, 1);
  const [, identity = ''] = /its identity is (\S+), expected 0000/.exec(stderr) ?? [];
  const gateway = serve(identity);
  await gateway.printed(/"message":"listening"/);
  gateway.child.kill('SIGTERM');
  assert.is((await gateway.ended).code, 0);
});

test('needs the package lmdb, and says so without it', async ({ root, store }) => {
  const hook = `export const resolve = (name, context, next) => {
    if (name === 'lmdb') throw Object.assign(new Error('no lmdb'), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(name, context);
  };`;
  const file = path.join(root, 'hook.mjs');
  const source = `data:text/javascript,${encodeURIComponent(hook)}`;
  await writeFile(file, `import { register } from 'node:module'; register(${JSON.stringify(source)});`);
  const without = { NODE_OPTIONS: `--import=${file}` };
  const { code, stderr } = await list(store, without);
  assert.is(code, 1);
  assert.match(stderr, /the package lmdb cannot be loaded; install it with `npm install lmdb@3`/);
  assert.is((await list(store)).code, 0);
  // From then on it is not needed.
  assert.is((await list(store, without)).code, 0);
});

test('is backed up as soon as it was taken over', async ({ root, store }) => {
  await list(store);
  await complete('store', 'backup', path.join(root, 'backup'), '--store', store);
  await complete('store', 'verify', path.join(root, 'backup'));
});

test.run();
