import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTrustedProxies } from '../../gateway/http/client-address.ts';
import { createOutbox } from '../../gateway/mail/outbox.ts';
import { readPlatforms } from '../../gateway/membership/platforms.ts';
import { webhookEndpoints } from '../../gateway/membership/webhooks.ts';
import { signupEndpoints } from '../../gateway/signup/endpoints.ts';
import { NOON, startGateway } from './harness.ts';
import { readMail } from './mail/smtp-server.ts';
import { patreonHeaders, patreonPayload, SECRET } from './membership/payloads.ts';
import { OVER_TIME } from './over-time.ts';
import { keyOn, tokenIn } from './signup/world.ts';

const ADDRESS = 'ada@example.org';
const PUBLIC_URL = 'http://127.0.0.1:3000';

test('from an empty machine: sign up, use the key up, become Pro, read history, cancel, fall back', async () => {
  const outbox = await mkdtemp(path.join(tmpdir(), 'outbox-'));
  const platforms = readPlatforms({ PATREON_WEBHOOK_SECRET: SECRET, PATREON_MIN_CENTS: '500' });
  const gateway = await startGateway(OVER_TIME, NOON, undefined, (parts) => [
    ...signupEndpoints({
      ...parts,
      mailer: createOutbox(outbox, parts),
      clientAddress: readTrustedProxies(''),
      publicUrl: () => PUBLIC_URL,
    }),
    ...webhookEndpoints({ ...parts, platforms }),
  ]);
  const submit = async (target: string, fields: Record<string, string>) => {
    const init = { method: 'POST', body: new URLSearchParams(fields) };
    return await (await fetch(gateway.address + target, init)).text();
  };
  const tell = async (body: string) => {
    const init = { method: 'POST', headers: patreonHeaders(body), body };
    return (await fetch(`${gateway.address}/webhooks/patreon`, init)).status;
  };
  try {
    await submit('/signup', { email: ADDRESS });
    const [file = ''] = await readdir(outbox);
    const { text } = readMail(await readFile(path.join(outbox, file), 'utf8'));
    const [link = ''] = /^http:\S+$/m.exec(text) ?? [];
    const key = keyOn(await submit('/signup/key', { token: tokenIn(link) })) ?? '';

    const ask = async (target: string) => (await gateway.ask(target, { key })).status;
    const HISTORY = '/api/saga/history';
    for (let count = 0; count < 9; count++) assert.is(await ask('/api/games'), 200);
    assert.is(await ask(HISTORY), 403, 'the tenth, which counts as well');
    assert.is(await ask('/api/games'), 429, 'the eleventh');

    assert.is(await tell(patreonPayload({ email: ADDRESS })), 204);
    assert.is(await ask(HISTORY), 200, 'Pro, without a cap, with the same key');

    const cancelled = { email: ADDRESS, status: 'former_patron', nextChargeAt: null, cents: 0 };
    assert.is(await tell(patreonPayload(cancelled)), 204);
    assert.is(await ask(HISTORY), 200, 'what was paid for stays');
    const me = await gateway.ask('/api/me', { key });
    gateway.clock.now = Date.parse(me.json<{ pro_until: string }>().pro_until);
    assert.is(await ask(HISTORY), 403);
    assert.is(await ask('/api/games'), 200);
    assert.is((await gateway.ask('/api/me', { key })).json<{ tier: string }>().tier, 'free');
  } finally {
    await gateway.stop();
    await rm(outbox, { recursive: true });
  }
});

test.run();
