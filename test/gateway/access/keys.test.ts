import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { createKey, readKey } from '../../../gateway/access/api-key.ts';
import { transact } from '../../../gateway/store/transaction.ts';
import { MAX_FAILED } from '../../../gateway/attempts/bad-attempts.ts';
import { type KeyOptions, setKeyOptions } from '../../../gateway/key-terms/shared/key-changes.ts';
import { listKeyUses } from '../../../gateway/key-uses/key-uses.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

const test = suite<{ gateway: TestGateway }>('keys of requests');
test.before.each(async (context) => {
  const { clientAddress } = readTrustedProxies('1');
  context.gateway = await startGateway(SAMPLE_GAMES, { clientAddress });
});
test.after.each(({ gateway }) => gateway.stop());

interface Problem {
  code: string;
  detail: string;
  address?: string;
}

async function issue(gateway: TestGateway, options: KeyOptions = {}): Promise<string> {
  const key = await issueKey(gateway.store, 'pro', 'ada@example.org');
  await set(gateway, key, options);
  return key;
}

async function set({ store, clock }: TestGateway, key: string, options: KeyOptions): Promise<void> {
  const change = { by: 'operator', now: clock.now } as const;
  await transact(store, (transaction) => setKeyOptions(transaction, key.slice(0, 12), options, change));
}

function from(address: string): { headers: Record<string, string> } {
  return { headers: { 'X-Forwarded-For': address } };
}

async function codeOf(gateway: TestGateway, key: string, address = '203.0.113.7'): Promise<string> {
  const { status, json } = await gateway.ask('/api/games', { key, ...from(address) });
  return status === 200 ? '200' : json<Problem>().code;
}

test('a key works until it expires', async ({ gateway }) => {
  const key = await issue(gateway, { expires: gateway.clock.now + 60_000 });
  assert.is(await codeOf(gateway, key), '200');
  gateway.clock.now += 60_000;
  const { status, json } = await gateway.ask('/api/games', { key });
  const { code, detail } = json<Problem>();
  assert.equal([status, code], [401, 'invalid-key']);
  assert.match(detail, /^the key gdr_\w{8}… expired at 2026-06-01T12:01:00\.000Z$/);
});

test('a key with networks works from these only; the problem names the address and what to do', async ({
  gateway,
}) => {
  const key = await issue(gateway, { networks: ['203.0.113.0/24', '2001:db8::/32'] });
  for (const address of ['203.0.113.7', '2001:db8:9::1', '::ffff:203.0.113.9'])
    assert.is(await codeOf(gateway, key, address), '200', address);
  const { status, json, headers } = await gateway.ask('/api/games', { key, ...from('198.51.100.4') });
  const { code, detail, address } = json<Problem>();
  assert.equal([status, code, address], [403, 'network-not-allowed', '198.51.100.4']);
  assert.match(detail, /^the request came from 198\.51\.100\.4, .* add the address to the list on \/account/);
  assert.not.match(detail, /203\.0\.113/, 'the list itself is not shown');
  assert.is(headers.get('ratelimit'), null);
  await set(gateway, key, { networks: null });
  await until(async () => (await codeOf(gateway, key, '198.51.100.4')) === '200');
});

test('addresses that a client invents before the proxy do not count', async ({ gateway }) => {
  const key = await issue(gateway, { networks: ['203.0.113.7'] });
  assert.is(await codeOf(gateway, key, '203.0.113.7, 198.51.100.4'), 'network-not-allowed');
});

test('/api/me shows the name and the end of the key in use', async ({ gateway }) => {
  const key = await issue(gateway, { name: 'my <bot>', expires: gateway.clock.now + 86_400_000 });
  const me = async (used: string) =>
    (await gateway.ask('/api/me', { key: used })).json<{ key: object }>().key;
  assert.equal(await me(key), {
    prefix: key.slice(0, 12),
    name: 'my <bot>',
    created_at: '2026-06-01T12:00:00.000Z',
    expires_at: '2026-06-02T12:00:00.000Z',
    browser: null,
  });
  const plain = await me(gateway.keys.free);
  assert.equal(
    { ...plain, prefix: '', created_at: '' },
    {
      prefix: '',
      name: null,
      created_at: '',
      expires_at: null,
      browser: null,
    },
  );
});

test('requests write nothing to the records; the use of each key follows, Pro keys included', async ({
  gateway,
}) => {
  const { store, keys } = gateway;
  let commits = 0;
  const commit = store.commit.bind(store);
  store.commit = (change) => {
    commits++;
    return commit(change);
  };
  for (const key of [keys.pro, keys.pro, keys.pro, keys.free])
    await gateway.ask('/api/games', { key, ...from('203.0.113.7') });
  await gateway.ask('/api/games', { key: createKey().key });
  assert.is(commits, 0);
  await gateway.gateway.close();
  assert.is(commits, 1);
  const uses = await listKeyUses(store);
  const useOf = (key: string) => uses.get(readKey(key)?.hash ?? '');
  const at = '2026-06-01T12:00:00.000Z';
  assert.equal(useOf(keys.pro), { at, network: '203.0.113.7', days: { '2026-06-01': 3 } });
  assert.equal(useOf(keys.free)?.days, { '2026-06-01': 1 });
  assert.is(uses.size, 2);
});

test('a network that sends many bad keys is refused for bad keys only, and its good keys work', async ({
  gateway,
}) => {
  const bad = () => [createKey().key, 'gdr_mistyped', gateway.keys.pro.toUpperCase()];
  const codes: string[] = [];
  for (let n = 0; n < 25; n++) {
    for (const key of bad()) codes.push(await codeOf(gateway, key));
    if (n % 5 === 0) assert.is(await codeOf(gateway, gateway.keys.pro), '200');
  }
  assert.equal(new Set(codes.slice(0, MAX_FAILED)), new Set(['invalid-key']));
  assert.equal(new Set(codes.slice(MAX_FAILED)), new Set(['too-many-attempts']));
  const { status, headers } = await gateway.ask('/api/games', { key: 'x', ...from('203.0.113.7') });
  assert.is(status, 429);
  assert.ok(Number(headers.get('retry-after')) > 0);
  // A key that is not in memory, of the same network.
  assert.is(await codeOf(gateway, await issue(gateway)), '200');
  assert.is(await codeOf(gateway, createKey().key, '203.0.113.8'), 'invalid-key');
  assert.equal(gateway.gateway.state.badKeys, { refused: 61, throttled: 16 });
});

test.run();
