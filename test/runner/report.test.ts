import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ran, renderReport } from './report.ts';

const test = suite('the report of a run');

/** The result of a file that needed this many seconds. */
function ran(seconds: number, changes: Partial<Ran> = {}): Ran {
  const counts = { total: 2, passed: 2, skipped: 0, failed: false };
  return { file: `after-${seconds}.test.ts`, output: '', seconds, cpuSeconds: 1, ...counts, ...changes };
}

test('lists the ten slowest files, the slowest first', () => {
  const files = [3, 12, 1, 7, 5, 9, 11, 2, 8, 10, 4, 6].map((seconds) => ran(seconds));
  const listed = renderReport(files, 60, 'npm test').match(/after-\d+/g);
  assert.equal(
    listed,
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((seconds) => `after-${seconds}`),
  );
});

test('prints the command that runs a failed file again, with the seed that it printed', () => {
  const failed = { failed: true, passed: 1 };
  const files = [
    ran(1),
    ran(2, failed),
    ran(3, { ...failed, output: 'Counterexample, seed: -42, path: "0"' }),
  ];
  const report = renderReport(files, 60, 'npm run test:all');
  assert.match(report, '\n  npm run test:all -- after-2.test.ts\n');
  assert.match(report, '\n  GAMEDATA_SEED=-42 npm run test:all -- after-3.test.ts\n');
  assert.not.match(report, '-- after-1.test.ts');
  assert.match(report, /Total: {5}6\n {2}Passed: {4}4\n/);
});

test.run();
