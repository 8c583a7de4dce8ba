import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createBatch } from '../../../../gateway/parts/redis/batch.ts';

const test = suite('batch');

test('items of one tick are done at once, and each gets its own result', async () => {
  const done: number[][] = [];
  const { add } = createBatch((items: number[]) => {
    done.push(items);
    return items.map((item) => item * 10);
  });
  assert.equal(await Promise.all([add(1), add(2), add(3)]), [10, 20, 30]);
  assert.is(await add(4), 40);
  assert.equal(done, [[1, 2, 3], [4]]);
});

test('if the work fails, at once or later, each item fails, and the next batch is done', async () => {
  let failure: 'at once' | 'later' | undefined;
  const { add } = createBatch((items: number[]) => {
    if (failure === 'at once') throw new Error(failure);
    return failure === 'later' ? Promise.reject(new Error(failure)) : Promise.resolve(items);
  });
  for (const when of ['at once', 'later'] as const) {
    failure = when;
    for (const result of await Promise.allSettled([add(1), add(2)]))
      assert.is((result as PromiseRejectedResult).reason?.message, when);
  }
  failure = undefined;
  assert.equal(await Promise.all([add(1), add(2)]), [1, 2]);
});

test('a batch has at most the given number of items', async () => {
  const done: number[][] = [];
  const { add } = createBatch((items: number[]) => {
    done.push(items);
    return items;
  }, 2);
  assert.equal(await Promise.all([1, 2, 3, 4, 5].map(add)), [1, 2, 3, 4, 5]);
  assert.equal(done, [[1, 2], [3, 4], [5]]);
});

test('waiting items can be done before the end of the tick, once', async () => {
  let done = 0;
  const { add, flush } = createBatch((items: number[]) => {
    done++;
    return items;
  });
  const added = add(1);
  flush();
  assert.is(done, 1);
  flush();
  assert.is(await added, 1);
  assert.is(done, 1);
});

test.run();
