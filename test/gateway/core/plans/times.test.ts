import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_TIMES, Times } from '../../../../gateway/core/plans/counters.ts';
import { fc } from '../../../support/random.ts';

const test = suite('times');

/** Steps: which earlier list a new one is made from, how many of its first times are left out, and how many are added. */
const steps = fc.array(fc.record({ of: fc.nat(1000), leftOut: fc.nat(4), added: fc.nat(6) }), {
  maxLength: 100,
});

test('a list made from another is as expected, and the other does not change', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const known: { times: Times; expected: number[] }[] = [{ times: NO_TIMES, expected: [] }];
      let now = 0;
      for (const { of, leftOut, added } of all) {
        const { times: before, expected: listed } = known[of % known.length] as (typeof known)[number];
        let times = before.from(Math.min(leftOut, before.length));
        const expected = listed.slice(leftOut);
        for (let n = 0; n < added; n++) {
          times = times.add(++now);
          expected.push(now);
        }
        known.push({ times, expected });
      }
      for (const { times, expected } of known) {
        assert.equal(times.toArray(), expected);
        assert.is(times.length, expected.length);
        for (const at of [0, 1, expected.length, -1, -2, -expected.length - 1])
          assert.is(times.at(at), expected.at(at));
      }
    }),
  );
});

test('an addition shares the list if most of it is used, and otherwise copies it', () => {
  const list = [1, 2, 3, 4];
  assert.equal(new Times(list).from(1).add(5).toArray(), [2, 3, 4, 5]);
  assert.equal(list, [1, 2, 3, 4, 5], 'shared');
  assert.equal(new Times(list).add(6).toArray(), [1, 2, 3, 4, 5, 6]);
  assert.equal(list, [1, 2, 3, 4, 5, 6]);
  assert.equal(new Times(list).from(3).add(7).toArray(), [4, 5, 6, 7]);
  assert.equal(list, [1, 2, 3, 4, 5, 6], 'let go of');
});

test('a list without times keeps no shared list in memory', () => {
  assert.is(new Times([1, 2]).from(2), NO_TIMES);
});

test('nothing is added to the shared empty list', () => {
  const none: number[] = [];
  assert.equal(new Times(none).add(1).toArray(), [1]);
  assert.equal(none, []);
});

test.run();
