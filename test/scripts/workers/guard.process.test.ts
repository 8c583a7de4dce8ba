import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCommand } from '../../support/command.ts';
import { gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { until } from '../../support/until.ts';
import { workerPids } from '../../support/worker-pids.ts';

const test = suite('gamedata that is killed');

const ENDLESS = {
  title: 'Endless',
  tables: { rows: 'rows.json' },
  datasets: { list: { from: 'rows', entry: `$match('${'a'.repeat(60)}b', /^(a+)+$/)` } },
};

test('ends its worker too, although that evaluates an endless expression', async () => {
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
    } finally {
      if (isThere(worker)) process.kill(worker, 'SIGKILL');
    }
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
