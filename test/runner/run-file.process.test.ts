import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withFolder } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';
import { until } from '../support/until.ts';
import { renderReport } from './report.ts';
import { type FileResult, runFile } from './run-file.ts';

const LONG_MS = 300_000;
const UVU = path.join(ROOT, 'node_modules/uvu');
const IMPORTS = `import { test } from '${UVU}/dist/index.mjs';\nimport * as assert from '${UVU}/assert/index.mjs';\n`;

/** Runs a test file, by its source without imports; `use` gets the result and the file's folder. */
function withResult(
  source: string,
  use: (result: FileResult, folder: string) => Promise<void> | void,
  longestMs = LONG_MS,
): Promise<void> {
  return withFolder({ 'one.test.mjs': IMPORTS + source }, async (folder) => {
    await use(await runFile(path.join(folder, 'one.test.mjs'), longestMs), folder);
  });
}

const WORK = `
import { spawnSync } from 'node:child_process';
const work = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';
test('works', () => void spawnSync(process.execPath, ['-e', work]));
test.skip('is skipped', () => {});
test.run();`;

test('tests are counted, and processor time with that of processes that the file started', async () => {
  await withResult(WORK, ({ failed, total, passed, skipped, cpuSeconds, output }) => {
    assert.equal({ failed, total, passed, skipped }, { failed: false, total: 1, passed: 1, skipped: 1 });
    assert.ok(cpuSeconds >= 0.3, String(cpuSeconds));
    assert.not.match(output, 'Total:');
  });
});

test('a test that fails fails the file, and its seed is in the command that runs it again', async () => {
  const source = `test('a', () => { throw new Error('{ seed: -42, path: "0" }'); });\ntest('b', () => {});\ntest.run();`;
  await withResult(source, (result) => {
    assert.equal([result.failed, result.total, result.passed], [true, 2, 1]);
    const report = renderReport([{ file: 'room/one.test.ts', ...result }], 1);
    assert.match(report, 'Run again what failed:\n  GAMEDATA_SEED=-42 npm test -- room/one.test.ts\n');
    assert.match(report, '  Total:     2\n  Passed:    1\n  Skipped:   0\n');
  });
});

test('a file that ends before its tests are done has failed', async () => {
  await withResult(`test('a', () => process.exit(0));\ntest.run();`, ({ failed, output, total, passed }) => {
    assert.equal([failed, total, passed], [true, 1, 0]);
    assert.match(output, 'ended before its tests were done');
  });
});

const HANGS = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
test('hangs', async () => {
  const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  writeFileSync(new URL('pid', import.meta.url), String(pid));
  while (true) await new Promise((resolve) => setTimeout(resolve, 1000));
});
test.run();`;

test('a file that hangs is killed with what it started, and says so', async () => {
  const check = async ({ failed, output }: FileResult, folder: string) => {
    assert.ok(failed);
    assert.match(output, /took longer than 3 s, and was killed/);
    const pid = await readFile(path.join(folder, 'pid'), 'utf8').catch(() => '');
    if (pid !== '') await until(() => !isThere(Number(pid)));
  };
  await withResult(HANGS, check, 3000);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.run();
