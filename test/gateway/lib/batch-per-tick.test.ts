import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { batchPerTick } from '../../../gateway/lib/batch-per-tick.ts';

const test = suite('at the end of a turn');

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('works on all that came in it, in order, and on nothing twice', async () => {
  const turns: number[][] = [];
  const add = batchPerTick<number>((gathered) => turns.push(gathered));
  add(1);
  add(2);
  assert.equal(turns, [], 'nothing before the end');
  await nextTurn();
  add(3);
  await nextTurn();
  await nextTurn();
  assert.equal(turns, [[1, 2], [3]]);
});

test('leaves what comes while it works to the next', async () => {
  const turns: number[][] = [];
  const add = batchPerTick<number>((gathered) => {
    turns.push(gathered);
    if (gathered[0] === 1) add(2);
  });
  add(1);
  await nextTurn();
  await nextTurn();
  assert.equal(turns, [[1], [2]]);
});

test('works at once on as many as are gathered at most, and on the rest at the end', async () => {
  const turns: number[][] = [];
  const add = batchPerTick<number>((gathered) => turns.push(gathered), 2);
  for (const item of [1, 2, 3]) add(item);
  assert.equal(turns, [[1, 2]]);
  await nextTurn();
  for (const item of [4, 5]) add(item);
  await nextTurn();
  assert.equal(turns, [[1, 2], [3], [4, 5]]);
});

test.run();
