import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CounterName, counterNameOf } from '../../../gateway/access/account.ts';
import {
  addRequest,
  type Counters,
  countersAt,
  countRequest,
  type Limits,
  mergeCounters,
  UNUSED,
  uncountRequest,
} from '../../../gateway/access/counters.ts';
import { type Reading, StoreError, StoreSilence } from '../../../gateway/store/store.ts';
import { OutageMeter } from '../../../gateway/outages/outage-meter.ts';
import { until } from '../../support/until.ts';

const [A, B, LATE] = ['a', 'b', 'late'].map((id) => counterNameOf({ id })) as [
  CounterName,
  CounterName,
  CounterName,
];

const test = suite('meter');
const NOW = Date.parse('2030-05-01T12:00:00Z');
const LIMITS = { minute: 2, day: 3 };
const SILENT = { info() {}, error() {}, access() {} };

test('without its store it keeps counting by the clock of the store, also for accounts that it has not seen', async () => {
  const told: Reading = { counters: UNUSED, at: NOW - 5000 };
  const asked = async (): Promise<never> => {
    throw new StoreError('gone');
  };
  const store = {
    countRequest: asked,
    uncountRequest: asked,
    mergeCounters: asked,
    readCounters: async () => told,
  };
  const meter = new OutageMeter({ store, now: () => NOW, log: SILENT });
  await meter.read(A);
  const admissions = [
    await meter.count(B, LIMITS),
    await meter.count(B, LIMITS),
    await meter.count(B, LIMITS),
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
    async mergeCounters(): Promise<never> {
      throw new StoreError('gone');
    },
  };
  const meter = new OutageMeter({ store, now: () => now, log: SILENT });
  const waiting = meter.count(LATE, LIMITS);
  now += 100;
  const first = await meter.count(A, LIMITS);
  now += 40;
  response();
  await waiting;
  isGone = true;
  const second = await meter.count(A, LIMITS);
  assert.equal([second.admitted, second.counters.times], [true, [first.at, second.at]]);
  assert.equal((await meter.uncount(A, first)).counters.times, [second.at]);
  now -= 3_600_000;
  assert.equal((await meter.count(A, LIMITS)).at, now - 140, 'a clock that is set back');
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
    mergeCounters: ask,
  };
  const meter = new OutageMeter({ store, now: () => NOW, log: { info: note, error: note, access() {} } });
  for (const gone of [true, true, false, false, true]) {
    isGone = gone;
    await meter.read(A);
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
  const store = { countRequest: ask, uncountRequest: ask, readCounters: ask, mergeCounters: ask };
  const meter = new OutageMeter({ store, now: () => NOW, log: SILENT });
  assert.instance(await meter.read(A).catch((error: unknown) => error), TypeError);
});

/** A store in memory that can go away before a call, or after it did what it was asked for. */
class UnsteadyStore {
  counters: Counters = UNUSED;
  state: 'here' | 'gone' | 'mute' = 'here';
  readonly #merged = new Set<string>();

  countRequest(_account: string, limits: Limits) {
    return this.#answer(() => {
      const counted = countRequest(this.counters, limits, NOW);
      this.counters = counted ?? this.counters;
      return { counters: this.counters, at: NOW, admitted: counted !== undefined };
    });
  }

  uncountRequest(_account: string, at: number) {
    return this.#answer(() => {
      this.counters = uncountRequest(this.counters, at);
      return { counters: this.counters, at: NOW };
    });
  }

  readCounters() {
    return this.#answer(() => ({ counters: this.counters, at: NOW }));
  }

  mergeCounters(_account: string, counters: Counters, id: string) {
    return this.#answer(() => {
      if (!this.#merged.has(id)) this.counters = mergeCounters(countersAt(this.counters, NOW), counters, NOW);
      this.#merged.add(id);
      return { counters: this.counters, at: NOW };
    });
  }

  async #answer<T>(work: () => T): Promise<T> {
    if (this.state === 'gone') throw new StoreError('gone');
    const result = work();
    if (this.state === 'mute') throw new StoreSilence('no response in time');
    return result;
  }
}

const CAPS = { minute: 10, day: 200 };

/** A meter that has counted alone. */
async function countAlone(count: number) {
  const store = new UnsteadyStore();
  const meter = new OutageMeter({ store, now: () => NOW, log: SILENT });
  store.state = 'gone';
  for (let n = 0; n < count; n++) assert.ok((await meter.count(A, CAPS)).admitted);
  return { store, meter };
}

test('what it counted alone is in the store before it counts there again', async () => {
  const { store, meter } = await countAlone(10);
  store.state = 'here';
  assert.is((await meter.count(A, CAPS)).admitted, false);
  assert.equal([store.counters.count, store.counters.times.length], [10, 10]);
  await meter.close();
});

test('what it counted alone is in the store soon after that is back, without another request', async () => {
  const { store, meter } = await countAlone(4);
  store.state = 'here';
  await until(() => store.counters.count === 4);
  assert.is((await meter.count(A, CAPS)).counters.count, 5);
});

test('what it counted alone is counted once, if the store has it and does not say so', async () => {
  const { store, meter } = await countAlone(3);
  store.state = 'mute';
  await until(() => store.counters.count === 3);
  store.state = 'gone';
  await meter.count(A, CAPS);
  store.state = 'here';
  assert.equal((await meter.read(A)).counters.times.length, 4);
  assert.is(store.counters.count, 4);
  await meter.close();
});

test('what it counted alone and took back is not counted in the store', async () => {
  const { store, meter } = await countAlone(2);
  const third = await meter.count(A, CAPS);
  assert.is((await meter.uncount(A, third)).counters.count, 2);
  store.state = 'here';
  assert.is((await meter.read(A)).counters.count, 2);
  const fourth = await meter.count(A, CAPS);
  assert.is((await meter.uncount(A, fourth)).counters.count, 2);
  await meter.close();
});

test('what it refused alone is not counted in the store', async () => {
  const { store, meter } = await countAlone(CAPS.minute);
  assert.is((await meter.count(A, CAPS)).admitted, false);
  store.state = 'here';
  assert.is((await meter.read(A)).counters.count, CAPS.minute);
  await meter.close();
});

test('it takes back in the store what it has merged there', async () => {
  const { store, meter } = await countAlone(2);
  const third = await meter.count(A, CAPS);
  store.state = 'here';
  await until(() => store.counters.count === 3);
  assert.is((await meter.uncount(A, third)).counters.count, 2);
  assert.is(store.counters.count, 2);
  await meter.close();
});

test('it merges what it counted alone when it is closed', async () => {
  const { store, meter } = await countAlone(2);
  store.state = 'here';
  await meter.close();
  assert.is(store.counters.count, 2);
});

test.run();
