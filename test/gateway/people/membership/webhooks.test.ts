import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Environment, Platform } from '../../../../gateway/people/membership/platform.ts';
import { readPlatforms } from '../../../../gateway/people/membership/platforms.ts';
import { webhookEndpoints } from '../../../../gateway/people/membership/webhooks.ts';
import { NOON, startGateway, type TestGateway } from '../../../support/harness.ts';
import { OVER_TIME } from '../../../support/over-time.ts';
import { sendRaw } from '../../../support/send-raw.ts';
import { until } from '../../../support/until.ts';
import { kofiBody, patreonHeaders, patreonPayload, SECRET, TOKEN } from './payloads.ts';

const SETTINGS: Environment = {
  PATREON_WEBHOOK_SECRET: SECRET,
  PATREON_MIN_CENTS: '500',
  KOFI_VERIFICATION_TOKEN: TOKEN,
  KOFI_TIERS: 'Gold',
};
const EMAIL = 'free@example.org';
const JULY = '2026-07-01T00:00:00.000Z';
const GRACE = '2026-07-08T00:00:00.000Z';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const webhooks = suite<{ gateway: TestGateway }>('webhooks');
webhooks.before.each(async (context) => {
  context.gateway = await start(readPlatforms(SETTINGS));
});
webhooks.after.each(({ gateway }) => gateway.stop());

function start(platforms: Platform[]): Promise<TestGateway> {
  return startGateway(OVER_TIME, { endpoints: (parts) => webhookEndpoints({ platforms, ...parts }) });
}

/** Sends a webhook. @returns the status, and the code of the problem, if any */
async function send(
  { address }: TestGateway,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<[status: number, code?: string]> {
  const response = await fetch(address + path, { method: 'POST', body, headers });
  const text = await response.text();
  return text === '' ? [response.status] : [response.status, JSON.parse(text).code];
}

function sendPatreon(gateway: TestGateway, body: string, headers = patreonHeaders(body)) {
  return send(gateway, '/webhooks/patreon', body, headers);
}

function sendKofi(gateway: TestGateway, body: string) {
  return send(gateway, '/webhooks/ko-fi', body, FORM);
}

async function me(gateway: TestGateway): Promise<{ tier: string; pro_until: string | null }> {
  const { tier, pro_until } = (await gateway.ask('/api/me', { key: gateway.keys.free })).json<{
    tier: string;
    pro_until: string | null;
  }>();
  return { tier, pro_until };
}

/** Waits until a gateway has read a change of the account: it sees it within a second. */
async function untilMe(gateway: TestGateway, expected: object): Promise<void> {
  await until(async () => JSON.stringify(await me(gateway)) === JSON.stringify(expected));
}

async function historyStatus(gateway: TestGateway): Promise<number> {
  return (await gateway.ask('/api/saga/history', { key: gateway.keys.free })).status;
}

webhooks(
  'a webhook makes an account Pro; after a cancellation Pro lasts until the paid period ends',
  async ({ gateway }) => {
    assert.is(await historyStatus(gateway), 403);
    const paid = patreonPayload({ email: 'Free@Example.org' });
    assert.equal(await sendPatreon(gateway, paid), [204]);
    await untilMe(gateway, { tier: 'pro', pro_until: GRACE });
    assert.is(await historyStatus(gateway), 200);

    const cancelled = patreonPayload({ email: EMAIL, status: 'former_patron', nextChargeAt: null, cents: 0 });
    assert.equal(
      await sendPatreon(gateway, cancelled, patreonHeaders(cancelled, 'members:pledge:delete')),
      [204],
    );
    await untilMe(gateway, { tier: 'pro', pro_until: JULY });
    gateway.clock.now = Date.parse(JULY) - 1;
    assert.is(await historyStatus(gateway), 200);
    gateway.clock.now = Date.parse(JULY);
    assert.is(await historyStatus(gateway), 403);
    await untilMe(gateway, { tier: 'free', pro_until: null });

    for (const replayed of [
      paid,
      cancelled,
      patreonPayload({ email: EMAIL, chargedAt: '2026-05-01T08:00:10Z' }),
    ]) {
      assert.equal(await sendPatreon(gateway, replayed), [204]);
      assert.is(await historyStatus(gateway), 403);
    }
    const again = patreonPayload({ email: EMAIL, chargedAt: JULY, nextChargeAt: '2026-08-01T00:00:00Z' });
    assert.equal(await sendPatreon(gateway, again), [204]);
    await untilMe(gateway, { tier: 'pro', pro_until: '2026-08-08T00:00:00.000Z' });
  },
);

webhooks('a refund ends Pro at once', async ({ gateway }) => {
  await sendPatreon(gateway, patreonPayload({ email: EMAIL }));
  await until(async () => (await historyStatus(gateway)) === 200);
  await sendPatreon(gateway, patreonPayload({ email: EMAIL, charge: 'Refunded' }));
  await until(async () => (await historyStatus(gateway)) === 403);
});

webhooks('a payment on Ko-fi counts for 35 days, and only once when it is repeated', async ({ gateway }) => {
  const days = (count: number) => new Date(NOON + count * 86_400_000).toISOString();
  assert.equal(await sendKofi(gateway, kofiBody({ email: EMAIL, message_id: 'a' })), [204]);
  await untilMe(gateway, { tier: 'pro', pro_until: days(35) });
  gateway.clock.now = NOON + 30 * 86_400_000;
  assert.equal(await sendKofi(gateway, kofiBody({ email: EMAIL, message_id: 'a', amount: '50.00' })), [204]);
  await untilMe(gateway, { tier: 'pro', pro_until: days(35) });
  assert.equal(await sendKofi(gateway, kofiBody({ email: EMAIL, message_id: 'b' })), [204]);
  await untilMe(gateway, { tier: 'pro', pro_until: days(65) });
  gateway.clock.now = NOON + 65 * 86_400_000;
  assert.is(await historyStatus(gateway), 403);
});

webhooks('a tip is accepted, but does not buy Pro', async ({ gateway }) => {
  assert.equal(await sendKofi(gateway, kofiBody({ email: EMAIL, is_subscription_payment: false })), [204]);
  assert.is(await historyStatus(gateway), 403);
});

webhooks('a webhook that is forged or incomplete does not make an account Pro', async ({ gateway }) => {
  const body = patreonPayload({ email: EMAIL });
  const other = patreonHeaders(patreonPayload({ email: 'eve@example.org' }));
  const unsigned = { 'content-type': 'application/json', 'x-patreon-event': 'members:update' };
  for (const headers of [unsigned, { ...unsigned, 'x-patreon-signature': '' }, other]) {
    assert.equal(await sendPatreon(gateway, body, headers), [403, 'invalid-signature']);
  }
  assert.equal(await sendPatreon(gateway, '{}'), [400, 'invalid-parameter']);
  assert.equal(await sendPatreon(gateway, ''), [400, 'invalid-parameter']);
  assert.equal(await sendKofi(gateway, kofiBody({ email: EMAIL, verification_token: 'guess' })), [
    403,
    'invalid-signature',
  ]);
  assert.equal(await sendKofi(gateway, 'data='), [400, 'invalid-parameter']);
  const large = patreonPayload({ email: EMAIL }).replace('}', `,"x":"${'x'.repeat(65_536)}"}`);
  assert.equal(await sendPatreon(gateway, large), [413, 'body-too-large']);

  const headers = Object.entries(patreonHeaders(body)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST /webhooks/patreon HTTP/1.1\r\nHost: x\r\n${headers.join('')}`;
  const half = body.slice(0, 400);
  const cut = [
    `${head}Content-Length: ${body.length}\r\n\r\n${half}`,
    `${head}Content-Length: ${half.length}\r\nConnection: close\r\n\r\n${half}`,
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
  ];
  for (const text of cut) assert.not.match(await sendRaw(gateway, text, true), /^HTTP\/1\.1 2/);
  assert.is(await historyStatus(gateway), 403);
});

webhooks('only POST is allowed', async ({ gateway }) => {
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    const response = await fetch(`${gateway.address}/webhooks/patreon`, { method });
    assert.equal([response.status, response.headers.get('allow')], [405, 'POST, OPTIONS'], method);
  }
});

webhooks('the log shows the effects, and neither email addresses nor secrets', async ({ gateway }) => {
  await sendPatreon(gateway, patreonPayload({ email: EMAIL }));
  await sendPatreon(gateway, patreonPayload({ email: EMAIL }));
  await sendPatreon(gateway, patreonPayload({ email: 'nobody-yet@example.org', user: '2' }));
  await sendPatreon(gateway, patreonPayload({ email: EMAIL, charge: 'Fraud' }));
  await sendKofi(gateway, kofiBody({ email: EMAIL, tier_name: 'Tin' }));
  const entries = gateway.logged
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'webhook');
  assert.equal(
    entries.map(({ platform, event, effect }) => [platform, event, effect]),
    [
      ['patreon', 'members:update', `Pro until ${GRACE}`],
      ['patreon', 'members:update', 'unchanged'],
      ['patreon', 'members:update', `Pro until ${GRACE}, waiting for an account`],
      ['patreon', 'members:update', 'Pro ended'],
      ['ko-fi', 'payment', 'ignored: its tier and amount do not buy Pro'],
    ],
  );
  const log = gateway.logged.join('\n');
  for (const secret of ['@example', TOKEN, SECRET, '719414']) assert.not.match(log, secret);
});

webhooks('the log shows that the operator configured a wrong secret', async ({ gateway }) => {
  const body = patreonPayload({ email: EMAIL });
  await sendPatreon(gateway, body, patreonHeaders(body, 'members:update', 'another secret'));
  await sendPatreon(gateway, '{"data":{"email":"free@example.org"}}');
  const refused = gateway.logged
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'a webhook was refused');
  assert.equal(
    refused.map(({ platform, level }) => [platform, level]),
    [
      ['patreon', 'error'],
      ['patreon', 'error'],
    ],
  );
  assert.match(refused[0].reason, /X-Patreon-Signature does not match the body/);
  assert.match(refused[1].reason, /the payload at \/data must have required property 'attributes'/);
  const log = gateway.logged.join('\n');
  for (const secret of ['@example', SECRET]) assert.not.match(log, secret);
});

webhooks.run();

const unconfigured = suite('webhooks of platforms that are not configured');
unconfigured('respond 404', async () => {
  const [patreon] = readPlatforms({ PATREON_TIERS: 'Gold' });
  const gateway = await start(patreon ? [patreon] : []);
  try {
    const body = patreonPayload({ email: EMAIL });
    for (const path of ['/webhooks/patreon', '/webhooks/ko-fi']) {
      assert.equal(await send(gateway, path, body, patreonHeaders(body)), [404, 'not-found']);
      assert.is((await fetch(gateway.address + path)).status, 404);
    }
    assert.is(await historyStatus(gateway), 403);
  } finally {
    await gateway.stop();
  }
});
unconfigured.run();
