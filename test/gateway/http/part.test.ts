import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  inSteps,
  MAX_ROWS_AT_ONCE,
  Part,
  runAtOnce,
  runInSlices,
  type Steps,
  whenPrepared,
} from '../../../gateway/http/work.ts';

const test = suite('parts of lists');

const LONG = MAX_ROWS_AT_ONCE + 1;

/** Makes steps that count themselves. */
function counting(steps: number, counter: { steps: number; runs: number }): () => Steps<string> {
  return function* () {
    counter.runs++;
    yield* inSteps(steps, 1, () => counter.steps++);
    return 'made';
  };
}

test('a part of a short list is made at once, when it is first needed, and once', () => {
  const counter = { steps: 0, runs: 0 };
  const part = new Part(MAX_ROWS_AT_ONCE, counting(3, counter));
  assert.equal(counter, { steps: 0, runs: 0 });
  assert.is(part.get(), 'made');
  assert.is(part.get(), 'made');
  assert.equal(counter, { steps: 3, runs: 1 });
});

test('a part of a long list is missing until it is prepared; all that need it wait for the same steps', async () => {
  const counter = { steps: 0, runs: 0 };
  const part = new Part(LONG, counting(3, counter));
  assert.throws(() => part.get(), /before it was prepared/);
  let tries = 0;
  const work = () => {
    tries++;
    return part.get();
  };
  assert.equal(await Promise.all([whenPrepared(work), whenPrepared(work)]), ['made', 'made']);
  assert.equal(counter, { steps: 3, runs: 1 });
  assert.is(tries, 4);
  assert.is(part.get(), 'made');
});

test('of all steps under way, an event-loop tick does one', async () => {
  const counter = { steps: 0, runs: 0 };
  let most = 0;
  let isOver = false;
  const watch = (before: number) => {
    most = Math.max(most, counter.steps - before);
    if (!isOver) setImmediate(watch, counter.steps);
  };
  setImmediate(watch, 0);
  const parts = Array.from({ length: 5 }, () => new Part(LONG, counting(10, counter)));
  await Promise.all(parts.map((part) => part.prepare()));
  isOver = true;
  assert.is(counter.steps, 50);
  assert.is(most, 1);
});

test('a step that needs another part waits until that part is prepared', async () => {
  const order: string[] = [];
  const inner = new Part(LONG, function* () {
    yield* inSteps(2, 1, (at) => order.push(`inner ${at}`));
    return 1;
  });
  const steps = function* (): Steps<number> {
    order.push('outer');
    yield inner;
    return inner.get() + 1;
  };
  assert.is(await runInSlices(steps()), 2);
  assert.equal(order, ['outer', 'inner 0', 'inner 1']);
  assert.is(runAtOnce(steps()), 2);
});

test('a part whose steps fail is tried again by the next that needs it', async () => {
  let isBroken = true;
  const part = new Part(LONG, function* () {
    yield;
    if (isBroken) throw new Error('broken');
    return 'made';
  });
  const failure = await whenPrepared(() => part.get()).catch((error: Error) => error.message);
  assert.is(failure, 'broken');
  isBroken = false;
  assert.is(await whenPrepared(() => part.get()), 'made');
});

test.run();
