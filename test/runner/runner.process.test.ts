import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, withFolder } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';
import { until } from '../support/until.ts';
import type { FileResult } from './file-result.ts';
import { renderReport } from './report.ts';
import { runFile } from './run-file.ts';
import { SharedProcess } from './shared-process.ts';

type Run = (file: string, maxMs: number) => Promise<FileResult>;

const LONG_MS = 300_000;
const UVU = path.join(ROOT, 'node_modules/uvu');
const IMPORTS = `import { test } from '${UVU}/dist/index.mjs';\nimport * as assert from '${UVU}/assert/index.mjs';\n`;

/** Makes test files of sources without their imports and the call of `test.run()`, by name without `.test.mjs`. */
function testFiles(sources: Record<string, string>): Files {
  const files = Object.entries(sources).map(([name, source]) => [
    `${name}.test.mjs`,
    `${IMPORTS}${source}\ntest.run();\n`,
  ]);
  return Object.fromEntries(files);
}

/** Runs test files, one after the other. */
function withResults(
  run: Run,
  sources: Record<string, string>,
  use: (results: FileResult[], folder: string) => Promise<void> | void,
  maxMs = LONG_MS,
): Promise<void> {
  return withFolder(testFiles(sources), async (folder) => {
    const results: FileResult[] = [];
    for (const name of Object.keys(sources))
      results.push(await run(path.join(folder, `${name}.test.mjs`), maxMs));
    await use(results, folder);
  });
}

const BUSY = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';
const HANGS = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
test('hangs', async () => {
  const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  writeFileSync(new URL('pid', import.meta.url), String(pid));
  while (true) await new Promise((resolve) => setTimeout(resolve, 1000));
});`;
const FAILS = `test('a', () => { throw new Error('{ seed: -42, path: "0" }'); });\ntest('b', () => {});`;
const PASSES = `test('passes', () => {});`;

function defineTests(name: string, run: Run, close: () => Promise<void>): void {
  const all = suite(name);
  all.after(close);

  all('tests and processor time are counted', async () => {
    const source = `test('works', () => { ${BUSY} });\ntest.skip('is skipped', () => {});`;
    await withResults(run, { a: source }, ([result]) => {
      const { failed, total, passed, skipped, cpuSeconds, output } = result as FileResult;
      assert.equal({ failed, total, passed, skipped }, { failed: false, total: 1, passed: 1, skipped: 1 });
      assert.ok(cpuSeconds >= 0.3, String(cpuSeconds));
      assert.not.match(output, 'Total:');
    });
  });

  all('a failed test fails only its own file, and the command that repeats it has its seed', async () => {
    await withResults(run, { a: FAILS, b: PASSES }, ([a, b]) => {
      assert.equal([a?.failed, a?.total, a?.passed], [true, 2, 1]);
      assert.equal([b?.failed, b?.total, b?.passed], [false, 1, 1]);
      const report = renderReport([{ file: 'room/one.test.ts', ...(a as FileResult) }], 1, 'npm test');
      assert.match(report, 'Run again what failed:\n  GAMEDATA_SEED=-42 npm test -- room/one.test.ts\n');
      assert.match(report, '  Total:     2\n  Passed:    1\n  Skipped:   0\n');
    });
  });

  all('a failed hook, a file that cannot be loaded and a file without tests are failures', async () => {
    const hook = `test.before(() => { throw new Error('no'); });\n${PASSES}`;
    await withResults(run, { a: hook, b: 'import "./none.mjs";', c: '' }, (results) => {
      assert.equal(
        results.map(({ failed, passed }) => [failed, passed]),
        [1, 2, 3].map(() => [true, 0]),
      );
      assert.match(results[1]?.output ?? '', 'none.mjs');
    });
  });

  all('a file that ends its process has failed, and the next file runs', async () => {
    await withResults(run, { a: PASSES, b: `test('a', () => process.exit(0));`, c: PASSES }, ([, b, c]) => {
      assert.equal([b?.failed, b?.total, b?.passed], [true, 1, 0]);
      assert.match(b?.output ?? '', 'ended before its tests were done');
      assert.equal([c?.failed, c?.passed], [false, 1]);
    });
  });

  all('a file that hangs is killed with the processes that it started, and is reported', async () => {
    const check = async ([result]: FileResult[], folder: string) => {
      assert.ok(result?.failed);
      assert.match(result?.output ?? '', /took longer than 5 s, and was killed/);
      const pid = await readFile(path.join(folder, 'pid'), 'utf8').catch(() => '');
      if (pid !== '') await until(() => !isThere(Number(pid)));
    };
    await withResults(run, { a: HANGS }, check, 5000);
  });

  all.run();
}

defineTests('a file in a new process', runFile, async () => {});
const shared = new SharedProcess();
defineTests(
  'a file in a shared process',
  (file, maxMs) => shared.run(file, maxMs),
  () => shared.close(),
);

const sharing = suite('files that share a process');
const sharedRun: Run = (file, maxMs) => shared.run(file, maxMs);
sharing.after(() => shared.close());

sharing('do not see changes that others made to the environment and the folder', async () => {
  const changes = `test('a', () => { process.env.ADDED = '1'; delete process.env.PATH; process.chdir('/'); });`;
  const looks = `test('b', () => {
    assert.is(process.env.ADDED, undefined);
    assert.ok(process.env.PATH);
    assert.is.not(process.cwd(), '/');
  });`;
  await withResults(sharedRun, { a: changes, b: looks }, ([, b]) => assert.is(b?.failed, false, b?.output));
});

sharing('fail if they leave something open', async () => {
  const leaves = `import { createServer } from 'node:net';\ntest('a', () => void createServer().listen(0));`;
  await withResults(sharedRun, { a: leaves, b: PASSES }, ([a, b]) => {
    assert.ok(a?.failed);
    assert.match(a?.output ?? '', 'left open: TCPServerWrap');
    assert.is(b?.failed, false);
  });
});

sharing('name the files that ran before if the process ends', async () => {
  const ends = `test('b', () => process.exit(0));`;
  await withResults(sharedRun, { a: PASSES, b: ends }, ([, b]) => {
    assert.match(b?.output ?? '', 'a.test.mjs in the same process');
  });
});

sharing.run();

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
