import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { batchPerTick } from '../../../gateway/http/work.ts';

const test = suite('batch per tick');

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test('handles all items of a tick in order, each once', async () => {
  const turns: number[][] = [];
  const add = batchPerTick<number>((gathered) => turns.push(gathered));
  add(1);
  add(2);
  assert.equal(turns, [], 'nothing before the end');
  await nextTick();
  add(3);
  await nextTick();
  await nextTick();
  assert.equal(turns, [[1, 2], [3]]);
});

test('handles items that are added meanwhile in the next tick', async () => {
  const turns: number[][] = [];
  const add = batchPerTick<number>((gathered) => {
    turns.push(gathered);
    if (gathered[0] === 1) add(2);
  });
  add(1);
  await nextTick();
  await nextTick();
  assert.equal(turns, [[1], [2]]);
});

test('handles a full batch at once, and the rest at the end of the tick', async () => {
  const turns: number[][] = [];
  const add = batchPerTick<number>((gathered) => turns.push(gathered), 2);
  for (const item of [1, 2, 3]) add(item);
  assert.equal(turns, [[1, 2]]);
  await nextTick();
  for (const item of [4, 5]) add(item);
  await nextTick();
  assert.equal(turns, [[1, 2], [3], [4, 5]]);
});

test.run();
