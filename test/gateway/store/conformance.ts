import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpProblem } from '../../../gateway/http/problem.ts';
import {
  countersAt,
  countRequest,
  dayOf,
  type Limits,
  mergeCounters,
  readCounters,
  UNUSED,
  uncountRequest,
  writeCounters,
} from '../../../gateway/access/counters.ts';
import { type Reading, type Store, StoreError } from '../../../gateway/store/store.ts';
import { table, transact } from '../../../gateway/store/transaction.ts';
import { Readiness } from '../../../gateway/outages/readiness.ts';
import { find, findAll, list } from '../../../gateway/lists/lists.ts';
import { fc, runsOf } from '../../support/random.ts';
import type { Register } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { defineKeyTests } from './key-records.ts';
import { type Driver, onEachDriver, type StoreContext } from './on-each-store.ts';
import type { StorePlace } from './places.ts';

interface Context extends StoreContext {
  clock: { now: number };
}

const NOW = Date.parse('2030-05-01T10:00:00Z');
const DAY_MS = 86_400_000;
const LIMITS: Limits = { minute: 10, day: 200 };

/** Registers the tests that every driver of the store must pass. */
export function testStore(driver: Driver): void {
  onEachDriver('store', defineTests, [driver]);
}

function defineTests(
  test: Register<Context>,
  all: Test<Context>,
  makePlace: () => Promise<StorePlace>,
): void {
  all.before.each(async (context) => {
    context.clock = { now: NOW };
    context.place = await makePlace();
    context.store = await context.place.open(() => context.clock.now);
  });
  all.after.each(async ({ place, store }) => {
    await store.close();
    await place.remove();
  });

  defineKeyTests(test);

  test('a record has its last written value until it is removed', async ({ store }) => {
    assert.equal(await store.read(['a:1', 'a:2']), [undefined, undefined]);
    assert.ok(await write(store, { 'a:1': 'one', 'a:2': '|{"x":"\u0000\\n\n日本"}' }));
    assert.equal(await store.read(['a:2', 'a:3', 'a:1']), ['|{"x":"\u0000\\n\n日本"}', undefined, 'one']);
    assert.ok(await write(store, { 'a:1': '', 'a:2': null, 'a:3': null }));
    assert.equal(await store.read(['a:1', 'a:2']), ['', undefined]);
    assert.equal(await store.read([]), []);
  });

  test('a record is found with the one that it refers to', async ({ store }) => {
    const reference = { member: 'of', prefix: 'b:' };
    await write(store, {
      'a:1': '{"of":"1"}',
      'a:2': '{"of":"2"}',
      'a:3': '{"of":{}}',
      'a:4': '{}',
      'a:5': 'null',
      'b:1': 'one',
      'b:': 'none',
    });
    assert.equal(await store.find('a:1', reference), ['{"of":"1"}', 'one']);
    for (const name of ['a:2', 'a:3', 'a:4', 'a:5', 'a:6']) {
      const [found, referred] = await store.find(name, reference);
      assert.equal([found, referred], [(await store.read([name]))[0], undefined], name);
    }
    assert.is((await store.find('a:1'))[0], '{"of":"1"}');
  });

  test('a change is not written at all if a record has changed since it was read', async ({ store }) => {
    await write(store, { 'a:1': 'one', 'a:2': 'two' });
    const stale: Record<string, string | undefined>[] = [
      { 'a:1': 'two' },
      { 'a:1': undefined },
      { 'a:3': '' },
      { 'a:1': 'one', 'a:2': 'one' },
    ];
    for (const read of stale) {
      assert.is(await write(store, { 'a:1': 'new', 'a:9': 'new' }, read), false);
      assert.equal(await store.read(['a:1', 'a:9']), ['one', undefined]);
    }
    assert.ok(await write(store, { 'a:1': 'new', 'a:2': null }, { 'a:1': 'one', 'a:3': undefined }));
    assert.equal(await store.read(['a:1', 'a:2']), ['new', undefined]);
  });

  test('a record exists until it expires, and then no longer', async ({ store, clock }) => {
    const expiring = (value: string, expires: number) =>
      store.commit({ read: new Map(), write: new Map([['a:1', { value, expires }]]) });
    await expiring('one', NOW + 1000);
    clock.now = NOW + 999;
    assert.equal(await store.read(['a:1']), ['one']);
    assert.equal(await store.list('a:', { after: '', limit: 9 }), [['a:1', 'one']]);
    assert.is(await write(store, { 'a:2': 'two' }, { 'a:1': undefined }), false);
    clock.now = NOW + 1000;
    assert.equal(await store.read(['a:1']), [undefined]);
    assert.equal(await store.list('a:', { after: '', limit: 9 }), []);
    assert.ok(await write(store, { 'a:2': 'two' }, { 'a:1': undefined }));
    await expiring('again', NOW + 5000);
    await expiring('for longer', NOW + 9000);
    clock.now = NOW + 6000;
    await write(store, { 'a:3': 'three' });
    assert.equal(await store.read(['a:1']), ['for longer']);
    await write(store, { 'a:1': 'for ever' });
    clock.now = NOW + 10_000;
    await write(store, { 'a:3': 'three' });
    assert.equal(await store.read(['a:1', 'a:2', 'a:3']), ['for ever', 'two', 'three']);
  });

  test('a record can be large, and end earlier than before', async ({ store, clock }) => {
    const large = JSON.stringify({ text: 'é|'.repeat(40_000) });
    const put = (expires: number) =>
      store.commit({ read: new Map(), write: new Map([['a:1', { value: large, expires }]]) });
    await put(NOW + 9000);
    await put(NOW + 1000);
    assert.equal(await store.read(['a:1']), [large]);
    clock.now = NOW + 1000;
    assert.equal(await store.read(['a:1']), [undefined]);
    assert.equal(await store.list('a:', { after: '', limit: 9 }), []);
  });

  test('expired records use no space', async ({ store, clock }) => {
    const secrets = Array.from({ length: 250 }, (_, n) => `expired-${n}-`);
    for (const value of secrets) {
      await store.commit({ read: new Map(), write: new Map([[value, { value, expires: NOW + 1 }]]) });
    }
    clock.now = NOW + 2;
    for (let n = 0; n < 3; n++) await write(store, { 'a:1': String(n) });
    clock.now = NOW;
    assert.equal(new Set(await store.read(secrets)), new Set([undefined]));
  });

  test('records are listed by the prefix of their names, in order and page by page', async ({ store }) => {
    const names = Array.from({ length: 25 }, (_, n) => `b:${String(n).padStart(2, '0')}`);
    await write(store, {
      ...Object.fromEntries(names.map((name) => [name, name])),
      a: '',
      'b;': '',
      'b:é': '',
    });
    const pages: string[] = [];
    for (let after = ''; ; ) {
      const page = await store.list('b:', { after, limit: 10 });
      pages.push(...page.map(([name, value]) => `${name}=${value}`));
      if (page.length < 10) break;
      after = page.at(-1)?.[0] ?? '';
    }
    assert.equal(pages, [...names.map((name) => `${name}=${name}`), 'b:é=']);
    assert.equal(await store.list('b:1', { after: 'b:18', limit: 10 }), [['b:19', 'b:19']]);
    assert.equal(await store.list('c', { after: '', limit: 10 }), []);
  });

  test('after random changes, the store equals a map', async ({ store }) => {
    const names = ['a:1', 'a:2', 'b:1', 'a', 'a:é', 'a:\u{1f600}', 'a:1:x'];
    const name = fc.constantFrom(...names);
    const value = fc.option(fc.string({ unit: 'binary', maxLength: 20 }));
    const step = fc.tuple(
      fc.dictionary(name, value, { maxKeys: 4 }),
      fc.uniqueArray(fc.tuple(name, fc.boolean()), { maxLength: 3, selector: ([key]) => key }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const model = new Map<string, string>();
        await write(store, Object.fromEntries(names.map((key) => [key, null])));
        for (const [written, reads] of steps) {
          const read: [string, string | undefined][] = reads.map(([key, isTrue]) => [
            key,
            isTrue ? model.get(key) : `not ${model.get(key)}`,
          ]);
          const isExpected = reads.every(([, isTrue]) => isTrue);
          assert.is(await write(store, written, Object.fromEntries(read)), isExpected);
          if (!isExpected) continue;
          for (const [key, text] of Object.entries(written)) {
            if (text === null) model.delete(key);
            else model.set(key, text);
          }
        }
        assert.equal(
          await store.read(names),
          names.map((key) => model.get(key)),
        );
        const listed = [...model].filter(([key]) => key.startsWith('a:'));
        const byBytes = (a: [string, string], b: [string, string]) =>
          Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]));
        assert.equal(await store.list('a:', { after: '', limit: 100 }), listed.sort(byBytes));
      }),
      { numRuns: 60 },
    );
  });

  test('every process that opens a store gets the same identity, and no other store has it', async ({
    place,
    store,
  }) => {
    const other = await place.open();
    const known = await Promise.all([store.identity(), other.identity(), store.identity()]);
    assert.is(new Set(known).size, 1);
    assert.match(known[0], /^[0-9a-f-]{36}$/);
    await other.close();
    const otherPlace = await makePlace();
    const another = await otherPlace.open();
    assert.is.not(await another.identity(), known[0]);
    await another.close();
    await otherPlace.remove();
  });

  test('concurrent transactions of several processes do not lose each other’s changes', async ({
    place,
    store,
  }) => {
    const other = await place.open();
    const COUNT = table<number>('count');
    const raise = (on: Store) =>
      transact(on, async (transaction) => {
        const count = (await transaction.get(COUNT, 'a')) ?? 0;
        transaction.put(COUNT, 'a', count + 1);
        return count;
      });
    const seen = await Promise.all(Array.from({ length: 60 }, (_, n) => raise(n % 2 ? store : other)));
    assert.equal(
      seen.sort((a, b) => a - b),
      Array.from({ length: 60 }, (_, n) => n),
    );
    assert.is(await find(store, COUNT, 'a'), 60);
    await other.close();
  });

  test('a transaction sees what it wrote, and a failing one writes nothing', async ({ store }) => {
    const THINGS = table<{ n: number }>('thing');
    await transact(store, async (transaction) => {
      transaction.put(THINGS, 'a', { n: 1 });
      assert.equal(await transaction.get(THINGS, 'a'), { n: 1 });
      transaction.remove(THINGS, 'a');
      assert.is(await transaction.get(THINGS, 'a'), undefined);
      transaction.put(THINGS, 'b', { n: 2 });
    });
    const failing = transact(store, async (transaction) => {
      transaction.put(THINGS, 'c', { n: 3 });
      throw new Error('no');
    });
    assert.is(((await failing.catch((error: unknown) => error)) as Error).message, 'no');
    assert.equal(await list(store, THINGS), [['b', { n: 2 }]]);
    assert.equal(await findAll(store, THINGS, ['c', 'b']), [undefined, { n: 2 }]);
  });

  test('a table is listed completely, however long it is', async ({ store }) => {
    const NUMBERS = table<number>('number');
    for (let n = 0; n < 2500; n += 500) {
      await transact(store, async (transaction) => {
        for (let id = n; id < n + 500; id++) transaction.put(NUMBERS, String(id).padStart(4, '0'), id);
      });
    }
    const found = await list(store, NUMBERS);
    assert.equal(
      found.map(([, value]) => value),
      Array.from({ length: 2500 }, (_, n) => n),
    );
    assert.is((await list(store, NUMBERS, '01')).length, 100);
  });

  test('a store responds to a ping until it is closed, and closing twice is harmless', async ({ store }) => {
    await store.ping();
    await store.close();
    await store.close();
    for (const ask of [
      () => store.ping(),
      () => store.read(['a']),
      () => store.list('a', { after: '', limit: 1 }),
      () => store.commit({ read: new Map(), write: new Map([['a', { value: '1' }]]) }),
      () => store.countRequest('a', LIMITS),
      () => store.readCounters('a'),
    ]) {
      assert.instance(await ask().catch((error: unknown) => error), StoreError);
    }
  });

  test('a gateway whose store is closed is not ready', async ({ store }) => {
    const readiness = new Readiness({ store });
    await readiness.check();
    await store.close();
    assert.instance(await readiness.check().catch((error: unknown) => error), HttpProblem);
  });

  test('requests count up to the caps, separately for each account', async ({ store, clock }) => {
    for (let n = 1; n <= LIMITS.minute; n++) {
      const { admitted, at, counters } = await store.countRequest('a', LIMITS);
      assert.equal([admitted, at, counters.times.length, counters.count], [true, NOW, n, n]);
    }
    assert.is((await store.countRequest('a', LIMITS)).admitted, false);
    assert.is((await store.countRequest('b', LIMITS)).admitted, true);
    clock.now += 59_999;
    assert.is((await store.countRequest('a', LIMITS)).admitted, false);
    clock.now += 1;
    assert.is((await store.countRequest('a', LIMITS)).admitted, true);
    const countersOf = async (account: string) => writeCounters((await store.readCounters(account)).counters);
    const today = Math.floor(NOW / DAY_MS);
    assert.is(await countersOf('a'), `${today} ${LIMITS.minute + 1} ${clock.now}`);
    assert.is(await countersOf('c'), `${today} 0`);
  });

  test('the day ends at midnight UTC', async ({ store, clock }) => {
    const limits = { minute: 100, day: 3 };
    clock.now = Date.parse('2030-05-01T23:59:59.999Z');
    for (const expected of [true, true, true, false]) {
      assert.is((await store.countRequest('a', limits)).admitted, expected);
    }
    clock.now += 1;
    const { admitted, counters } = await store.countRequest('a', limits);
    assert.equal([admitted, counters.count, counters.times.length], [true, 1, 4]);
  });

  test('a request that is taken back does not count', async ({ store, clock }) => {
    const first = await store.countRequest('a', LIMITS);
    clock.now += 5;
    await store.countRequest('a', LIMITS);
    const expected = `${Math.floor(NOW / DAY_MS)} 1 ${clock.now}`;
    assert.is(writeCounters((await store.uncountRequest('a', first.at)).counters), expected);
    assert.is(writeCounters((await store.uncountRequest('a', first.at)).counters), expected, 'once only');
    assert.is(writeCounters((await store.readCounters('a')).counters), expected);
  });

  test('requests that were admitted elsewhere are added in their minute and day, even beyond the caps', async ({
    store,
    clock,
  }) => {
    const today = Math.floor(NOW / DAY_MS);
    await store.countRequest('a', LIMITS);
    clock.now += 30_000;
    const others = readCounters(`${today} 12 ${NOW - 40_000} ${NOW - 10} ${clock.now + 5}`);
    const { counters, at } = await store.mergeCounters('a', others, 'one');
    assert.is(at, clock.now);
    assert.is(writeCounters(counters), `${today} 13 ${NOW - 10} ${NOW} ${clock.now}`);
    const yesterdays = readCounters(`${today - 1} 100 ${NOW - 5}`);
    await store.mergeCounters('a', yesterdays, 'two');
    const read = writeCounters((await store.readCounters('a')).counters);
    assert.is(read, `${today} 13 ${NOW - 10} ${NOW - 5} ${NOW} ${clock.now}`);
    assert.is((await store.readCounters('b')).counters.count, 0);
  });

  test('what is refused, taken back or over leaves no counters', async ({ store, place, clock }) => {
    // A folder has no place in which they can be counted: it forgets them in memory, some at a time.
    if (place.countKept === undefined) return;
    const before = await place.countKept();
    const refused = Array.from({ length: 50 }, (_, n) => store.countRequest(`${n}`, { minute: 0, day: 9 }));
    assert.ok((await Promise.all(refused)).every(({ admitted }) => !admitted));
    await store.uncountRequest('a', (await store.countRequest('a', LIMITS)).at);
    await store.uncountRequest('b', NOW);
    await store.readCounters('c');
    assert.is(await place.countKept(), before);
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.countRequest(`${n}`, LIMITS)));
    assert.is(await place.countKept(), before + 50);
    clock.now += 2 * DAY_MS;
    for (let n = 0; n < 50; n++) await store.uncountRequest(`${n}`, NOW);
    assert.is(await place.countKept(), before);
  });

  test('the counters of one account can be removed without those of others', async ({ store }) => {
    for (const account of ['a', 'a', 'b']) await store.countRequest(account, LIMITS);
    await store.removeCounters('a');
    const usedBy = async (account: string) => (await store.readCounters(account)).counters.times.length;
    assert.equal([await usedBy('a'), await usedBy('b')], [0, 1]);
  });

  test('a clock that is set back blocks an account for at most one window', async ({ store, clock }) => {
    for (let n = 0; n < LIMITS.minute; n++) await store.countRequest('a', LIMITS);
    clock.now -= 3_600_000;
    assert.is((await store.countRequest('a', LIMITS)).admitted, false);
    clock.now += 60_000;
    assert.is((await store.countRequest('a', LIMITS)).admitted, true);
  });

  for (const [name, hours] of Object.entries({ back: [0, -16], forward: [16, 0] } as const))
    test(`a clock that is set ${name} over midnight gives no account a second day`, async ({
      store,
      clock,
    }) => {
      const limits = { minute: 100, day: 3 };
      const midnight = Math.floor(NOW / DAY_MS) * DAY_MS;
      const isAdmittedAt = async (hour: number) => {
        clock.now = midnight + hour * 3_600_000;
        return (await store.countRequest('a', limits)).admitted;
      };
      for (let n = 0; n < limits.day; n++) assert.ok(await isAdmittedAt(12 + hours[0]));
      assert.is(await isAdmittedAt(12 + hours[1]), false);
      const lastHour = hours[0] === 0 ? 23 : 47;
      assert.equal([await isAdmittedAt(lastHour), await isAdmittedAt(lastHour + 1)], [false, true]);
    });

  test('at random times it admits exactly the requests that the caps allow', async ({ store, clock }) => {
    let runs = 0;
    const steps = fc.array(
      fc.nat(9_000).chain((ms) => fc.constantFrom(0, 1, ms, ms * 4)),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(DAY_MS), async (gaps, start) => {
        const account = `account-${++runs}`;
        const limits = { minute: 10, day: 25 };
        const admitted: number[] = [];
        clock.now = NOW + start;
        for (const gap of gaps) {
          clock.now += gap;
          const isFree = isAllowed(admitted, clock.now, limits);
          assert.is((await store.countRequest(account, limits)).admitted, isFree);
          if (isFree) admitted.push(clock.now);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('after random changes and steps of the clock, counters are as plans/counters.ts computes them', async ({
    store,
    clock,
  }) => {
    let runs = 0;
    const property = async (start: number, steps: readonly CounterStep[]) => {
      const model = new CountersModel(store, `random-${++runs}`);
      clock.now = NOW + start;
      for (const { ms, ...change } of steps) {
        clock.now += ms;
        await model.compare(change, clock.now);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.nat(DAY_MS), fc.array(COUNTER_STEPS, { maxLength: 40 }), property),
      runsOf(600),
    );
  });

  test('many concurrent requests are counted exactly', async ({ store }) => {
    const all = await Promise.all(Array.from({ length: 500 }, () => store.countRequest('a', LIMITS)));
    assert.is(all.filter(({ admitted }) => admitted).length, LIMITS.minute);
  });

  test('each of many concurrent requests gets its own result', async ({ store }) => {
    const [one, two] = [
      { minute: 1, day: 9 },
      { minute: 9, day: 2 },
    ] as const;
    const asked = [
      ['a', one],
      ['b', two],
      ['a', one],
      ['b', two],
      ['b', two],
      ['c', one],
    ] as const;
    const told = await Promise.all(asked.map(([account, limits]) => store.countRequest(account, limits)));
    assert.equal(
      told.map(({ admitted, at, counters }) => [admitted, at, counters.count, counters.times.length]),
      [
        [true, NOW, 1, 1],
        [true, NOW, 1, 1],
        [false, NOW, 1, 1],
        [true, NOW, 2, 2],
        [false, NOW, 2, 2],
        [true, NOW, 1, 1],
      ],
    );
  });

  test('requests that wait when it is closed are counted, later ones are not', async ({ store }) => {
    // Sends the script to Redis now: it is sent only once, and not while the store is closing.
    await store.countRequest('a', LIMITS);
    const asked = ['b', 'c'].map((account) => store.countRequest(account, LIMITS));
    await store.close();
    for (const { admitted } of await Promise.all(asked)) assert.ok(admitted);
    const late = await Promise.allSettled(['b', 'c'].map((account) => store.countRequest(account, LIMITS)));
    for (const result of late) assert.instance((result as PromiseRejectedResult).reason, StoreError);
  });

  test('the revision is read repeatedly', async ({ store }) => {
    const asked = performance.now();
    await until(() => store.revision().heardAt >= asked);
    assert.ok(store.revision().heardAt <= performance.now());
  });
}

/** A change of counters after a step of the clock. */
interface CounterStep {
  ms: number;
  kind: 'count' | 'uncount' | 'merge' | 'read';
  /** The caps of a request. */
  limits: Limits;
  /** Which admitted request is taken back. */
  place: number;
  /** How long ago merged requests were admitted, on which day from today, and how many more count on it. */
  ages: number[];
  day: number;
  count: number;
}

const COUNTER_STEPS: fc.Arbitrary<CounterStep> = fc.record({
  ms: fc.oneof(
    fc.constantFrom(0, 1, 59_999, 60_000),
    fc.nat(20_000),
    fc.integer({ min: -90_000, max: -1000 }),
    fc.constantFrom(1, 3, 24, 72).chain((hours) => fc.constantFrom(hours * 3_600_000, -hours * 3_600_000)),
  ),
  kind: fc.constantFrom('count', 'count', 'count', 'uncount', 'merge', 'read'),
  limits: fc.record({ minute: fc.nat(5), day: fc.nat(8) }),
  place: fc.nat(5),
  ages: fc.array(fc.integer({ min: -5000, max: 70_000 }), { maxLength: 4 }),
  day: fc.integer({ min: -1, max: 1 }),
  count: fc.nat(4),
});

/** The counters of an account as plans/counters.ts computes them, beside those of a store. */
class CountersModel {
  readonly #store: Store;
  readonly #account: string;
  readonly #admitted: number[] = [];
  #counters = UNUSED;
  #merges = 0;

  constructor(store: Store, account: string) {
    this.#store = store;
    this.#account = account;
  }

  /** Makes a change in both, and compares them. */
  async compare(change: Omit<CounterStep, 'ms'>, now: number): Promise<void> {
    const { at, counters } = await this.#change(change, now);
    assert.is(writeCounters(counters), writeCounters(countersAt(this.#counters, at)));
    if (change.kind === 'read') return;
    const { count, times } = this.#counters;
    if (count === 0 && times.length === 0) this.#counters = UNUSED;
  }

  async #change(
    { kind, limits, place, ages, day, count }: Omit<CounterStep, 'ms'>,
    now: number,
  ): Promise<Reading> {
    if (kind === 'count') {
      const reading = await this.#store.countRequest(this.#account, limits);
      const counters = countersAt(this.#counters, reading.at);
      const counted = countRequest(counters, limits, reading.at);
      assert.is(reading.admitted, counted !== undefined);
      if (counted) this.#admitted.unshift(reading.at);
      this.#counters = counted ?? counters;
      return reading;
    }
    if (kind === 'uncount') {
      const [then = now] = this.#admitted.splice(place, 1);
      const reading = await this.#store.uncountRequest(this.#account, then);
      this.#counters = uncountRequest(countersAt(this.#counters, reading.at), then);
      return reading;
    }
    if (kind === 'merge') {
      const times = ages.map((age) => now - age).sort((a, b) => a - b);
      const others = { times, day: dayOf(now) + day, count: ages.length + count };
      const reading = await this.#store.mergeCounters(this.#account, others, `merge ${++this.#merges}`);
      this.#counters = mergeCounters(countersAt(this.#counters, reading.at), others, reading.at);
      return reading;
    }
    return await this.#store.readCounters(this.#account);
  }
}

/** The expected caps, counted one by one. */
function isAllowed(admitted: readonly number[], now: number, limits: Limits): boolean {
  const today = new Date(now).toISOString().slice(0, 10);
  const inMinute = admitted.filter((time) => time > now - 60_000);
  const inDay = admitted.filter((time) => new Date(time).toISOString().startsWith(today));
  return inMinute.length < limits.minute && inDay.length < limits.day;
}

/** Commits values (null removes) if the records have the given values. */
async function write(
  store: Store,
  values: Record<string, string | null>,
  read: Record<string, string | undefined> = {},
): Promise<boolean> {
  const written = Object.entries(values).map(([name, value]) => [name, { value }] as const);
  return await store.commit({ read: new Map(Object.entries(read)), write: new Map(written) });
}
