import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bestGrant, type Grant, isRevoked, tierAt } from '../../../gateway/access/account.ts';

const test = suite('tier of an account');
const END = '2031-01-01T00:00:00.000Z';

test('Pro lasts exactly until its end', () => {
  const account = { tier: 'pro', pro_until: END } as const;
  assert.is(tierAt(account, Date.parse(END) - 1), 'pro');
  assert.is(tierAt(account, Date.parse(END)), 'free');
  assert.is(tierAt(account, Date.parse(END) + 1), 'free');
});

test('the best of several grants is the one with the longest Pro, in any order', () => {
  const grants: Grant[] = [
    { tier: 'free', pro_until: null },
    { tier: 'pro', pro_until: '2026-06-01T00:00:00Z' },
    { tier: 'pro', pro_until: '2026-07-01T00:00:00Z' },
    { tier: 'pro', pro_until: null },
  ];
  for (let count = 1; count <= grants.length; count++) {
    const some = grants.slice(0, count);
    for (const list of [some, some.toReversed()]) assert.equal(bestGrant(list), some.at(-1));
  }
});

test('a key is revoked at its end, not before', () => {
  const key = { prefix: 'gdr_x', hash: '', account: 'a', created_at: '2026-01-01T00:00:00Z' };
  const end = '2026-06-01T00:00:00Z';
  const isRevokedAt = (now: number) => isRevoked({ ...key, revoked_at: end }, now);
  assert.equal([isRevokedAt(Date.parse(end) - 1), isRevokedAt(Date.parse(end))], [false, true]);
  assert.not(isRevoked({ ...key, revoked_at: null }, Date.parse(end)));
});

test.run();
