import * as assert from 'uvu/assert';
import {
  addTimes,
  type Counters,
  countersAt,
  isSpent,
  type Limits,
  UNUSED,
  uncountRequest,
} from '../../../gateway/access/account.ts';
import { changeCounters, countRequests, Quota, readCounters } from '../../../gateway/access/quota.ts';
import { sweep } from '../../../gateway/store/open.ts';
import type { Sql } from '../../../gateway/store/sql.ts';
import { seededRandom } from '../../support/random.ts';
import { onEachEngine } from './engines.ts';

const FREE: Limits = { minute: 10, day: 200 };
const DAY_MS = 86_400_000;

/** Counts requests of one name. @returns whether the last one was admitted */
async function count(store: Sql, times = 1, limits = FREE): Promise<boolean | undefined> {
  let isAdmitted: boolean | undefined;
  for (let time = 0; time < times; time++)
    isAdmitted = (await countRequests(store, new Map([['a', limits]]))).get('a')?.admitted;
  return isAdmitted;
}

onEachEngine('quota', (test) => {
  test('counts as the model does, whatever the times, names and caps', async ({ store, clock }) => {
    const random = seededRandom();
    const models = new Map<string, Counters>();
    const caps: Limits[] = [FREE, { minute: 3, day: 7 }, { minute: 1, day: 1000 }];
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    for (let step = 0; step < 300; step++) {
      const jump = pick([0, 1, 700, 5000, 20_000, 59_999, 60_000, 3_600_000]);
      clock.now += random() < 0.01 ? DAY_MS : jump;
      const requests = ['a', 'b', 'c']
        .filter(() => random() < 0.6)
        .map((name, index) => [name, caps[index] as Limits] as const);
      if (requests.length === 0) continue;
      const counted = await countRequests(store.fast, new Map(requests));
      const read = await readCounters(store.fast, ['a', 'b', 'c', 'd'], clock.now);
      for (const [name, limits] of requests) {
        const before = countersAt(models.get(name) ?? UNUSED, clock.now);
        const isAdmitted = !isSpent(before, limits);
        const after = isAdmitted ? addTimes(before, [clock.now], clock.now) : before;
        models.set(name, after);
        assert.is(counted.get(name)?.admitted, isAdmitted, `step ${step}, ${name}`);
        assert.equal(read.get(name), after, `step ${step}, ${name}`);
      }
      if (random() > 0.1) continue;
      const undo = (before: Counters) => uncountRequest(before, before.times[0] ?? 0);
      models.set('a', await changeCounters(store, 'a', undo));
    }
  });

  test('several gateways admit exactly the cap in any 60 seconds and on a day', async ({
    store,
    place,
    clock,
  }) => {
    const stores = [
      store,
      await place.open({ now: () => clock.now }),
      await place.open({ now: () => clock.now }),
    ];
    const quotas = stores.map((each) => new Quota(each));
    const admitted: number[] = [];
    for (let step = 0; step < 60; step++) {
      const asked = quotas.flatMap((quota) => ['x', 'y', 'x', 'x'].map((name) => quota.count(name, FREE)));
      for (const [index, admission] of (await Promise.all(asked)).entries())
        if (admission.admitted && index % 4 !== 1) admitted.push(clock.now);
      clock.now += 7919;
    }
    for (const [index, time] of admitted.entries())
      assert.ok((admitted[index + FREE.minute] ?? Number.POSITIVE_INFINITY) - time >= 60_000);
    // 60 steps are 8 windows, each used completely.
    assert.is(admitted.length, 80);
    for (const quota of quotas) await quota.close();
    for (const other of stores.slice(1)) await other.close();
  });

  test('the clock of one gateway is behind: its requests count when the others were', async ({
    store,
    clock,
  }) => {
    await count(store, 5);
    const { now } = clock;
    await countRequests(store, new Map([['a', FREE]]), now - 40);
    assert.equal((await readCounters(store, ['a'], now)).get('a')?.times, Array(6).fill(now));
  });

  test('after a clock was set back by an hour, nobody waits longer than a minute', async ({
    store,
    clock,
  }) => {
    assert.is(await count(store, 10), true);
    assert.is(await count(store), false);
    clock.now -= 3_600_000;
    assert.is(await count(store), true);
  });

  test('a day that a clock repeats is not given twice', async ({ store, clock }) => {
    clock.now = DAY_MS * 22_000 + 10;
    assert.is(await count(store, 7, { minute: 100, day: 7 }), true);
    clock.now -= 5000;
    assert.is(await count(store, 1, { minute: 100, day: 7 }), false);
  });

  test('counters of past days are removed', async ({ store, clock }) => {
    clock.now = DAY_MS * 22_000 - 1;
    await count(store);
    for (const [later, rows] of [
      [60_000, 1],
      [1, 0],
    ] as const) {
      clock.now += later;
      await sweep(store);
      assert.is((await store.all('SELECT name FROM quota')).length, rows);
    }
  });
});
