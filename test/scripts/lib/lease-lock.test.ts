import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Lease, withLease } from '../../../scripts/lib/lease-lock.ts';
import { describeSelf, type LockHolder } from '../../../scripts/lib/lock-holder.ts';
import { until } from '../../support/until.ts';

const test = suite<{ folder: string; file: string }>('lease lock');
test.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'lease-'));
  context.file = path.join(context.folder, '.lock');
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

const STALE_MS = 400;
const options = {
  staleMs: STALE_MS,
  refuse: (holder?: LockHolder) => new Error(`held by ${holder?.pid} on ${holder?.host}`),
};

const hold = <T>(file: string, work: (lease: Lease) => Promise<T>) => withLease(file, work, options);
const reasonOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);

/** A process in another container of the same machine, with our own number and name. */
const inOtherContainer = (owner: string): LockHolder => ({ ...describeSelf(owner), place: 'boot pid:[1]' });

test('the lock of a process elsewhere is taken over when it is not renewed', async ({ file, folder }) => {
  const holders: [string, LockHolder][] = [
    ['another host', { ...inOtherContainer('a'), host: 'elsewhere.example' }],
    ['another container, with our own number', inOtherContainer('b')],
    [
      'a system that does not name its containers',
      { ...inOtherContainer('c'), place: null, pid: process.ppid },
    ],
    [
      'an older version, on another host',
      { pid: 1, host: 'elsewhere.example', since: '2026-01-01T00:00:00Z' },
    ],
  ];
  for (const [name, holder] of holders) {
    await writeFile(file, JSON.stringify(holder));
    assert.is(await hold(file, async () => 'mine'), 'mine', name);
    assert.equal(await readdir(folder), [], name);
  }
});

test('the lock of a process elsewhere is respected while it is renewed', async ({ file }) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = hold(file, async () => {
    // The holder runs here, and its file says elsewhere.
    const holder = JSON.parse(await readFile(file, 'utf8')) as LockHolder;
    await writeFile(file, JSON.stringify({ ...inOtherContainer(holder.owner ?? ''), host: 'elsewhere' }));
    await released;
  });
  await until(async () => (await readFile(file, 'utf8').catch(() => '')).includes('elsewhere'));
  for (let attempt = 0; attempt < 3; attempt++)
    assert.is(await reasonOf(hold(file, async () => 'mine')), `held by ${process.pid} on elsewhere`);
  release();
  await holding;
  assert.is(await hold(file, async () => 'mine'), 'mine');
});

test('a process number that another process uses now is not taken for the holder', async ({ file }) => {
  const since = '2026-01-01T00:00:00Z';
  const reused = { ...describeSelf('a'), pid: process.ppid, host: hostname(), since, started: '1' };
  await writeFile(file, JSON.stringify(reused));
  const started = performance.now();
  assert.is(await hold(file, async () => 'mine'), 'mine');
  const waited = performance.now() - started;
  assert.ok(reused.place === null || waited < STALE_MS, `waited ${waited} ms`);
});

test('of many that wait for a stale lock, one works at a time', async ({ file, folder }) => {
  await writeFile(file, JSON.stringify(inOtherContainer('dead')));
  let working = 0;
  let done = 0;
  const work = async () => {
    assert.is(++working, 1);
    await setImmediate();
    working--;
    done++;
  };
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => reasonOf(hold(file, work))));
  assert.ok(done >= 1);
  const refused = outcomes.filter((outcome) => outcome.startsWith('held by'));
  assert.is(refused.length + done, 8, outcomes.join());
  assert.equal(await readdir(folder), []);
});

test('a lock that changes its holder while it is watched is watched again, not refused', async ({ file }) => {
  let holders = 0;
  const write = () =>
    writeFile(file, JSON.stringify({ ...inOtherContainer(`${++holders}`), host: 'elsewhere' }));
  await write();
  const taking = reasonOf(hold(file, async () => 'mine'));
  while (holders < 4) {
    await setTimeout(STALE_MS / 4);
    await write();
  }
  assert.is(await taking, 'mine');
});

test('a lock that another process takes over first is not removed', async ({ file }) => {
  await writeFile(file, JSON.stringify(inOtherContainer('dead')));
  const taking = reasonOf(hold(file, async () => 'mine'));
  // It has seen that the lock is stale, and has not looked at it again: that needs at least one more tick.
  while (!existsSync(`${file}.takeover`)) await setImmediate();
  writeFileSync(file, JSON.stringify(describeSelf('other')));
  assert.is(await taking, `held by ${process.pid} on ${hostname()}`);
});

test('a process that was killed while it took a lock over blocks nothing', async ({ file, folder }) => {
  for (const left of ['', JSON.stringify(inOtherContainer('dead'))]) {
    await writeFile(file, JSON.stringify(inOtherContainer('dead')));
    await writeFile(`${file}.takeover`, left);
    assert.is(await hold(file, async () => 'mine'), 'mine');
    assert.equal(await readdir(folder), []);
  }
});

test('a holder that lost its lock notices, and leaves the lock of the other alone', async ({ file }) => {
  const other = JSON.stringify(inOtherContainer('other'));
  const reason = await reasonOf(
    hold(file, async (lease) => {
      await lease.confirm();
      await rm(file);
      await writeFile(file, other);
      await lease.confirm();
    }),
  );
  assert.match(reason, 'was taken over by another process');
  assert.is(await readFile(file, 'utf8'), other);
});

test('the lock goes when its work ends, also when it fails', async ({ file }) => {
  assert.is(await reasonOf(hold(file, () => Promise.reject(new Error('no')))), 'no');
  assert.is(await stat(file).catch(() => 'gone'), 'gone');
});

test.run();
