import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/paths.ts';
import { chooseFiles, IN_EVERY_SAMPLE, orderFiles, SAMPLES, SLOWEST, sampleFiles } from './choose-files.ts';

const FILES = [
  'end-to-end/outage.process.test.ts',
  'gateway/query.test.ts',
  'scripts/mutations.long.test.ts',
  'upstream/dumps.test.ts',
];
const [OUTAGE, QUERY, MUTATIONS, DUMPS] = FILES;

test('npm test runs the files that start no process', () => {
  assert.equal(chooseFiles(FILES, 'core', []), [QUERY, MUTATIONS]);
});

test('the rest is what npm test leaves out', () => {
  assert.equal(chooseFiles(FILES, 'rest', []), [OUTAGE, DUMPS]);
  assert.equal(chooseFiles(FILES, 'all', []), FILES);
});

test('parts of paths select from all files', () => {
  assert.equal(chooseFiles(FILES, 'core', ['outage', 'gateway/']), [OUTAGE, QUERY]);
  assert.equal(chooseFiles(FILES, 'core', ['test/upstream']), [DUMPS]);
});

test('files that start processes run first, and among both kinds the slowest', () => {
  const [slowest = '', shared = ''] = [SLOWEST[0], SLOWEST.find((file) => !file.includes('.process.'))];
  assert.equal(orderFiles(['a.test.ts', shared, 'b.process.test.ts', slowest]), [
    slowest,
    'b.process.test.ts',
    shared,
    'a.test.ts',
  ]);
});

test('successive samples run each file that npm test leaves out once, and the others always', () => {
  const slow = [...Array.from({ length: 12 }, (_, at) => `${at}.process.test.ts`), DUMPS as string];
  const always = [...IN_EVERY_SAMPLE, QUERY] as string[];
  const samples = Array.from({ length: SAMPLES }, (_, at) => sampleFiles([...slow, ...always], 1307 + at));
  for (const sample of samples) assert.equal(sample.slice(-always.length), always);
  assert.equal(samples.flatMap((sample) => sample.slice(0, -always.length)).sort(), slow.sort());
});

test('the files that are listed by name exist', () => {
  const missing = [...SLOWEST, ...IN_EVERY_SAMPLE].filter(
    (file) => !existsSync(path.join(ROOT, 'test', file)),
  );
  assert.equal(missing, []);
});

test.run();
