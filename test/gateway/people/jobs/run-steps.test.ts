import { setImmediate as nextTick } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StepRunner } from '../../../../gateway/people/jobs/run-steps.ts';
import { until } from '../../../support/until.ts';

const test = suite('run steps');
const NEVER = 2 ** 30;

test('runs all steps in order until no work is left', async () => {
  const calls: string[] = [];
  let left = 2;
  const steps = [
    async () => {
      calls.push('first');
      return left-- > 0;
    },
    async () => calls.push('second') < 0,
  ];
  const runner = new StepRunner({ steps, interval: NEVER });
  runner.wake();
  await until(() => calls.length === 6);
  await runner.close();
  assert.equal(calls, ['first', 'second', 'first', 'second', 'first', 'second']);
});

test('runs the steps at an interval without being woken', async () => {
  let calls = 0;
  const runner = new StepRunner({ steps: [async () => calls++ < 0], interval: 1 });
  await until(() => calls > 2);
  await runner.close();
});

/** A runner whose only step waits until `go` is called, and then has more work. */
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

test('wakes during a run cause one more run after it', async () => {
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

test('close waits for the current step and runs no more', async () => {
  const { counts, go, runner } = makeSlow();
  runner.wake();
  const closed = runner.close().then(() => counts.ended);
  await nextTick();
  go(true);
  assert.is(await closed, 1);
  runner.wake();
  assert.is(counts.begun, 1);
});

/** Waits until every earlier `wakeSoon` has taken effect. */
async function passSoon(): Promise<void> {
  const { counts, go, runner } = makeSlow();
  runner.wakeSoon();
  await until(() => counts.begun === 1);
  go(false);
  await runner.close();
}

test('several calls of wakeSoon cause one run, and a later call another one', async () => {
  const { counts, go, runner } = makeSlow();
  for (let times = 0; times < 3; times++) runner.wakeSoon();
  await until(() => counts.begun === 1);
  go(false);
  await passSoon();
  assert.is(counts.begun, 1);
  runner.wakeSoon();
  await until(() => counts.begun === 2);
  go(false);
  await runner.close();
});

test('does not wake after it was closed', async () => {
  const { counts, runner } = makeSlow();
  runner.wakeSoon();
  await runner.close();
  runner.wakeSoon();
  await passSoon();
  assert.is(counts.begun, 0);
});

test('close clears the timer of wakeSoon, so that the process can exit', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = countTimers();
  const { runner } = makeSlow();
  runner.wakeSoon();
  assert.is(countTimers(), before + 1);
  await runner.close();
  runner.wakeSoon();
  assert.is(countTimers(), before);
});

test.run();
