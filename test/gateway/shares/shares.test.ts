import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Account, Key } from '../../../gateway/access/account.ts';
import { type Holder, holderOf } from '../../../gateway/access/account.ts';
import { Shares } from '../../../gateway/shares/shares.ts';

const test = suite('shares of the keys and addresses of an account');

const holder = (secret: string, weight: number): Holder => ({ account: 'ada', secret, weight });
const [KEY, OTHER, ADDRESS] = [holder('key', 10), holder('other', 10), holder('address', 1)];

test('those that use some divide the amount by their weights', () => {
  const shares = new Shares();
  assert.is(shares.partOf(ADDRESS), 1, 'alone, it has all');
  shares.add(ADDRESS, 5);
  assert.equal([shares.partOf(ADDRESS), shares.partOf(KEY)], [1, 10 / 11]);
  shares.add(KEY, 1);
  shares.add(OTHER, 1);
  assert.equal(
    [KEY, OTHER, ADDRESS].map((each) => shares.partOf(each)),
    [10 / 21, 10 / 21, 1 / 21],
  );
  for (const each of [KEY, OTHER]) shares.add(each, -1);
  assert.equal([shares.partOf(ADDRESS), shares.usedBy(ADDRESS), shares.usedBy(KEY)], [1, 5, 0]);
  shares.add(ADDRESS, -5);
  assert.ok(shares.isUnused);
});

test('what is given back is divided too, and what one no longer needs goes to the others', () => {
  const shares = new Shares();
  shares.add(KEY, 20);
  shares.add(ADDRESS, 10);
  shares.giveBack(11);
  assert.equal(
    [KEY, ADDRESS].map((each) => shares.usedBy(each)),
    [10, 9],
  );
  shares.giveBack(14);
  assert.equal(
    [KEY, ADDRESS].map((each) => shares.usedBy(each)),
    [0, 5],
  );
  shares.giveBack(1000);
  assert.ok(shares.isUnused);
});

test('what may be published counts a tenth of a key, and accounts that count as one share', () => {
  const account = { id: 'a', counted_as: 'ada' } as Account;
  const weightOf = (key: Partial<Key>) => holderOf({ account, key: { hash: 'h', ...key } as Key });
  const browser = { origins: ['https://example.org'] };
  assert.equal(weightOf({}), { account: 'ada', secret: 'h', weight: 10 });
  assert.is(weightOf({ browser, session: 's' }).weight, 10);
  assert.is(weightOf({ browser }).weight, 1);
  assert.is(weightOf({ address: { game: 'saga' } }).weight, 1);
});

test.run();
