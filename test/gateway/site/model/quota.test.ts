import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeQuota } from '../../../../gateway/access/charge.ts';
import {
  describeRemaining,
  hasAccountCaps,
  readRateLimit,
  searchDelay,
} from '../../../../gateway/site/model/quota.ts';

const test = suite('what is left of the caps');

test('is read from the header fields of a response', () => {
  assert.equal(
    readRateLimit('"minute";r=9;t=60, "day";r=199;t=40211', '"minute";q=10;w=60, "day";q=200;w=86400'),
    [
      { policy: 'minute', counted: 'account', left: 9, of: 10, seconds: 60 },
      { policy: 'day', counted: 'account', left: 199, of: 200, seconds: 40211 },
    ],
  );
  assert.equal(readRateLimit(null, null), []);
  assert.equal(readRateLimit('nonsense', '"day"'), []);
  assert.equal(readRateLimit('"cpu";r=0;t=3', '"cpu";q=500;w=60;qu="ms"'), [], 'processor time is no cap');
});

test('of a browser key is shown, also for a Pro account, which is not taken for a free one', () => {
  const limits = { minute: 5, day: 50 };
  const usage = {
    minute: { used: 1, remaining: 4, resetsAt: null },
    day: { used: 1, remaining: 49, resetsAt: null },
  };
  const { 'RateLimit-Policy': policy = '', RateLimit: limit = '' } = describeQuota(limits, usage, 0, 'key');
  const own = readRateLimit(limit, policy);
  assert.equal(
    own.map(({ counted, policy: window, left, of }) => [counted, window, left, of]),
    [
      ['key', 'minute', 4, 5],
      ['key', 'day', 49, 50],
    ],
  );
  assert.not(hasAccountCaps(own));
  assert.is(
    describeRemaining(own),
    '4 of 5 requests left this minute with this key, 49 of 50 this day with this key',
  );
  const account = describeQuota(limits, usage, 0);
  const both = readRateLimit(`${account.RateLimit}, ${limit}`, `${account['RateLimit-Policy']}, ${policy}`);
  assert.is(both.length, 4);
  assert.ok(hasAccountCaps(both));
});

test('makes typing wait longer, and send nothing when few requests are left', () => {
  const caps = (left: number, begin = '') => readRateLimit(`"${begin}minute";r=${left};t=60`, null);
  assert.is(searchDelay([]), 250);
  assert.is(searchDelay(caps(9)), 700);
  assert.is(searchDelay(caps(3)), undefined);
  assert.is(searchDelay(caps(3, 'key-')), undefined);
});

test.run();
