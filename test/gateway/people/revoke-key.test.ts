import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/access/api-key.ts';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { revocationEndpoint } from '../../../gateway/people/revoke-key.ts';
import { keyOfPrefix } from '../../../gateway/store/keys.ts';
import { issueKey, NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { issueKey as issueWith } from '../../support/issue-key.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';
import { type Place, sqlitePlace } from '../store/engines.ts';

const test = suite<{ gateway: TestGateway; place: Place }>('POST /keys/revoke');
test.before.each(async (context) => {
  const { clientAddress } = readTrustedProxies('1');
  context.place = sqlitePlace();
  context.gateway = await startGateway(SAMPLE_GAMES, {
    // The machine's clock jumped, and the gateway does not follow it yet.
    openStore: () => context.place.open({ now: () => NOON + 60_000 }),
    clientAddress,
    endpoints: (parts) => [revocationEndpoint(parts)],
  });
});
test.after.each(async ({ gateway, place }) => {
  await gateway.stop();
  await place.remove();
});

const FORM = 'application/x-www-form-urlencoded';

function send({ address }: TestGateway, body: string, type = FORM) {
  const headers = { 'Content-Type': type, 'X-Forwarded-For': '203.0.113.7' };
  return fetch(`${address}/keys/revoke`, { method: 'POST', headers, body });
}

const revoke = (gateway: TestGateway, key: string) => send(gateway, `key=${key}`);

async function isRefused(gateway: TestGateway, key: string): Promise<boolean> {
  return (await gateway.ask('/api/games', { key })).status === 401;
}

test('revokes the key in a form, at once and only this one', async ({ gateway }) => {
  const key = await issueKey(gateway.store, 'pro');
  const response = await send(gateway, `key=${key}&x=y`, `${FORM}; charset=utf-8`);
  assert.equal([response.status, await response.text()], [204, '']);
  assert.is(response.headers.get('cache-control'), 'no-store');
  await until(() => isRefused(gateway, key));
  assert.is((await gateway.ask('/api/games', { key: gateway.keys.pro })).status, 200);
});

test('a browser key, which everyone can read, is not revoked, and the response says so', async ({
  gateway,
}) => {
  const { store } = gateway;
  const browser = { origins: ['https://example.org'], limits: { minute: 1, day: 1 } };
  const { secret: key } = await issueWith(store, { email: 'pro@example.org', options: { browser } });
  const response = await revoke(gateway, key);
  assert.is(response.status, 400);
  assert.match(
    ((await response.json()) as { detail: string }).detail,
    /browser key, which is public by design/,
  );
  assert.is((await keyOfPrefix(store, key.slice(0, 12)))?.key.revoked_at, null);
});

test('the response is the same whether the key works, has ended or never existed', async ({ gateway }) => {
  const key = await issueKey(gateway.store, 'pro');
  const responses = [
    await revoke(gateway, key),
    await revoke(gateway, key),
    await revoke(gateway, createKey().key),
  ];
  const seen = responses.map(({ status, headers }) => {
    const { date: _, 'x-request-id': __, ...rest } = Object.fromEntries(headers);
    return [status, rest];
  });
  assert.equal(new Set(seen.map((each) => JSON.stringify(each))).size, 1);
  assert.is(seen[0]?.[0], 204);
  const revoked = await keyOfPrefix(gateway.store, key.slice(0, 12));
  assert.is(revoked?.key.revoked_at, '2026-06-01T12:01:00.000Z');
});

test('what is not a key in a body is a 4xx that does not repeat it', async ({ gateway }) => {
  const mistyped = `${gateway.keys.pro.slice(0, -1)}${gateway.keys.pro.endsWith('a') ? 'b' : 'a'}`;
  const wrong: [body: string, type: string, status: number][] = [
    [`key=${mistyped}`, FORM, 400],
    ['', FORM, 400],
    ['key=%ff', FORM, 400],
    [mistyped, 'text/plain', 415],
    [JSON.stringify({ key: mistyped }), 'application/json', 415],
    [`key=${'x'.repeat(5000)}`, FORM, 413],
  ];
  for (const [body, type, status] of wrong) {
    const response = await send(gateway, body, type);
    const text = await response.text();
    assert.is(response.status, status, body.slice(0, 40));
    assert.not.ok(text.includes(mistyped.slice(14, 30)), text);
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
  }
  const read = await fetch(`${gateway.address}/keys/revoke?key=${gateway.keys.pro}`);
  assert.equal([read.status, read.headers.get('allow')], [405, 'POST, OPTIONS']);
  assert.not.ok(await isRefused(gateway, gateway.keys.pro));
});

test.run();
