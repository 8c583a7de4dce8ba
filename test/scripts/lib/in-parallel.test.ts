import { setImmediate as nextTick } from 'node:timers/promises';
import pMap from 'p-map';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inParallel } from '../../../scripts/lib/in-parallel.ts';

/** Ten items: the third fails at once, each of the others takes a few ticks. */
function failingWork() {
  const begun: number[] = [];
  const state = { begun, running: 0, mostRunning: 0 };
  const work = async (item: number) => {
    begun.push(item);
    state.running++;
    state.mostRunning = Math.max(state.mostRunning, state.running);
    try {
      if (item === 3) throw new Error('item 3');
      for (let tick = 0; tick < 5; tick++) await nextTick();
    } finally {
      state.running--;
    }
  };
  return { state, work };
}

const ITEMS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const test = suite('inParallel');

test('works on all items, so many at once', async () => {
  const { state, work } = failingWork();
  const items = ITEMS.filter((item) => item !== 3);
  await inParallel(items, 3, work);
  assert.equal([state.begun, state.running, state.mostRunning], [items, 0, 3]);
});

test('works on nothing where there is nothing', async () => {
  await inParallel([], 3, async () => assert.unreachable());
});

test('after a failure nothing more is begun, and what is under way is waited for', async () => {
  const { state, work } = failingWork();
  const error = await inParallel(ITEMS, 4, work).catch((reason: unknown) => reason);
  assert.equal([String(error), state.begun, state.running], ['Error: item 3', [1, 2, 3, 4], 0]);
});

// Why inParallel is ours: a build that failed gives up its lock, and must not go on writing. When this fails, p-map can take its place.
test('p-map fails while work is still under way', async () => {
  const { state, work } = failingWork();
  const error = await pMap(ITEMS, work, { concurrency: 4 }).catch((reason: unknown) => reason);
  assert.is(String(error), 'Error: item 3');
  assert.ok(state.running > 0);
});

test.run();
