import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withDistLock } from '../../../scripts/dist/lock.ts';
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

test('only one process writes at a time; the lock is removed when its work ends, also if it fails', async () => {
  await withFolder({}, async (folder) => {
    const lock = path.join(folder, '.lock');
    const message = await withDistLock(folder, async () => {
      assert.is(JSON.parse(await readFile(lock, 'utf8')).pid, process.pid);
      return await messageOf(withDistLock(folder, async () => {}));
    });
    assert.match(
      message,
      new RegExp(`another gamedata is writing to .* \\(process ${process.pid} on .*, since .*\\)`),
    );
    assert.match(message, 'wait until it ends');
    assert.not(await exists(lock));
    assert.is(await messageOf(withDistLock(folder, () => Promise.reject(new Error('no')))), 'no');
    assert.not(await exists(lock));
  });
});

test('the lock of another machine, or one that is not complete, is taken over when it is not renewed', async () => {
  await withFolder({}, async (folder) => {
    const lock = path.join(folder, '.lock');
    const holder = { pid: 1, host: 'elsewhere.example', since: '2026-01-01T00:00:00Z' };
    for (const left of [JSON.stringify(holder), '']) {
      await writeFile(lock, left);
      await utimes(lock, 1, 1);
      assert.is(await withDistLock(folder, async () => 'mine'), 'mine');
    }
  });
});

test.run();
