import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogFields } from '../../../../gateway/http/log.ts';
import { reportFailures } from '../../../../gateway/people/jobs/report-failures.ts';
import { StoreError } from '../../../../gateway/store/sql.ts';
import { QUIET } from '../../../support/quiet.ts';

const test = suite('report failures');

/** Calls a step once for each outcome: a value to return or an error to throw. */
async function callStep(outcomes: (boolean | Error)[]): Promise<{ steps: boolean[]; logged: string[] }> {
  const logged: string[] = [];
  const log = {
    ...QUIET,
    error: (message: string, fields?: LogFields) => void logged.push(`${message}: ${fields?.error}`),
  };
  const left = [...outcomes];
  const step = async () => {
    const outcome = left.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome ?? false;
  };
  const reporting = reportFailures(step, log, 'alerts wait');
  const steps: boolean[] = [];
  for (const _ of outcomes) steps.push(await reporting());
  return { steps, logged };
}

test('returns what the step returns, and false when it fails', async () => {
  const { steps, logged } = await callStep([true, false, new StoreError('no store'), true]);
  assert.equal(steps, [true, false, false, true]);
  assert.equal(logged, ['alerts wait: StoreError: no store']);
});

test('logs the same failure in a row once', async () => {
  const failures = Array.from({ length: 5 }, () => new StoreError('no store'));
  assert.equal((await callStep(failures)).logged, ['alerts wait: StoreError: no store']);
});

test('logs a failure again after another one or after a success', async () => {
  const [no, full] = [new StoreError('no store'), new StoreError('it is full')];
  const { logged } = await callStep([no, full, full, no, true, no]);
  assert.equal(
    logged.map((line) => line.slice('alerts wait: StoreError: '.length)),
    ['no store', 'it is full', 'no store', 'no store'],
  );
});

test('logs a bug with its stack', async () => {
  const { logged } = await callStep([new TypeError('x is not a function')]);
  assert.match(logged[0] ?? '', /TypeError: x is not a function\n +at .*report-failures\.test/);
});

test.run();
