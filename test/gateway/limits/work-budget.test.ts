import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addNewKey, findKey } from '../../../gateway/store/accounts/accounts.ts';
import { OPERATOR } from '../../../gateway/store/accounts/ports.ts';
import { HttpProblem } from '../../../gateway/http/problem.ts';
import { readKey } from '../../../gateway/access/api-key.ts';
import { countWork, WORK } from '../../../gateway/http/work.ts';
import { type Holder, holderOf } from '../../../gateway/access/account.ts';
import { transact } from '../../../gateway/store/transaction.ts';
import { WorkBudget, type WorkTerms } from '../../../gateway/limits/client-limits.ts';
import { accountByEmail } from '../../../gateway/people/accounts/account-records.ts';
import { makeAddress } from '../../../gateway/people/accounts/addresses.ts';
import { readAddressTerms } from '../../../gateway/people/accounts/read-address-terms.ts';
import { addressPath } from '../../../gateway/addresses/address-terms.ts';
import { keyFields } from '../../../gateway/key-terms/shared/key-changes.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const KEY: Holder = { account: 'ada', secret: 'key', weight: 10 };
const OTHER_KEY: Holder = { account: 'ada', secret: 'other key', weight: 10 };
const ADDRESS: Holder = { account: 'ada', secret: 'address', weight: 1 };
const STRANGER: Holder = { account: 'bob', secret: 'key', weight: 10 };

const test = suite<{ clock: { now: number }; budget: WorkBudget; use(ms: number, holder?: Holder): void }>(
  'the work of accounts without caps',
);

test.before.each((context) => {
  const clock = { now: 1000 };
  const budget = new WorkBudget({ clock: () => clock.now });
  Object.assign(context, {
    clock,
    budget,
    use: (ms: number, holder = KEY) => budget.run(holder, () => countWork(1000 * ms)),
  });
});

function refusalOf(work: () => void): HttpProblem {
  try {
    work();
  } catch (error) {
    assert.instance(error, HttpProblem);
    return error as HttpProblem;
  }
  throw new Error('the request was admitted');
}

test('a burst is admitted, then the key waits until it has refilled; other accounts do not', ({
  clock,
  use,
}) => {
  for (let count = 0; count < 11; count++) use(1000);
  const { status, headers, message } = refusalOf(() => use(1000));
  assert.is(status, 429);
  assert.equal(headers, {
    'RateLimit-Policy': '"cpu";q=10000;w=40;qu="ms"',
    RateLimit: '"cpu";r=0;t=4',
    'Retry-After': 4,
  });
  assert.match(message, /10 s at once, and 25 % of a processor over time; the next one is admitted in 4 s/);
  use(1000, STRANGER);
  clock.now += 3900;
  refusalOf(() => use(10));
  clock.now += 100;
  use(10);
});

test('work below a millisecond never counts, and time alone does not either', ({ clock, use, budget }) => {
  for (let count = 0; count < 100_000; count++) use(0.9);
  budget.run(KEY, () => {
    clock.now += 3_600_000;
  });
  assert.is(budget.usedBy(KEY), 0);
});

test('steady use of less than a quarter of the time is never refused', ({ clock, use }) => {
  for (let count = 0; count < 5000; count++) {
    use(20);
    clock.now += 81;
  }
});

test('a request that fails counts as well', ({ budget, use }) => {
  const fail = () =>
    budget.run(KEY, () => {
      countWork(20_000_000);
      throw new Error('no such game');
    });
  assert.throws(fail, /no such game/);
  assert.is(refusalOf(() => use(0)).status, 429);
});

test('what one key or address uses leaves the others their parts', ({ clock, use }) => {
  for (let count = 0; count < 11; count++) use(1000, ADDRESS);
  refusalOf(() => use(1, ADDRESS));
  for (let count = 0; count < 9; count++) use(1000);
  const { headers } = refusalOf(() => {
    use(1000);
    use(1000);
  });
  assert.is(headers['RateLimit-Policy'], '"cpu";q=9091;w=40;qu="ms"', 'ten elevenths of 10 s');
  for (let count = 0; count < 4; count++) use(1000, OTHER_KEY);
  // The keys have ten parts each of what is given back, and the address one.
  clock.now += 40_000;
  use(1);
  refusalOf(() => use(1, ADDRESS));
});

interface Published {
  gateway: TestGateway;
  /** A read-only address of the Pro account. */
  path: string;
  holders: Record<'key' | 'address' | 'neighbour', Holder>;
  neighbour: string;
}

async function holderIn({ store }: TestGateway, key: string): Promise<Holder> {
  const issued = await findKey(store, readKey(key)?.hash ?? '');
  if (!issued) throw new Error('expected a key');
  return holderOf(issued);
}

async function publish(budget: WorkBudget): Promise<Published> {
  const gateway = await startGateway(SAMPLE_GAMES, { budget });
  const { store, clock, keys } = gateway;
  const { account } = (await accountByEmail(store, 'pro@example.org')) ?? {};
  if (!account) throw new Error('expected an account');
  const request = { terms: readAddressTerms('star-rail'), name: 'sheet', actor: OPERATOR, now: clock.now };
  const made = await transact(store, (transaction) => makeAddress(transaction, account, request));
  if (!made) throw new Error('expected an address');
  const neighbour = await issueKey(store, 'pro', 'neighbour@example.org');
  return {
    gateway,
    neighbour,
    path: addressPath(made.token, { game: 'star-rail', query: 'characters.csv' }),
    holders: {
      key: await holderIn(gateway, keys.pro),
      address: holderOf({ key: made.record, account }),
      neighbour: await holderIn(gateway, neighbour),
    },
  };
}

/** All work counts, and nothing is given back. */
const COUNT_ALL: WorkTerms = { burstMs: Number.POSITIVE_INFINITY, share: 0, minMs: 0 };

test('a read-only address that has spent all it can leaves the key of its owner served', async () => {
  const { gateway, path } = await publish(new WorkBudget({ terms: { ...COUNT_ALL, burstMs: 0.02 } }));
  try {
    const spend = () => gateway.ask(path, { key: null });
    let refused = await spend();
    for (let count = 0; refused.status === 200 && count < 1000; count++) refused = await spend();
    const { code, 'violated-policies': policies } = refused.json<Record<string, unknown>>();
    assert.equal([refused.status, code, policies], [429, 'quota-exceeded', ['cpu']]);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    for (let count = 0; count < 5; count++)
      assert.is((await gateway.ask('/api/star-rail/characters?limit=2')).status, 200);
    assert.is((await spend()).status, 429);
  } finally {
    await gateway.stop();
  }
});

test('the same requests cost the same, however busy others keep the gateway and the machine', async () => {
  const budget = new WorkBudget({ terms: COUNT_ALL });
  const { gateway, holders, neighbour } = await publish(budget);
  try {
    const costOf = async (query: string) => {
      const before = budget.usedBy(holders.key);
      for (let count = 0; count < 5; count++)
        await gateway.ask(`/api/star-rail/characters?sort=name&q=a&limit=${query}${count}`);
      return budget.usedBy(holders.key) - before;
    };
    const alone = await costOf('10');
    let isOver = false;
    const load = async () => {
      while (!isOver) {
        const end = performance.now() + 20;
        while (performance.now() < end);
        await gateway.ask('/api/star-rail/characters?q=e', { key: neighbour });
      }
    };
    const loads = [load(), load()];
    const beside = await costOf('20');
    isOver = true;
    await Promise.all(loads);
    assert.ok(alone > 0);
    assert.ok(Math.abs(beside / alone - 1) < 0.01, `${beside} ms instead of ${alone} ms`);
    assert.ok(budget.usedBy(holders.neighbour) > 0, 'the neighbour pays for its own requests');
  } finally {
    await gateway.stop();
  }
});

test('what is done in steps, or after the store was asked, is counted for the key that asked', async () => {
  const budget = new WorkBudget({ terms: COUNT_ALL });
  const characters = Array.from({ length: 2500 }, (_, row) => ({
    id: `u${row}`,
    name: `U${row}`,
    a: row % 7,
  }));
  const gateway = await startGateway(
    {
      'long/game.json': { title: 'Long' },
      'long/1/build.json': { released_at: '2026-01-01' },
      'long/1/pull_planner.json': { currency: 'jade', cost: 160 },
      'long/1/characters.json': characters,
    },
    { budget },
  );
  const browser = { origins: ['https://example.org'], limits: { minute: 9, day: 9 } };
  const { key } = await transact(gateway.store, (transaction) =>
    addNewKey(transaction, {
      email: 'pro@example.org',
      grant: { tier: 'pro', pro_until: null },
      options: keyFields({ browser, expires: gateway.clock.now + 86_400_000 }),
      now: gateway.clock.now,
    }),
  );
  try {
    const costOf = async (asked: string, query: string) => {
      const holder = await holderIn(gateway, asked);
      const before = budget.usedBy(holder);
      const headers = { Origin: 'https://example.org' };
      const { status } = await gateway.ask(`/api/long/characters?${query}`, { key: asked, headers });
      assert.is(status, 200);
      return budget.usedBy(holder) - before;
    };
    // The column and the order are a step each, or more.
    assert.ok((await costOf(gateway.keys.pro, 'sort=-a&limit=1')) >= (2 * WORK.step) / 1000);
    assert.ok((await costOf(key, 'limit=1000')) > (1000 * 20 * WORK.byte) / 1000);
    assert.ok((await costOf(key, 'sort=name&limit=1')) >= (2 * WORK.step) / 1000);
  } finally {
    await gateway.stop();
  }
});

test.run();
