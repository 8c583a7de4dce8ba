import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Grant } from '../../gateway/access/account.ts';
import { createOutbox } from '../../gateway/people/mailer.ts';
import { readPlatforms, webhookEndpoints } from '../../gateway/people/membership/webhooks.ts';
import { signupEndpoints } from '../../gateway/people/sign-up.ts';
import { keyOn } from '../gateway/people/browser.ts';
import { type Member, patreonHeaders, patreonPayload, SECRET } from '../gateway/people/payloads.ts';
import { readMail } from '../gateway/people/smtp-server.ts';
import { makeFolder } from '../support/fixtures.ts';
import { startGateway, type TestGateway } from '../support/harness.ts';
import { OVER_TIME } from '../support/over-time.ts';

const EMAIL = 'ada@example.org';
const PAID_UNTIL = '2026-07-01T00:00:00.000Z';
const HISTORY = '/api/saga/history';

async function start(outbox: string): Promise<TestGateway> {
  const platforms = readPlatforms({ PATREON_WEBHOOK_SECRET: SECRET, PATREON_MIN_CENTS: '500' });
  const gateway = await startGateway(OVER_TIME, {
    endpoints: (parts) => [
      ...signupEndpoints({ ...parts, mailer: createOutbox(outbox, parts), publicUrl: () => gateway.address }),
      ...webhookEndpoints({ ...parts, platforms }),
    ],
  });
  return gateway;
}

/** Sends a form; gives the page that follows. */
async function submit(url: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  assert.is(response.status, 200);
  return await response.text();
}

async function tell({ address }: TestGateway, member: Member): Promise<void> {
  const body = patreonPayload({ email: EMAIL, ...member });
  const request = { method: 'POST', body, headers: patreonHeaders(body) };
  assert.is((await fetch(`${address}/webhooks/patreon`, request)).status, 204);
}

test('from nothing to a key, to its eleventh request, to Pro, and back when what was paid for ends', async () => {
  const outbox = await makeFolder('outbox');
  const gateway = await start(outbox);
  await submit(`${gateway.address}/signup`, { email: EMAIL });
  const [mail = ''] = await readdir(outbox);
  const { text } = readMail(await readFile(path.join(outbox, mail), 'utf8'));
  const link = new URL(/^http:\S+$/m.exec(text)?.[0] ?? '');
  assert.is(
    keyOn({ text: await (await fetch(link)).text() }),
    undefined,
    'a page that is only looked at has no key',
  );
  const token = link.searchParams.get('token') ?? '';
  const key = keyOn({ text: await submit(link.origin + link.pathname, { token }) }) ?? '';
  const status = async (address: string) => (await gateway.ask(address, { key })).status;

  for (let count = 1; count <= 9; count++) assert.is(await status('/api/games'), 200);
  assert.is(await status(HISTORY), 403, 'the tenth, which counts as well');
  const refused = await gateway.ask('/api/games', { key });
  assert.equal([refused.status, refused.headers.get('retry-after')], [429, '60']);

  await tell(gateway, {});
  assert.is(await status(HISTORY), 200, 'Pro, without a cap, with the same key');

  await tell(gateway, { status: 'former_patron', nextChargeAt: null, cents: 0 });
  const tierNow = async () => {
    const { tier, pro_until } = (await gateway.ask('/api/me', { key })).json<Grant>();
    return { tier, pro_until };
  };
  assert.equal(await tierNow(), { tier: 'pro', pro_until: PAID_UNTIL }, 'what was paid for stays');
  gateway.clock.now = Date.parse(PAID_UNTIL) - 1;
  assert.is(await status(HISTORY), 200);
  gateway.clock.now = Date.parse(PAID_UNTIL);
  assert.is(await status(HISTORY), 403);
  assert.is(await status('/api/games'), 200);
  assert.is(await status('/api/saga/characters'), 200);
  assert.equal(await tierNow(), { tier: 'free', pro_until: null });
});

test.run();
