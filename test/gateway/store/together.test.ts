import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { doTogether } from '../../../gateway/store/together.ts';

const test = suite('together');

test('what is asked for in a turn is done at once, and each gets its own', async () => {
  const done: number[][] = [];
  const { ask } = doTogether((items: number[]) => {
    done.push(items);
    return items.map((item) => item * 10);
  });
  assert.equal(await Promise.all([ask(1), ask(2), ask(3)]), [10, 20, 30]);
  assert.is(await ask(4), 40);
  assert.equal(done, [[1, 2, 3], [4]]);
});

test('each fails where the work does, at once or later, and the next is done', async () => {
  let failure: 'at once' | 'later' | undefined;
  const { ask } = doTogether((items: number[]) => {
    if (failure === 'at once') throw new Error(failure);
    return failure === 'later' ? Promise.reject(new Error(failure)) : Promise.resolve(items);
  });
  for (const when of ['at once', 'later'] as const) {
    failure = when;
    for (const result of await Promise.allSettled([ask(1), ask(2)]))
      assert.is((result as PromiseRejectedResult).reason?.message, when);
  }
  failure = undefined;
  assert.equal(await Promise.all([ask(1), ask(2)]), [1, 2]);
});

test('no more than so many are done together', async () => {
  const done: number[][] = [];
  const { ask } = doTogether((items: number[]) => {
    done.push(items);
    return items;
  }, 2);
  assert.equal(await Promise.all([1, 2, 3, 4, 5].map(ask)), [1, 2, 3, 4, 5]);
  assert.equal(done, [[1, 2], [3, 4], [5]]);
});

test('what waits can be done now, once', async () => {
  let done = 0;
  const { ask, flush } = doTogether((items: number[]) => {
    done++;
    return items;
  });
  const asked = ask(1);
  flush();
  assert.is(done, 1);
  flush();
  assert.is(await asked, 1);
  assert.is(done, 1);
});

test.run();
