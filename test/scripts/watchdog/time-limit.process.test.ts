import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchSteps } from '../../../scripts/watchdog/failure-finding.ts';
import { withFolder } from '../../support/fixtures.ts';
import { until } from '../../support/until.ts';

const test = suite('the time limit');

const IDLE = 'setInterval(() => {}, 1000)';
/** Several threads, so that it soon has a second of processor time on a busy machine too. */
const BUSY = `for (let i = 0; i < 6; i++) new (require('worker_threads').Worker)('for (;;);', { eval: true })`;

test('is of processor time: a worker that waits for as long goes on', async () => {
  if (!existsSync('/proc/self/stat')) return;
  await withFolder({}, async (folder) => {
    const processes: ChildProcess[] = [];
    const watch = async (name: string, code: string) => {
      const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
      processes.push(child);
      const file = path.join(folder, name);
      const place = { file: 'game.json', pointer: '', line: 1 };
      await writeFile(file, `${JSON.stringify({ stage: 1, pid: child.pid, doing: 'reading', place })}\n`);
      return watchSteps(file, 1, () => {});
    };
    const idle = await watch('idle', IDLE);
    const busy = await watch('busy', BUSY);
    try {
      await until(() => busy.signal.aborted);
      assert.not(idle.signal.aborted);
    } finally {
      for (const { stop } of [idle, busy]) stop();
      for (const child of processes) child.kill('SIGKILL');
    }
  });
});

test.run();
