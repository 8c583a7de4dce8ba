import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failureFinding } from '../../../scripts/watchdog/failure-finding.ts';

const test = suite('the finding about a worker that failed');

const LIMITS = { seconds: 60, mebibytes: 2048 };
const findingOf = (message: string) => failureFinding(new Error(message), undefined, 'data/a', LIMITS);

test('a full disk and too many open files are limits of the system, with what to do', () => {
  const full = findingOf('ENOSPC: no space left on device, write');
  assert.is(full.check, 'system-limit');
  assert.match(full.found, 'ENOSPC: no space left on device, write; the disk is full; make room');
  assert.match(full.fix ?? '', 'TMPDIR');
  const many = findingOf("EMFILE: too many open files, open 'x'");
  assert.is(many.check, 'system-limit');
  assert.match(many.found, 'raise the limit (ulimit -n');
});

test('anything else is a fault of gamedata', () => {
  assert.is(findingOf('x is not a function').check, 'internal-error');
});

test.run();
