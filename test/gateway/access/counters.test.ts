import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countersAt, describeUsage } from '../../../gateway/access/account.ts';
import { fc } from '../../support/random.ts';

const test = suite('counters');
const LIMITS = { minute: 10, day: 25 };
const DAY_MS = 86_400_000;

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

test.run();
