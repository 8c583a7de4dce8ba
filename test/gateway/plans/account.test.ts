import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tierAt } from '../../../gateway/plans/account.ts';

const test = suite('tier of an account');
const END = '2031-01-01T00:00:00.000Z';

test('Pro lasts until its end and not a millisecond longer', () => {
  const account = { tier: 'pro', pro_until: END } as const;
  assert.is(tierAt(account, Date.parse(END) - 1), 'pro');
  assert.is(tierAt(account, Date.parse(END)), 'free');
  assert.is(tierAt(account, Date.parse(END) + 1), 'free');
});

test('Pro without an end does not end', () => {
  assert.is(tierAt({ tier: 'pro', pro_until: null }, Number.MAX_SAFE_INTEGER), 'pro');
});

test('free is free at any time', () => {
  assert.is(tierAt({ tier: 'free', pro_until: null }, 0), 'free');
  assert.is(tierAt({ tier: 'free', pro_until: END }, 0), 'free');
});

test.run();
