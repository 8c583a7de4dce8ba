import { setImmediate as nextTick } from 'node:timers/promises';
import pMap from 'p-map';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inParallel } from '../../../scripts/system.ts';

/** Work that fails immediately for item 3 and takes a few ticks for all others. */
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

test('works on all items, no more at once than allowed', async () => {
  const { state, work } = failingWork();
  const items = ITEMS.filter((item) => item !== 3);
  await inParallel(items, 3, work);
  assert.equal([state.begun, state.running, state.mostRunning], [items, 0, 3]);
});

test('does nothing for an empty list', async () => {
  await inParallel([], 3, async () => assert.unreachable());
});

test('after a failure, no more work starts, and the work under way is awaited', async () => {
  const { state, work } = failingWork();
  const error = await inParallel(ITEMS, 4, work).catch((reason: unknown) => reason);
  assert.equal([String(error), state.begun, state.running], ['Error: item 3', [1, 2, 3, 4], 0]);
});

// The reason for inParallel: a failed build releases its lock and must not write any more. When this test fails, p-map can replace it.
test('p-map fails while work is still under way', async () => {
  const { state, work } = failingWork();
  const error = await pMap(ITEMS, work, { concurrency: 4 }).catch((reason: unknown) => reason);
  assert.is(String(error), 'Error: item 3');
  assert.ok(state.running > 0);
});

test.run();
