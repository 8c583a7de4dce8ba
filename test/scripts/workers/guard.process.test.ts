import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeSelf } from '../../../scripts/lib/lock-holder.ts';
import { commandLine, runCommand, runSource, startCommand, startProcess } from '../../support/command.ts';
import { gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { until } from '../../support/until.ts';
import { workerPids } from '../../support/worker-pids.ts';

const test = suite('gamedata');

const ENDLESS = {
  title: 'Endless',
  tables: { rows: 'rows.json' },
  datasets: { list: { from: 'rows', entry: `$match('${'a'.repeat(60)}b', /^(a+)+$/)` } },
};

test('when killed, ends its worker too, although the worker evaluates an endless expression', async () => {
  const files = gameFiles({ 'game.json': ENDLESS, '1.0/rows.json': [{ id: 'a' }] });
  await withFolder(inFolder('data/endless', files), async (cwd) => {
    const { child, ended } = startCommand('gamedata', ['check'], { cwd, env: { TMPDIR: cwd } });
    await until(async () => {
      const steps = await fastGlob('gamedata-steps-*/*', { cwd });
      const texts = await Promise.all(steps.map((file) => readFile(path.join(cwd, file), 'utf8')));
      return texts.some((text) => text.includes('evaluating'));
    });
    const [worker, ...others] = workerPids(child.pid as number);
    assert.ok(worker);
    assert.equal(others, []);
    child.kill('SIGKILL');
    await ended;
    try {
      await until(() => !isThere(worker));
      await until(async () => (await fastGlob('gamedata-steps-*/**', { cwd })).length === 0);
    } finally {
      if (isThere(worker)) process.kill(worker, 'SIGKILL');
    }
  });
});

test('when killed with all processes that it started, leaves a folder, which the next run removes', async () => {
  await withFolder(inFolder('data/game', gameFiles()), async (cwd) => {
    const left = path.join(cwd, 'gamedata-steps-left');
    const running = path.join(cwd, 'gamedata-steps-running');
    await writeFiles(cwd, {
      'gamedata-steps-left/holder.json': JSON.stringify({ ...describeSelf('a'), started: '1' }),
      'gamedata-steps-running/holder.json': JSON.stringify(describeSelf('b')),
    });
    const { code, stderr } = await runCommand('gamedata', ['check'], { cwd, env: { TMPDIR: cwd } });
    assert.is(code, 0, stderr);
    assert.equal([existsSync(left), existsSync(running)], [false, true]);
    assert.equal(await fastGlob('gamedata-steps-*', { cwd, onlyDirectories: true }), [
      'gamedata-steps-running',
    ]);
  });
});

test('waits until its workers have ended, however long one takes', async () => {
  const { code, stdout, stderr } = await runSource(`
    // Workers get these, and would run this source.
    process.execArgv.length = 0;
    const { startWorkers } = await import('./scripts/workers/workers.js');
    const { workerPids } = await import('./test/support/worker-pids.js');
    const workers = startWorkers(1, { seconds: 60, mebibytes: 512 });
    await workers.run('locate', { findings: [] }, '.');
    for (const pid of workerPids(process.pid)) process.kill(pid, 'SIGSTOP');
    await workers.close();
    console.log('closed');
  `);
  assert.equal([code, stdout, stderr], [0, 'closed\n', '']);
});

test('when it may open too few files, says what to do', async () => {
  await withFolder(inFolder('data/game', gameFiles()), async (cwd) => {
    const shell = ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...commandLine('gamedata', ['check'])];
    const { code, stderr } = await startProcess('sh', shell, { cwd }).ended;
    assert.equal(
      [code, stderr],
      [
        1,
        'gamedata: at most 100 files may be open at once, and gamedata needs 128: raise the limit (ulimit -n 1024)\n',
      ],
    );
  });
});

test.run();

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
