import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Meter } from '../../../gateway/access/meter.ts';
import { addRequest, UNUSED } from '../../../gateway/plans/counters.ts';
import { type Reading, StoreError } from '../../../gateway/store/store.ts';

const test = suite('meter');
const NOW = Date.parse('2030-05-01T12:00:00Z');
const LIMITS = { minute: 2, day: 3 };
const SILENT = { info() {}, error() {}, access() {} };

test('without its store it keeps counting by the clock of the store, also for accounts that it has not seen', async () => {
  const told: Reading = { counters: UNUSED, at: NOW - 5000 };
  const asked = async (): Promise<never> => {
    throw new StoreError('gone');
  };
  const store = { countRequest: asked, uncountRequest: asked, readCounters: async () => told };
  const meter = new Meter({ store, now: () => NOW, log: SILENT });
  await meter.read('a');
  const admissions = [
    await meter.count('b', LIMITS),
    await meter.count('b', LIMITS),
    await meter.count('b', LIMITS),
  ];
  assert.equal(
    admissions.map(({ admitted, at }) => [admitted, at]),
    [
      [true, NOW - 5000],
      [true, NOW - 5000],
      [false, NOW - 5000],
    ],
  );
});

test('a late response of the store does not set the clock of another account back', async () => {
  let now = NOW;
  let isGone = false;
  let response = () => {};
  const late = new Promise<void>((resolve) => {
    response = resolve;
  });
  const store = {
    async countRequest(account: string) {
      if (isGone) throw new StoreError('gone');
      const counted = { counters: addRequest(UNUSED, now), at: now, admitted: true };
      if (account === 'late') await late;
      return counted;
    },
    async uncountRequest(): Promise<never> {
      throw new StoreError('gone');
    },
    async readCounters(): Promise<never> {
      throw new StoreError('gone');
    },
  };
  const meter = new Meter({ store, now: () => now, log: SILENT });
  const waiting = meter.count('late', LIMITS);
  now += 100;
  const first = await meter.count('a', LIMITS);
  now += 40;
  response();
  await waiting;
  isGone = true;
  const second = await meter.count('a', LIMITS);
  assert.equal([second.admitted, second.counters.times.toArray()], [true, [first.at, second.at]]);
  assert.equal((await meter.uncount('a', first)).counters.times.toArray(), [second.at]);
  now -= 3_600_000;
  assert.equal((await meter.count('a', LIMITS)).at, now - 140, 'a clock that is set back');
});

test('logs once that it counts alone, and once that the store counts again', async () => {
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  let isGone = true;
  const ask = async (): Promise<Reading> => {
    if (isGone) throw new StoreError('gone');
    return { counters: UNUSED, at: NOW };
  };
  const store = {
    countRequest: async () => ({ ...(await ask()), admitted: true }),
    uncountRequest: ask,
    readCounters: ask,
  };
  const meter = new Meter({ store, now: () => NOW, log: { info: note, error: note, access() {} } });
  for (const gone of [true, true, false, false, true]) {
    isGone = gone;
    await meter.read('a');
  }
  const [alone, again] = [
    'quotas are counted by this gateway alone',
    'quotas are counted in the store again',
  ];
  assert.equal(logged, [alone, again, alone]);
});

test('an error that is not from the store does not count as an outage', async () => {
  const ask = async (): Promise<never> => {
    throw new TypeError('a bug');
  };
  const store = { countRequest: ask, uncountRequest: ask, readCounters: ask };
  const meter = new Meter({ store, now: () => NOW, log: SILENT });
  assert.instance(await meter.read('a').catch((error: unknown) => error), TypeError);
});

test.run();
