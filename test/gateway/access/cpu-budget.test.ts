import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CpuBudget } from '../../../gateway/access/cpu-budget.ts';
import { HttpProblem } from '../../../gateway/http/problem.ts';
import { startGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const test = suite<{ clock: { now: number }; budget: CpuBudget; use(ms: number, account?: string): void }>(
  'processor time of accounts without caps',
);

test.before.each((context) => {
  const clock = { now: 1000 };
  const budget = new CpuBudget({ clock: () => clock.now });
  Object.assign(context, {
    clock,
    budget,
    use: (ms: number, account = 'a') =>
      budget.run(account, () => {
        clock.now += ms;
      }),
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

test('a burst is admitted, then the account waits until it has refilled; others do not', ({ clock, use }) => {
  for (let count = 0; count < 14; count++) use(1000);
  const { status, headers, message } = refusalOf(() => use(1000));
  assert.is(status, 429);
  // 14 s were used in 14 s, in which a quarter was refilled: (14 - 3.25 - 10) s at a quarter of the time.
  assert.equal(headers, {
    'RateLimit-Policy': '"cpu";q=10000;w=40;qu="ms"',
    RateLimit: '"cpu";r=0;t=3',
    'Retry-After': 3,
  });
  assert.match(message, /10 s at once, and 25 % of a processor over time; the next one is admitted in 3 s/);
  use(1000, 'b');
  clock.now += 2000;
  use(10);
});

test('what takes less than a millisecond never counts', ({ clock, use }) => {
  for (let count = 0; count < 100_000; count++) use(0.9);
  use(9999);
  clock.now += 1;
  use(1);
});

test('steady use of less than a quarter of the time is never refused', ({ clock, use }) => {
  for (let count = 0; count < 5000; count++) {
    use(20);
    clock.now += 61;
  }
});

test('a request that fails counts as well', ({ clock, budget, use }) => {
  const fail = () =>
    budget.run('a', () => {
      clock.now += 20_000;
      throw new Error('no such game');
    });
  assert.throws(fail, /no such game/);
  assert.is(refusalOf(() => use(0)).status, 429);
});

test('a gateway refuses a Pro key that has used its time, and serves others', async () => {
  let now = 0;
  // By this clock, each request takes 6 s.
  const budget = new CpuBudget({ clock: () => (now += 6000), terms: { burstMs: 10_000, share: 0.01 } });
  const gateway = await startGateway(SAMPLE_GAMES, { budget });
  const { pro, free } = gateway.keys;
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++)
    statuses.push((await gateway.ask('/api/games', { key: pro })).status);
  const refused = await gateway.ask('/api/games', { key: pro });
  const served = await gateway.ask('/api/games', { key: free });
  await gateway.stop();
  assert.equal(statuses, [200, 200, 429]);
  const { code, 'violated-policies': policies } = refused.json<Record<string, unknown>>();
  assert.equal([refused.status, code, policies], [429, 'quota-exceeded', ['cpu']]);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.is(served.status, 200);
});

test.run();
