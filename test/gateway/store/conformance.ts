import fc from 'fast-check';
import { type Callback, suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/access/api-key.ts';
import { type Limits, UNUSED } from '../../../gateway/quota/counters.ts';
import type { Grant, IssuedKey, Store } from '../../../gateway/store/store.ts';
import { isRevoked, StoreError } from '../../../gateway/store/store.ts';
import { runCli } from './run-cli.ts';

/** An empty place for a store, made for one test. */
export interface StorePlace {
  /** What `--store` takes. */
  address: string;
  /** @param now what it counts by; its own clock without */
  open(now?: () => number): Promise<Store>;
  /** All that is kept of it outside of the process. */
  readAll(): Promise<Buffer>;
  remove(): Promise<void>;
}

interface Context {
  place: StorePlace;
  store: Store;
  clock: { now: number };
}

const NOW = Date.parse('2030-05-01T10:00:00Z');
const NOW_TEXT = '2030-05-01T10:00:00.000Z';
const LATER = NOW + 60_000;
const DAY_MS = 86_400_000;
const LIMITS: Limits = { minute: 10, day: 200 };
const PRO: Grant = { tier: 'pro', pro_until: null };

/**
 * Runs what every driver of the store must do.
 *
 * @param name of the driver
 * @param makePlace makes an empty place; each test has its own
 * @param register how the suite registers a test
 */
export function testStore(
  name: string,
  makePlace: () => Promise<StorePlace>,
  register = (suite: Test<Context>): ((name: string, test: Callback<Context>) => void) => suite,
): void {
  const all = suite<Context>(`store on ${name}`);
  const test = register(all);

  all.before.each(async (context) => {
    context.clock = { now: NOW };
    context.place = await makePlace();
    context.store = await context.place.open(() => context.clock.now);
  });
  all.after.each(async ({ place, store }) => {
    await store.close();
    await place.remove();
  });

  test('an issued key is found by its hash and by its prefix, with its account', async ({ store }) => {
    const { issued, hash, prefix } = await issue(store, 'ada@example.org');
    const { account } = issued;
    assert.equal(issued, {
      key: { prefix, hash, account: account.id, created_at: NOW_TEXT, revoked_at: null },
      account: {
        id: account.id,
        email: 'ada@example.org',
        tier: 'free',
        pro_until: null,
        created_at: NOW_TEXT,
      },
    });
    assert.equal(await store.findKey(hash), issued);
    assert.equal(await store.keyByPrefix(prefix), issued);
    assert.equal(await store.accountByEmail('ada@example.org'), { account, keys: [issued.key] });
  });

  test('what was never issued is not found', async ({ store }) => {
    const { hash, prefix } = createKey();
    assert.is(await store.findKey(hash), undefined);
    assert.is(await store.findKey(''), undefined);
    assert.is(await store.keyByPrefix(prefix), undefined);
    assert.is(await store.accountByEmail('ada@example.org'), undefined);
    assert.equal(await store.listKeys(), []);
  });

  test('a second key of an address belongs to the same account', async ({ store }) => {
    const first = await issue(store, 'ada@example.org');
    const second = await issue(store, 'ada@example.org', LATER);
    const other = await issue(store, 'bob@example.org', LATER);
    assert.equal(second.issued.account, first.issued.account);
    assert.is.not(other.issued.account.id, first.issued.account.id);
  });

  test('a grant sets the tier for all keys of the account, and no grant leaves it', async ({ store }) => {
    const first = await issue(store, 'ada@example.org');
    await issue(store, 'ada@example.org', NOW, { tier: 'pro', pro_until: '2031-01-01T00:00:00.000Z' });
    const third = await issue(store, 'ada@example.org');
    assert.is(third.issued.account.tier, 'pro');
    const { account } = must(await store.findKey(first.hash));
    assert.equal([account.tier, account.pro_until], ['pro', '2031-01-01T00:00:00.000Z']);
    await issue(store, 'ada@example.org', NOW, { tier: 'free', pro_until: null });
    assert.is(must(await store.findKey(first.hash)).account.tier, 'free');
  });

  test('a prefix that is in use is refused, and nothing is changed', async ({ store }) => {
    const { issued, prefix } = await issue(store, 'ada@example.org');
    const { hash } = createKey();
    const request = { email: 'bob@example.org', prefix, hash, grant: PRO, now: LATER };
    assert.is(await store.issueKey(request), undefined);
    assert.is(await store.issueKey({ ...request, email: 'ada@example.org' }), undefined);
    assert.is(await store.findKey(hash), undefined);
    assert.is(await store.accountByEmail('bob@example.org'), undefined);
    assert.equal(await store.listKeys(), [issued]);
  });

  test('keys are listed oldest first, revoked ones included', async ({ store }) => {
    const second = await issue(store, 'ada@example.org', LATER);
    const first = await issue(store, 'bob@example.org', NOW);
    const third = await issue(store, 'bob@example.org', LATER + 1);
    await store.revokeKey(first.prefix, LATER);
    const listed = (await store.listKeys()).map(({ key, account }) => [
      key.prefix,
      account.email,
      key.revoked_at,
    ]);
    assert.equal(listed, [
      [first.prefix, 'bob@example.org', new Date(LATER).toISOString()],
      [second.prefix, 'ada@example.org', null],
      [third.prefix, 'bob@example.org', null],
    ]);
  });

  test('a revoked key stays revoked from the first time on, and its sisters stay good', async ({ store }) => {
    const { prefix, hash } = await issue(store, 'ada@example.org');
    const sister = await issue(store, 'ada@example.org');
    assert.is(must(await store.revokeKey(prefix, NOW)).key.revoked_at, NOW_TEXT);
    assert.is(must(await store.revokeKey(prefix, LATER)).key.revoked_at, NOW_TEXT);
    assert.is(must(await store.findKey(hash)).key.revoked_at, NOW_TEXT);
    assert.is(must(await store.findKey(sister.hash)).key.revoked_at, null);
    assert.is(await store.revokeKey(createKey().prefix, NOW), undefined);
  });

  test('a deleted account is gone with all of its keys, and with nothing else', async ({ store }) => {
    const gone = [await issue(store, 'ada@example.org', NOW, PRO), await issue(store, 'ada@example.org')];
    const left = await issue(store, 'bob@example.org');
    assert.is(await store.deleteAccount('ada@example.org'), true);
    assert.is(await store.deleteAccount('ada@example.org'), false);
    for (const { hash, prefix } of gone) {
      assert.is(await store.findKey(hash), undefined);
      assert.is(await store.keyByPrefix(prefix), undefined);
    }
    assert.equal(await store.listKeys(), [left.issued]);
    const anew = await issue(store, 'ada@example.org', LATER);
    assert.is(anew.issued.account.tier, 'free');
    assert.is.not(anew.issued.account.id, gone[0]?.issued.account.id);
  });

  test('concurrent issues for one new address make one account', async ({ store }) => {
    const issues = await Promise.all(Array.from({ length: 50 }, () => issue(store, 'ada@example.org')));
    assert.is(new Set(issues.map(({ issued }) => issued.account.id)).size, 1);
    assert.is((await store.listKeys()).length, 50);
  });

  test('several processes that issue for one new address make one account', async ({ place, store }) => {
    const args = ['keys', 'issue', 'ada@example.org', '--store', place.address];
    const processes = [1, 2, 3].map(() => runCli(args));
    await issue(store, 'ada@example.org');
    for (const { code, stderr } of await Promise.all(processes)) assert.is(code, 0, stderr);
    const keys = await store.listKeys();
    assert.is(keys.length, 4);
    assert.is(new Set(keys.map(({ account }) => account.id)).size, 1);
  });

  test('a key that another process revokes is seen as revoked at once', async ({ place, store }) => {
    const { prefix, hash } = await issue(store, 'ada@example.org');
    assert.is(must(await store.findKey(hash)).key.revoked_at, null);
    const { code, stderr } = await runCli(['keys', 'revoke', prefix, '--store', place.address]);
    assert.is(code, 0, stderr);
    assert.is.not(must(await store.findKey(hash)).key.revoked_at, null);
  });

  test('what was written is there after closing and opening again', async (context) => {
    const { issued, hash } = await issue(context.store, 'ada@example.org', NOW, PRO);
    await context.store.close();
    context.store = await context.place.open();
    assert.equal(await context.store.findKey(hash), issued);
  });

  test('no key is kept anywhere, only its hash', async ({ place, store }) => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => issue(store, 'ada@example.org')));
    await store.revokeKey(keys[0]?.prefix ?? '', LATER);
    await store.close();
    const kept = await place.readAll();
    for (const { key, prefix, hash } of keys) {
      assert.ok(kept.includes(hash), 'the hash is kept, so what is read here is what the store holds');
      assert.not.ok(kept.includes(key));
      assert.not.ok(kept.includes(key.slice(prefix.length)), 'nor what follows its prefix');
    }
  });

  test('a store answers a ping until it is closed, and closing twice is harmless', async ({ store }) => {
    await store.ping();
    await store.close();
    await store.close();
    for (const ask of [
      () => store.ping(),
      () => store.findKey(''),
      () => store.revokeKey('', NOW),
      () => store.countRequest('a', LIMITS),
      () => store.readCounters('a'),
    ]) {
      assert.instance(await ask().catch((error: unknown) => error), StoreError);
    }
  });

  test('a rotated key is replaced by another of its account, and ends at the time chosen', async ({
    store,
  }) => {
    const old = await issue(store, 'ada@example.org', NOW, PRO);
    const { prefix, hash } = createKey();
    const replaces = { prefix: old.prefix, at: LATER };
    const issued = must(await store.issueKey({ email: 'ada@example.org', prefix, hash, replaces, now: NOW }));
    assert.equal(issued.account, old.issued.account);
    assert.is(issued.key.revoked_at, null);
    const ending = must(await store.findKey(old.hash)).key;
    assert.is(ending.revoked_at, new Date(LATER).toISOString());
    assert.equal([isRevoked(ending, LATER - 1), isRevoked(ending, LATER)], [false, true]);
    assert.is(must(await store.revokeKey(old.prefix, NOW)).key.revoked_at, NOW_TEXT, 'it can end before');
    const third = createKey();
    await store.issueKey({ ...third, email: 'ada@example.org', replaces, now: NOW });
    assert.is(must(await store.findKey(old.hash)).key.revoked_at, NOW_TEXT, 'and no later');
  });

  test('a tier is granted to an account that there is, and to no other', async ({ store }) => {
    const { hash, issued } = await issue(store, 'ada@example.org');
    assert.equal(await store.grantTier('ada@example.org', PRO), { ...issued.account, ...PRO });
    assert.is(must(await store.findKey(hash)).account.tier, 'pro');
    assert.is(await store.grantTier('bob@example.org', PRO), undefined);
    assert.is(await store.accountByEmail('bob@example.org'), undefined);
  });

  test('an account is found with its keys, the oldest first', async ({ store }) => {
    const second = await issue(store, 'ada@example.org', LATER);
    const first = await issue(store, 'ada@example.org', NOW);
    await issue(store, 'bob@example.org');
    assert.equal(await store.accountByEmail('ada@example.org'), {
      account: first.issued.account,
      keys: [first.issued.key, second.issued.key],
    });
  });

  test('the revision changes with all that takes effect on keys there are, in every process', async ({
    place,
    store,
  }) => {
    const other = await place.open();
    try {
      const { prefix } = await issue(store, 'ada@example.org');
      const replaces = { prefix, at: LATER };
      const changes = [
        () => store.grantTier('ada@example.org', PRO),
        () => issue(store, 'ada@example.org', NOW, PRO),
        () => store.issueKey({ ...createKey(), email: 'ada@example.org', replaces, now: NOW }),
        () => store.revokeKey(prefix, NOW),
        () => store.deleteAccount('ada@example.org'),
      ];
      for (const change of changes) {
        const before = other.revision();
        await change();
        while (other.revision() === before) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      await other.close();
    }
  });

  test('requests count up to the caps, each account for itself', async ({ store, clock }) => {
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
    const { counters } = await store.readCounters('a');
    assert.equal(counters, { times: [clock.now], day: Math.floor(NOW / DAY_MS), count: LIMITS.minute + 1 });
    assert.equal((await store.readCounters('c')).counters, { ...UNUSED, day: Math.floor(NOW / DAY_MS) });
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

  test('what is taken back was never counted', async ({ store, clock }) => {
    const first = await store.countRequest('a', LIMITS);
    clock.now += 5;
    await store.countRequest('a', LIMITS);
    const { counters } = await store.uncountRequest('a', first.at);
    assert.equal([counters.times, counters.count], [[clock.now], 1]);
    assert.equal((await store.uncountRequest('a', first.at)).counters, counters, 'once only');
    assert.equal((await store.readCounters('a')).counters, counters);
  });

  test('a clock that is set back locks nobody out for longer than a window', async ({ store, clock }) => {
    for (let n = 0; n < LIMITS.minute; n++) await store.countRequest('a', LIMITS);
    clock.now -= 3_600_000;
    assert.is((await store.countRequest('a', LIMITS)).admitted, false);
    clock.now += 60_000;
    assert.is((await store.countRequest('a', LIMITS)).admitted, true);
  });

  test('at random times it admits exactly what the caps allow', async ({ store, clock }) => {
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

  test('many at once are counted exactly', async ({ store }) => {
    const all = await Promise.all(Array.from({ length: 500 }, () => store.countRequest('a', LIMITS)));
    assert.is(all.filter(({ admitted }) => admitted).length, LIMITS.minute);
  });

  test('a deleted account leaves no counters', async ({ store }) => {
    const { issued } = await issue(store, 'ada@example.org');
    await store.countRequest(issued.account.id, LIMITS);
    await store.deleteAccount('ada@example.org');
    assert.is((await store.readCounters(issued.account.id)).counters.count, 0);
  });

  all.run();
}

/** The caps as they are promised, counted one by one. */
function isAllowed(admitted: readonly number[], now: number, limits: Limits): boolean {
  const today = new Date(now).toISOString().slice(0, 10);
  const inMinute = admitted.filter((time) => time > now - 60_000);
  const inDay = admitted.filter((time) => new Date(time).toISOString().startsWith(today));
  return inMinute.length < limits.minute && inDay.length < limits.day;
}

/** Issues a new key, and tells it along with what the store made of it. */
async function issue(store: Store, email: string, now = NOW, grant?: Grant) {
  const { key, prefix, hash } = createKey();
  const issued = must(await store.issueKey({ email, prefix, hash, ...(grant && { grant }), now }));
  return { key, prefix, hash, issued };
}

function must(issued: IssuedKey | undefined): IssuedKey {
  assert.ok(issued, 'expected a key');
  return issued as IssuedKey;
}
