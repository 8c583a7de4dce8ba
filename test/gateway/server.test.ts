import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { People } from '../../gateway/api/people.ts';
import { createKey } from '../../gateway/access/api-key.ts';
import type { IssuedKey } from '../../gateway/access/account.ts';
import { startGateway } from '../support/harness.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';

const { key, prefix, hash } = createKey();
const created_at = '2026-01-01T00:00:00.000Z';
const ISSUED: IssuedKey = {
  key: { prefix, hash, account: 'a', created_at, revoked_at: null },
  account: { id: 'a', email: 'ann@example.org', tier: 'pro', pro_until: null, created_at },
};

/** What the core needs to know without people/: the account of a key. */
const ONE_KEY: People = {
  findKey: async (asked) => (asked === hash ? ISSUED : undefined),
};

test('a gateway without people/ serves the API, and responds with 404 at the addresses of pages', async () => {
  const gateway = await startGateway(SAMPLE_GAMES, { people: () => ONE_KEY });
  try {
    const ask = (path: string, headers = {}) => gateway.ask(path, { key, headers });
    assert.is((await ask('/api/games')).json<{ total: number }>().total, 2);
    assert.is((await ask('/api/star-rail/characters?rarity=5')).status, 200);
    assert.is((await gateway.ask('/api/games')).status, 401, 'a key in the store, which is not used');
    assert.is((await ask('/api/me')).json<{ follows: null }>().follows, null);
    assert.is((await fetch(`${gateway.address}/api/events`, { headers: { 'x-api-key': key } })).status, 404);
    for (const page of ['/signup', '/account', '/claim', '/webhooks/patreon', '/feeds/token']) {
      const response = await ask(page);
      assert.is(response.status, 404, page);
      assert.is(response.headers.get('content-type'), 'application/problem+json', page);
    }
  } finally {
    await gateway.stop();
  }
});

test('a gateway is not ready when it shuts down', async () => {
  const gateway = await startGateway(SAMPLE_GAMES);
  assert.is(await gateway.gateway.findUnreadiness(), undefined);
  await gateway.gateway.close();
  assert.is(await gateway.gateway.findUnreadiness(), 'the gateway is shutting down');
  await gateway.stop();
});

test.run();
