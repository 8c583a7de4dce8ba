import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CountedKeyUses } from '../../../gateway/key-terms/count-uses.ts';
import type { KeyUsage } from '../../../gateway/key-uses/key-uses.ts';
import { StoreError, StoreSilence } from '../../../gateway/store/store.ts';
import { until } from '../../support/until.ts';

interface Context {
  uses: CountedKeyUses;
  /** What was added to the store, call by call. */
  added: KeyUsage[][];
  /** What the store fails with. */
  failure: { error?: Error };
  /** How often the address of a client was looked for. */
  looked: { count: number };
}

const NOON = Date.parse('2030-05-01T12:00:00Z');
const MIDNIGHT = Date.parse('2030-05-02T00:00:00Z');
const REQUEST = {} as IncomingMessage;

const test = suite<Context>('the uses of keys');
test.before.each((context) => {
  context.added = [];
  context.failure = {};
  context.looked = { count: 0 };
  context.uses = start(context);
});
test.after.each(({ uses }) => uses.close());

function start({ added, failure, looked }: Omit<Context, 'uses'>, interval?: number): CountedKeyUses {
  return new CountedKeyUses({
    clientAddress: () => `2001:db8::${(++looked.count).toString(16)}`,
    async add(usages) {
      if (failure.error) throw failure.error;
      added.push(structuredClone([...usages]));
    },
    ...(interval !== undefined && { interval }),
  });
}

function countTimes(uses: CountedKeyUses, hash: string, times: number, now = NOON): void {
  for (let n = 0; n < times; n++) uses.count(hash, REQUEST, now + n);
}

test('requests write nothing, and look for the address of the first one of a key only', async ({
  uses,
  added,
  looked,
}) => {
  countTimes(uses, 'a', 500);
  countTimes(uses, 'b', 3);
  assert.equal([added, looked.count], [[], 2]);
  await uses.flush();
  const network = '2001:db8:0:0::/64';
  assert.equal(added, [
    [
      { hash: 'a', at: NOON, network, count: 500 },
      { hash: 'b', at: NOON, network, count: 3 },
    ],
  ]);
  await uses.flush();
  assert.is(added.length, 1, 'nothing is written without a use');
});

test('they are added after an interval, without a request', async (context) => {
  const uses = start(context, 5);
  uses.count('a', REQUEST, NOON);
  await until(() => context.added.length === 1);
  await uses.close();
});

test('a request belongs to its own UTC day', async ({ uses, added }) => {
  countTimes(uses, 'a', 2, MIDNIGHT - 2);
  countTimes(uses, 'a', 3, MIDNIGHT);
  await uses.flush();
  const days = added.flat().map(({ at, count }) => [new Date(at).toISOString().slice(0, 10), count]);
  assert.equal(days, [
    ['2030-05-01', 2],
    ['2030-05-02', 3],
  ]);
});

test('what the store does not accept is added later; what it may have is not counted twice', async ({
  uses,
  added,
  failure,
}) => {
  failure.error = new StoreError('away');
  countTimes(uses, 'a', 2);
  await uses.flush();
  countTimes(uses, 'a', 1);
  await uses.flush();
  delete failure.error;
  await uses.flush();
  assert.equal(
    added.flat().map(({ count }) => count),
    [2, 1],
  );
  failure.error = new StoreSilence('silent');
  countTimes(uses, 'a', 9);
  await uses.flush();
  delete failure.error;
  await uses.flush();
  assert.is(added.flat().length, 2);
});

test('keys are added a hundred at a time, and memory is bounded while the store is away', async ({
  uses,
  added,
  failure,
}) => {
  failure.error = new StoreError('away');
  for (let n = 0; n < 60_000; n++) uses.count(`key-${n}`, REQUEST, NOON);
  await uses.flush();
  delete failure.error;
  await uses.flush();
  assert.equal([added.flat().length, added[0]?.length], [50_000, 100]);
});

test('what was counted is added when the gateway closes', async ({ uses, added }) => {
  countTimes(uses, 'a', 7);
  await uses.close();
  assert.is(added.flat()[0]?.count, 7);
});

test.run();
