import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Batches } from '../../../gateway/redis/batch.ts';

const test = suite('batch');

test('items of one tick are done at once, and each gets its own result', async () => {
  const done: number[][] = [];
  const batches = new Batches((items: number[]) => {
    done.push(items);
    return items.map((item) => item * 10);
  });
  assert.equal(await Promise.all([batches.add(0, 1), batches.add(0, 2), batches.add(0, 3)]), [10, 20, 30]);
  assert.is(await batches.add(0, 4), 40);
  assert.equal(done, [[1, 2, 3], [4]]);
});

test('items of different groups are done apart', async () => {
  const done: string[][] = [];
  const batches = new Batches((items: string[]) => {
    done.push(items);
    return items;
  });
  await Promise.all([batches.add(1, 'a'), batches.add(2, 'b'), batches.add(1, 'c')]);
  assert.equal(done, [['a', 'c'], ['b']]);
});

test('if the work fails, at once or later, each item fails, and the next batch is done', async () => {
  let failure: 'at once' | 'later' | undefined;
  const batches = new Batches((items: number[]) => {
    if (failure === 'at once') throw new Error(failure);
    return failure === 'later' ? Promise.reject(new Error(failure)) : Promise.resolve(items);
  });
  for (const when of ['at once', 'later'] as const) {
    failure = when;
    for (const result of await Promise.allSettled([batches.add(0, 1), batches.add(0, 2)]))
      assert.is((result as PromiseRejectedResult).reason?.message, when);
  }
  failure = undefined;
  assert.equal(await Promise.all([batches.add(0, 1), batches.add(0, 2)]), [1, 2]);
});

test('a batch has at most the given number of items', async () => {
  const done: number[][] = [];
  const batches = new Batches((items: number[]) => {
    done.push(items);
    return items;
  }, 2);
  assert.equal(await Promise.all([1, 2, 3, 4, 5].map((item) => batches.add(0, item))), [1, 2, 3, 4, 5]);
  assert.equal(done, [[1, 2], [3, 4], [5]]);
});

test('waiting items can be done before the end of the tick, once', async () => {
  let done = 0;
  const batches = new Batches((items: number[]) => {
    done++;
    return items;
  });
  const added = batches.add(0, 1);
  batches.flush();
  assert.is(done, 1);
  batches.flush();
  assert.is(await added, 1);
  assert.is(done, 1);
});

test.run();
