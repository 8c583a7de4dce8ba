import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseFiles } from './choose-files.ts';

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

test('the rest is what npm test leaves out, and all long tests', () => {
  assert.equal(chooseFiles(FILES, 'rest', []), [OUTAGE, MUTATIONS, DUMPS]);
  assert.equal(chooseFiles(FILES, 'all', []), FILES);
});

test('parts of paths select from all files', () => {
  assert.equal(chooseFiles(FILES, 'core', ['outage', 'gateway/']), [OUTAGE, QUERY]);
});

test.run();
