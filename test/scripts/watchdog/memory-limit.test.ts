import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failureFinding } from '../../../scripts/watchdog/failure-finding.ts';
import { LimitedSteps } from '../../../scripts/watchdog/memory-limit.ts';

const test = suite('the memory limit of a game');

const MEBIBYTE = 2 ** 20;
/** Far more than this process needs. */
const LIMIT = 4096;
const NOTHING = { beginStage() {}, beginStep() {} };

test('bytes outside the heap of V8 count, and the finding says what is needed', () => {
  const steps = new LimitedSteps(NOTHING, LIMIT);
  steps.beginStage('reading the definitions', 'data/game/game.json');
  // Zeroed pages that are never touched need no memory of the machine.
  const held = Array.from({ length: 4 }, () => new Uint8Array((LIMIT / 4) * MEBIBYTE));
  let failure: unknown;
  try {
    steps.beginStep('reading data/game/1/big.json', 'data/game/1/big.json');
  } catch (error) {
    failure = error;
  }
  assert.is(held.length, 4);
  const limits = { seconds: 60, mebibytes: LIMIT };
  const { check, expected } = failureFinding(failure, undefined, 'data/game', limits);
  assert.is(check, 'memory-limit');
  assert.is(expected, `at most ${LIMIT} MiB of memory for a game`);
});

test('garbage does not count', () => {
  const steps = new LimitedSteps(NOTHING, LIMIT);
  for (let build = 0; build < 8; build++) {
    new Uint8Array((LIMIT / 4) * MEBIBYTE).fill(0, 0, 1);
    steps.beginStage('finding the files of the build', `data/game/${build}/build.json`);
  }
});

test.run();
