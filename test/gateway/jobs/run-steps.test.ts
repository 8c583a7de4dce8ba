import { setImmediate as nextTick } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StepRunner } from '../../../gateway/jobs/run-steps.ts';
import { until } from '../../support/until.ts';

const test = suite('run steps');
const NEVER = 2 ** 30;

test('takes all steps in their order until none has anything to do', async () => {
  const taken: string[] = [];
  let left = 2;
  const steps = [
    async () => {
      taken.push('first');
      return left-- > 0;
    },
    async () => taken.push('second') < 0,
  ];
  const runner = new StepRunner({ steps, interval: NEVER });
  runner.wake();
  await until(() => taken.length === 6);
  await runner.close();
  assert.equal(taken, ['first', 'second', 'first', 'second', 'first', 'second']);
});

test('takes steps now and then though nobody wakes it', async () => {
  let taken = 0;
  const runner = new StepRunner({ steps: [async () => taken++ < 0], interval: 1 });
  await until(() => taken > 2);
  await runner.close();
});

/** A runner whose only step waits until `go` is called, and then has more to do. */
function makeSlow() {
  const counts = { begun: 0, ended: 0 };
  let go = (_isBusy: boolean) => {};
  const step = async () => {
    counts.begun++;
    const isBusy = await new Promise<boolean>((resolve) => {
      go = resolve;
    });
    counts.ended++;
    return isBusy;
  };
  const runner = new StepRunner({ steps: [step], interval: NEVER });
  return { counts, go: (isBusy: boolean) => go(isBusy), runner };
}

test('runs once at a time, and once more for all that woke it meanwhile', async () => {
  const { counts, go, runner } = makeSlow();
  runner.wake();
  for (let times = 0; times < 3; times++) runner.wake();
  assert.is(counts.begun, 1);
  go(false);
  await until(() => counts.begun === 2);
  go(false);
  await until(() => counts.ended === 2);
  await runner.close();
  assert.is(counts.begun, 2);
});

test('waits for the step that is being taken when it is closed, and takes no more', async () => {
  const { counts, go, runner } = makeSlow();
  runner.wake();
  const closed = runner.close().then(() => counts.ended);
  await nextTick();
  go(true);
  assert.is(await closed, 1);
  runner.wake();
  assert.is(counts.begun, 1);
});

test('is not woken after it was closed', async () => {
  const { counts, runner } = makeSlow();
  runner.wakeSoon();
  await runner.close();
  runner.wakeSoon();
  const other = makeSlow();
  other.runner.wakeSoon();
  await until(() => other.counts.begun === 1);
  assert.is(counts.begun, 0);
  other.go(false);
  await other.runner.close();
});

test.run();
