import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_TIMES, Times } from '../../../gateway/quota/times.ts';

const test = suite('times');

/** Which of all times so far something comes of, how many of the first are left out then, and how many are added. */
const steps = fc.array(fc.record({ of: fc.nat(1000), leftOut: fc.nat(4), added: fc.nat(6) }), {
  maxLength: 100,
});

test('times that come of others are as expected, and the others are as they were', () => {
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
        assert.equal([...times], expected);
        assert.equal([times.length, times.last], [expected.length, expected.at(-1)]);
        for (const at of [0, 1, expected.length]) assert.is(times.at(at), expected[at]);
      }
    }),
  );
});

test('what is left out is let go of, however many are added', () => {
  const list: number[] = [];
  let times = new Times(list);
  for (let now = 0; now < 10_000; now++) times = times.add(now).from(Math.max(0, times.length - 9));
  assert.equal([...times], [9990, 9991, 9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999]);
  assert.ok(list.length < 30, `${list.length}`);
});

test.run();
