import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import { StoreError } from '../../../gateway/store/store.ts';
import { table } from '../../../gateway/store/transaction.ts';
import { backUpFolder } from '../../../gateway/backup/backup.ts';
import { list } from '../../../gateway/lists/lists.ts';
import { type Running, runCommand, startCommand, startProcess } from '../../support/command.ts';
import { interruptAt } from '../../support/interrupt.ts';
import { BUILD } from '../../support/paths.ts';
import { withPrograms } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { whenFull } from '../../support/when-full.ts';

interface Context {
  folder: string;
  store: string;
  writers: Writer[];
}

interface Writer extends Running {
  /** The last number that it has printed. */
  last(): number;
}

const NUMBERS = table<string>('number');
const LAST = table<number>('last');

const test = suite<Context>('backups of a store in a folder');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'backup-'));
  context.store = join(context.folder, 'store');
  context.writers = [];
});
test.after.each(async ({ folder, writers }) => {
  await killAll(writers);
  await rm(folder, { recursive: true });
});

test('restore drill: a backup of a store in use is complete, and has everything that was acknowledged before it', async ({
  folder,
  store,
  writers,
}) => {
  writers.push(startWriter(store, 'a'), startWriter(store, 'b'));
  for (const round of [1, 2]) {
    await until(() => writers.every(({ last }) => last() >= 40 * round));
    const before = writers.map(({ last }) => last());
    const file = join(folder, 'backups', `${round}.sqlite`);
    const { code, stdout, stderr } = await runGateway('store', 'backup', file, '--store', store, '--json');
    assert.is(code, 0, stderr);
    const backup = JSON.parse(stdout) as { identity: string; records: number };
    assert.equal((await runGateway('store', 'verify', file)).code, 0);
    assert.is((await stat(file)).mode & 0o777, 0o600);

    const place = join(folder, `restored-${round}`);
    const restored = await runGateway('store', 'restore', file, '--store', place, '--json');
    assert.is(restored.code, 0, restored.stderr);
    assert.equal(JSON.parse(restored.stdout), {
      store: place,
      identity: backup.identity,
      records: backup.records,
      damaged: [],
      replaced: null,
    });
    await checkRestored(place, before);
  }
  assert.equal(await readdir(join(folder, 'backups')), ['1.sqlite', '2.sqlite']);

  const refused = await runGateway('store', 'restore', join(folder, 'backups', '1.sqlite'), '--store', store);
  assert.is(refused.code, 1);
  assert.match(
    refused.stderr,
    /is in use by the process \d+(, \d+)*; stop the gateways and commands that use it/,
  );
  await killAll(writers);
  const { code, stdout, stderr } = await runGateway(
    'store',
    'restore',
    join(folder, 'backups', '1.sqlite'),
    '--store',
    store,
    '--json',
  );
  assert.is(code, 0, stderr);
  const { replaced } = JSON.parse(stdout) as { replaced: string };
  assert.ok((await readFile(replaced)).length > 0);
  await checkRestored(store, [40, 40]);
  assert.is((await runGateway('store', 'verify', '--store', store)).code, 0);
});

test('a damaged backup is neither verified nor restored', async ({ folder, store }) => {
  await fillStore(store);
  const file = join(folder, 'backup.sqlite');
  backUpFolder(store, file);
  const bytes = await readFile(file);
  for (const damaged of [
    bytes.subarray(0, bytes.length / 2),
    Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192)]),
  ]) {
    const path = join(folder, 'damaged.sqlite');
    await writeFile(path, damaged);
    const before = await readdir(store);
    for (const command of [['verify'], ['restore']]) {
      const { code, stderr } = await runGateway('store', ...command, path, '--store', store);
      assert.is(code, 1, stderr);
      assert.match(stderr, /^gateway: the backup .*damaged\.sqlite is damaged \(.+\); use another backup\n$/);
    }
    assert.equal(await readdir(store), before);
  }
});

test('a backup replaces no file', async ({ folder, store }) => {
  await fillStore(store);
  const file = join(folder, 'backup.sqlite');
  backUpFolder(store, file);
  assert.equal((await readdir(folder)).sort(), ['backup.sqlite', 'store']);
  assert.match(
    refusalOf(() => backUpFolder(store, file)),
    'exists already; name a new file for the backup',
  );
  assert.match(
    refusalOf(() => backUpFolder(join(folder, 'none'), `${file}2`)),
    'there is no store in',
  );
});

test('a backup replaces no file that another one makes meanwhile', async ({ folder, store }) => {
  await fillStore(store);
  const file = join(folder, 'backup.sqlite');
  const args = ['store', 'backup', file, '--store', store];
  const late = startCommand('gateway', args, {
    env: interruptAt({ signal: 'SIGSTOP', step: 1, file: '.part' }),
  });
  await late.printedError(/interrupted/);
  assert.is((await runGateway(...args)).code, 0);
  const whole = await readFile(file);
  late.child.kill('SIGCONT');
  const { code, stderr } = await late.ended;
  assert.is(code, 1);
  assert.match(stderr, /^gateway: .*backup\.sqlite exists already; name a new file for the backup$/m);
  assert.ok(whole.equals(await readFile(file)));
  assert.equal((await readdir(folder)).sort(), ['backup.sqlite', 'store']);
});

withPrograms(test, 'prlimit')(
  'a backup that fails on a full disk leaves no file',
  async ({ folder, store }) => {
    await fillStore(store);
    await whenFull(20_000, async () => {
      assert.match(
        refusalOf(() => backUpFolder(store, join(folder, 'backup.sqlite'))),
        /^cannot back up the store in .*; check whether a disk is full/,
      );
    });
    assert.equal(await readdir(folder), ['store']);
  },
);

test('for a Redis store, the commands say what to use instead', async () => {
  const address = 'redis://ada:secret@127.0.0.1:1';
  for (const [command, advice] of [
    [['backup', 'x'], 'run redis-cli BGSAVE and copy its dump.rdb, or keep a replica'],
    [['verify'], 'check its files with redis-check-rdb and redis-check-aof'],
    [['restore', 'x'], 'stop Redis, put the copy of dump.rdb into its folder, and start it'],
  ] as const) {
    const { code, stderr } = await runGateway('store', ...command, '--store', address);
    assert.is(code, 2);
    assert.match(stderr, `redis://ada@127.0.0.1:1, because Redis does that itself: ${advice}`);
  }
});

test.run();

const runGateway = (...args: string[]) => runCommand('gateway', args);

/** Starts a process that writes numbers, one after the other, and prints each that was written. */
function startWriter(store: string, name: string): Writer {
  const source = `
    import { openSqliteStore } from './gateway/store/sqlite-store.js';
    import { table, transact } from './gateway/store/transaction.js';
    const store = await openSqliteStore(${JSON.stringify(store)});
    for (let n = 1; ; n++) {
      await transact(store, async (transaction) => {
        transaction.put(table('number'), '${name}:' + n, 'x'.repeat(500));
        transaction.put(table('last'), '${name}', n);
      });
      process.stdout.write(n + '\\n');
    }`;
  const running = startProcess(process.execPath, ['--input-type=module', '--eval', source], { cwd: BUILD });
  let last = 0;
  running.child.stdout.on('data', (text: string) => {
    last = Number(/(\d+)\n\d*$/.exec(text)?.[1] ?? last);
  });
  return { ...running, last: () => last };
}

/** Checks that a store has the numbers of one moment: of each writer, all numbers up to its last one. */
async function checkRestored(folder: string, least: readonly number[]): Promise<void> {
  const store = await openSqliteStore(folder);
  const last = await list(store, LAST);
  assert.is(last.length, least.length);
  for (const [index, [name, number]] of last.entries()) {
    assert.ok(number >= (least[index] ?? 0), `${name}: ${number} of ${least[index]}`);
    assert.is((await list(store, NUMBERS, `${name}:`)).length, number, name);
  }
  await store.close();
}

async function fillStore(folder: string): Promise<void> {
  const store = await openSqliteStore(folder);
  const write = new Map(Array.from({ length: 500 }, (_, n) => [`a:${n}`, { value: 'x'.repeat(200) }]));
  await store.commit({ read: new Map(), write });
  await store.close();
}

async function killAll(writers: readonly Running[]): Promise<void> {
  for (const { child, ended } of writers) {
    child.kill('SIGKILL');
    await ended;
  }
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.instance(error, StoreError);
    return (error as StoreError).message;
  }
  throw new Error('it was not refused');
}
