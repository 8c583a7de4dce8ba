import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UNUSED } from '../../../gateway/quota/counters.ts';
import { createMeter } from '../../../gateway/quota/meter.ts';
import { type Reading, StoreError } from '../../../gateway/store/store.ts';

const test = suite('meter');
const NOW = Date.parse('2030-05-01T12:00:00Z');
const LIMITS = { minute: 2, day: 3 };
const SILENT = { info() {}, error() {}, access() {} };

test('without its store it counts on, by the clock that the store told, also for accounts that it has not seen', async () => {
  const told: Reading = { counters: UNUSED, at: NOW - 5000 };
  const asked = async (): Promise<never> => {
    throw new StoreError('gone');
  };
  const store = { countRequest: asked, uncountRequest: asked, readCounters: async () => told };
  const meter = createMeter(store, () => NOW, SILENT);
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

test.run();
