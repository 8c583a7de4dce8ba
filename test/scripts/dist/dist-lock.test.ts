import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withDistLock } from '../../../scripts/dist/dist-lock.ts';
import { withFolder } from '../../support/fixtures.ts';

const test = suite('dist lock');

async function messageOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'done',
    (error: Error) => error.message,
  );
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

test('one process at a time holds the lock, and releases it when the work ends or fails', async () => {
  await withFolder({}, async (folder) => {
    const lock = path.join(folder, '.lock');
    const message = await withDistLock(folder, async () => {
      assert.is(JSON.parse(await readFile(lock, 'utf8')).pid, process.pid);
      // A lock with our own process ID counts as that of a dead process, so this is the ID of another one.
      await writeFile(
        lock,
        JSON.stringify({ pid: process.ppid, host: hostname(), since: '2026-01-01T00:00:00Z' }),
      );
      return await messageOf(withDistLock(folder, async () => {}));
    });
    assert.match(message, `process ${process.ppid} on ${hostname()}, since 2026-01-01T00:00:00Z`);
    assert.match(message, `delete ${lock} if it no longer runs`);
    assert.not(await exists(lock));
    assert.is(await messageOf(withDistLock(folder, () => Promise.reject(new Error('no')))), 'no');
    assert.not(await exists(lock));
  });
});

test('the lock of another machine is never taken over', async () => {
  await withFolder({}, async (folder) => {
    const holder = { pid: 1, host: 'elsewhere.example', since: '2026-01-01T00:00:00Z' };
    await writeFile(path.join(folder, '.lock'), JSON.stringify(holder));
    assert.match(await messageOf(withDistLock(folder, async () => {})), 'on elsewhere.example');
  });
});

test('a lock that is written only in part is taken over after a while', async () => {
  await withFolder({}, async (folder) => {
    const lock = path.join(folder, '.lock');
    await writeFile(lock, '');
    assert.match(await messageOf(withDistLock(folder, async () => {})), 'has just started');
    const before = new Date(Date.now() - 60_000);
    await utimes(lock, before, before);
    await writeFile(`${lock}.takeover`, '');
    await utimes(`${lock}.takeover`, before, before);
    assert.is(await withDistLock(folder, async () => 'mine'), 'mine');
  });
});

test.run();
