import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withDistLock } from '../../../scripts/dist/lock.ts';
import { startProcess } from '../../support/command.ts';
import { withFolder } from '../../support/fixtures.ts';
import { BUILD } from '../../support/paths.ts';

const test = suite('dist lock of several processes');

const PROCESSES = 6;

test('the lock of a process that was killed is taken over', async () => {
  await withFolder({}, async (folder) => {
    const { child, ended } = startProcess(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const holder = JSON.stringify({ pid: child.pid, host: hostname(), since: '2026-01-01T00:00:00Z' });
    await writeFile(path.join(folder, '.lock'), holder);
    const refused = await withDistLock(folder, async () => {}).catch((error: Error) => error);
    assert.match(String(refused), `process ${child.pid}`);
    child.kill('SIGKILL');
    await ended;
    assert.is(await withDistLock(folder, async () => 'mine'), 'mine');
  });
});

test('of many processes that take over the lock of a dead one, one at a time gets it', async () => {
  await withFolder({}, async (folder) => {
    const dead = startProcess(process.execPath, ['-e', '']);
    await dead.ended;
    const holder = JSON.stringify({ pid: dead.child.pid, host: hostname(), since: '2026-01-01T00:00:00Z' });
    await writeFile(path.join(folder, '.lock'), holder);
    const program = `
      const { withDistLock } = await import(process.argv[1]);
      const { appendFile, readFile } = await import('node:fs/promises');
      const { setImmediate: turn } = await import('node:timers/promises');
      const tried = process.argv[3] + '.tried';
      await appendFile(tried, '.');
      await withDistLock(process.argv[2], async () => {
        await appendFile(process.argv[3], 'in\\n');
        while ((await readFile(tried)).length < ${PROCESSES}) await turn();
        await appendFile(process.argv[3], 'out\\n');
      });`;
    const log = path.join(folder, 'log');
    const module = path.join(BUILD, 'scripts/dist/lock.js');
    const processes = Array.from({ length: PROCESSES }, () =>
      startProcess(process.execPath, ['--input-type=module', '-e', program, module, folder, log]),
    );
    await Promise.all(processes.map(({ ended }) => ended));
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    assert.ok(lines.length >= 2);
    assert.ok(
      lines.every((line, index) => line === (index % 2 === 0 ? 'in' : 'out')),
      lines.join(),
    );
  });
});

test.run();
