import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listKeys } from '../../../gateway/store/keys.ts';
import { grantTier } from '../../support/accounts.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { issueKey } from '../../support/issue-key.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

const quota = suite<{ gateway: TestGateway; key: string; other: string }>('quota');
quota.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});
// Each test gets two keys of a new account.
quota.before.each(async (context) => {
  const email = `${crypto.randomUUID()}@example.org`;
  const issue = async () => {
    return (await issueKey(context.gateway.store, { email })).secret;
  };
  context.key = await issue();
  context.other = await issue();
});

const ROSTER = '/api/star-rail/characters';
const POLICY = '"minute";q=10;w=60, "day";q=200;w=86400';
// The clock of the tests is at noon.
const HALF_DAY = 43_200;

type Ask = Parameters<TestGateway['ask']>;
/** What is left of the minute and of the day, as /api/me shows it. */
async function leftOf(gateway: TestGateway, key: string): Promise<[number, number]> {
  type Me = { usage: { minute: { remaining: number }; day: { remaining: number } } };
  const { usage } = (await gateway.ask('/api/me', { key })).json<Me>();
  return [usage.minute.remaining, usage.day.remaining];
}

async function spend(gateway: TestGateway, key: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) assert.is((await gateway.ask(ROSTER, { key })).status, 200);
}

quota(
  'a free account has ten requests in any 60 seconds, with all its keys together',
  async ({ gateway, key, other }) => {
    const start = gateway.clock.now;
    for (let n = 1; n <= 10; n++) {
      const { status, headers } = await gateway.ask(ROSTER, { key: n % 2 ? key : other });
      assert.is(status, 200);
      assert.is(headers.get('ratelimit-policy'), POLICY);
      assert.is(headers.get('ratelimit'), `"minute";r=${10 - n};t=60, "day";r=${200 - n};t=${HALF_DAY}`);
    }
    gateway.clock.now = start + 18_500;
    for (const each of [key, other]) {
      const { status, headers, json } = await gateway.ask(ROSTER, { key: each });
      const problem = json<{ code: string; 'violated-policies': string[]; detail: string }>();
      assert.equal([status, problem.code, problem['violated-policies']], [429, 'quota-exceeded', ['minute']]);
      assert.match(problem.detail, /10 requests in 60 seconds; its next request is admitted in 42 s/);
      assert.is(headers.get('retry-after'), '42');
      assert.is(headers.get('ratelimit'), `"minute";r=0;t=42, "day";r=190;t=${HALF_DAY - 18}`);
    }
    gateway.clock.now = start + 59_999;
    assert.is((await gateway.ask(ROSTER, { key })).status, 429);
    gateway.clock.now = start + 60_000;
    assert.is((await gateway.ask(ROSTER, { key })).status, 200, 'refused requests did not count');
    gateway.clock.now = start;
  },
);

quota('a free account has 200 requests in a UTC day', async ({ gateway, key }) => {
  const start = gateway.clock.now;
  for (let n = 0; n < 20; n++) {
    await spend(gateway, key, 10);
    gateway.clock.now += 60_000;
  }
  const { status, headers, json } = await gateway.ask(ROSTER, { key });
  assert.equal([status, json<Record<string, unknown>>()['violated-policies']], [429, ['day']]);
  assert.is(headers.get('retry-after'), String(HALF_DAY - 1200));
  gateway.clock.now = start + HALF_DAY * 1000 - 1;
  assert.is((await gateway.ask(ROSTER, { key })).status, 429);
  gateway.clock.now += 1;
  assert.is((await gateway.ask(ROSTER, { key })).status, 200);
  gateway.clock.now = start;
});

const COUNTED: [string, ...Ask][] = [
  ['a HEAD', ROSTER, { method: 'HEAD' }],
  ['a 400', `${ROSTER}?nonsense=1`],
  ['a malformed query, conditional or not', `${ROSTER}?q=%ff`, { headers: { 'if-none-match': '*' } }],
  ['a 404', '/api/nowhere/characters'],
  ['an address that does not exist', '/api/nothing/at/all'],
  ['a condition that does not hold', ROSTER, { headers: { 'if-none-match': '"other"' } }],
];
for (const [what, target, options] of COUNTED) {
  quota(`counts ${what}, and shows what is left`, async ({ gateway, key }) => {
    const { headers } = await gateway.ask(target, { ...options, key });
    assert.is(headers.get('ratelimit'), `"minute";r=9;t=60, "day";r=199;t=${HALF_DAY}`);
    assert.equal(await leftOf(gateway, key), [9, 199]);
  });
}

quota('does not count a 304', async ({ gateway, key }) => {
  const { headers } = await gateway.ask(ROSTER, { key });
  const condition = { 'if-none-match': headers.get('etag') ?? '' };
  const all = await Promise.all(
    Array.from({ length: 20 }, () => gateway.ask(ROSTER, { key, headers: condition })),
  );
  for (const response of all) {
    assert.equal([response.status, response.headers.get('ratelimit')], [304, headers.get('ratelimit')]);
  }
  assert.equal(await leftOf(gateway, key), [9, 199]);
});

quota(
  'an account without requests left gets 429, even if nothing has changed, but can still see its usage',
  async ({ gateway, key }) => {
    const { headers } = await gateway.ask(ROSTER, { key });
    await spend(gateway, key, 9);
    const condition = { 'if-none-match': headers.get('etag') ?? '' };
    assert.is((await gateway.ask(ROSTER, { key, headers: condition })).status, 429);
    const me = await gateway.ask('/api/me', { key });
    const { limits, usage } = me.json<Record<'limits' | 'usage', unknown>>();
    const resets_at = new Date(gateway.clock.now + 60_000).toISOString();
    assert.equal(limits, { minute: 10, day: 200 });
    assert.equal(usage, {
      minute: { used: 10, remaining: 0, resets_at },
      day: { used: 10, remaining: 190, resets_at: '2026-06-02T00:00:00.000Z' },
    });
    assert.is(me.headers.get('ratelimit'), `"minute";r=0;t=60, "day";r=190;t=${HALF_DAY}`);
  },
);

quota('does not count a preflight, /api/me, or an unsupported method', async ({ gateway, key }) => {
  await gateway.ask(ROSTER, { key, method: 'OPTIONS' });
  await gateway.ask(ROSTER, { key, method: 'POST' });
  assert.equal(await leftOf(gateway, key), [10, 200]);
});

quota('does not count requests that it responds to with 503', async ({ gateway, key }) => {
  const { follower } = gateway;
  const view = follower.catalog.viewAt(gateway.clock.now, 'free');
  const game = view.games.get('star-rail') as { roster: unknown };
  const { roster } = game;
  game.roster = Object.create(roster as object, { rowOfId: { get: () => assert.unreachable('broken') } });
  const failed = await gateway.ask(`${ROSTER}/unit-1`, { key });
  game.roster = roster;
  assert.is(failed.status, 503);
  assert.equal(await leftOf(gateway, key), [10, 200]);
});

quota('an account that becomes Pro has no caps any more, with the same key', async ({ gateway, key }) => {
  await spend(gateway, key, 10);
  assert.is((await gateway.ask(ROSTER, { key })).status, 429);
  const found = (await listKeys(gateway.store)).find((issued) => key.startsWith(issued.key.prefix));
  await grantTier(gateway.store, found?.account.email ?? '', { tier: 'pro', pro_until: null });
  await until(async () => (await gateway.ask(ROSTER, { key })).status === 200);
  await spend(gateway, key, 11);
});

quota.run();
