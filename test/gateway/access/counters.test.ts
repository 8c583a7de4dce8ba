import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Counters,
  countersAt,
  countRequest,
  describeUsage,
  readCounters,
  timeAfter,
  UNUSED,
  uncountRequest,
  writeCounters,
} from '../../../gateway/access/counters.ts';
import { fc } from '../../support/random.ts';

const test = suite('counters');
const LIMITS = { minute: 10, day: 25 };
const DAY_MS = 86_400_000;

/** A step: the time since the step before, and whether it is a request that counts or one that is taken back at once. */
const steps = fc.array(
  fc.record({
    gap: fc.oneof(fc.nat(3), fc.nat(7_000), fc.constantFrom(59_999, 60_000, DAY_MS)),
    back: fc.boolean(),
  }),
  { maxLength: 120 },
);

test('admits exactly the requests that every window of 60 seconds and the UTC day allow, whatever is taken back', () => {
  fc.assert(
    fc.property(steps, fc.nat(DAY_MS), (all, start) => {
      let counters: Counters = UNUSED;
      const admitted: number[] = [];
      let now = start;
      for (const { gap, back } of all) {
        now += gap;
        const isFree =
          admitted.filter((time) => time > now - 60_000).length < LIMITS.minute &&
          admitted.filter((time) => Math.floor(time / DAY_MS) === Math.floor(now / DAY_MS)).length <
            LIMITS.day;
        const current = countersAt(readCounters(writeCounters(counters)), now);
        const counted = countRequest(current, LIMITS, now);
        assert.is(counted !== undefined, isFree);
        counters = counted ?? current;
        if (counted && back) counters = uncountRequest(counted, now);
        else if (counted) admitted.push(now);
      }
    }),
    { numRuns: 300 },
  );
});

test('more requests remain exactly when the reset says so', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(59_999), { minLength: 1, maxLength: 12 }), (offsets) => {
      const times = offsets.sort((a, b) => a - b);
      const now = 60_000;
      const counters = countersAt({ times, day: 0, count: times.length }, now);
      const { remaining, resetsAt } = describeUsage(counters, LIMITS).minute;
      if (resetsAt === null) return;
      const at = (time: number) => describeUsage(countersAt(counters, time), LIMITS).minute.remaining;
      assert.is(at(resetsAt - 1), remaining);
      assert.ok(at(resetsAt) > remaining);
    }),
  );
});

test('an event less than a second late counts at the time of the last event', () => {
  const last = 1_000_000;
  assert.equal(
    [0, 1, -1, -999, -1000, -60_000].map((late) => timeAfter(last, last + late) - last),
    [0, 1, 0, 0, -1000, -60_000],
  );
});

test('after a clock is set back, later requests count as admitted now', () => {
  const now = 20_000 * DAY_MS + 5000;
  const ahead = { times: [now - 1, now + 10, now + DAY_MS], day: 20_000, count: 3 };
  assert.equal(countersAt(ahead, now).times, [now - 1, now, now]);
});

test('after a clock is set back, a day that has begun goes on; of one further ahead, the count is that of today', () => {
  const now = 20_000 * DAY_MS + 5000;
  const daysAt = (day: number, time: number) => {
    const counters = countersAt({ times: [], day, count: 3 }, time);
    return [counters.day, counters.count];
  };
  assert.equal(daysAt(20_001, now), [20_001, 3]);
  assert.equal(daysAt(20_001, now + DAY_MS), [20_001, 3]);
  assert.equal(daysAt(20_001, now + 2 * DAY_MS), [20_002, 0]);
  assert.equal(daysAt(20_002, now), [20_000, 3]);
});

test('requests older than a minute still count on their day, but not on the next', () => {
  const midnight = 20_001 * DAY_MS;
  const counters = { times: [midnight - 60_002, midnight - 2], day: 20_000, count: 7 };
  const countAt = (now: number) => {
    const { times, day, count } = countersAt(counters, now);
    return [times, day, count];
  };
  assert.equal(countAt(midnight - 1), [[midnight - 2], 20_000, 7]);
  assert.equal(countAt(midnight), [[midnight - 2], 20_001, 0]);
});

test('counters from which nothing is removed are the same object', () => {
  const now = 20_000 * DAY_MS + 5000;
  const counters = { times: [now - 59_999, now], day: 20_000, count: 2 };
  assert.is(countersAt(counters, now), counters);
  assert.is.not(countersAt(counters, now + 1), counters);
});

test.run();
