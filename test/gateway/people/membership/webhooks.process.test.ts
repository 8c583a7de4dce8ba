import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPlatforms } from '../../../../gateway/people/membership/platforms.ts';
import { webhookEndpoints } from '../../../../gateway/people/membership/webhooks.ts';
import { openRedisStore } from '../../../../gateway/redis/redis-store.ts';
import { startGateway } from '../../../support/harness.ts';
import { OVER_TIME } from '../../../support/over-time.ts';
import { withRedis } from '../../../support/skip.ts';
import { until } from '../../../support/until.ts';
import { startRedis } from '../../store/redis-server.ts';
import { patreonHeaders, patreonPayload, SECRET } from './payloads.ts';

const outage = suite('webhooks without a store');

withRedis(outage)('are refused, so that the platform sends them again', async () => {
  const redis = await startRedis();
  const platforms = readPlatforms({ PATREON_WEBHOOK_SECRET: SECRET, PATREON_MIN_CENTS: '500' });
  const gateway = await startGateway(OVER_TIME, {
    openStore: (log) => openRedisStore(redis.address, { log }),
    endpoints: (parts) => webhookEndpoints({ platforms, ...parts }),
  });
  const body = patreonPayload({ email: 'free@example.org' });
  const request = { method: 'POST', body, headers: patreonHeaders(body) };
  const send = () => fetch(`${gateway.address}/webhooks/patreon`, request);
  const askHistory = () => gateway.ask('/api/saga/history', { key: gateway.keys.free });
  try {
    await redis.signal('SIGKILL');
    const response = await send();
    assert.is(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    await redis.start();
    await until(async () => (await send()).status === 204);
    await until(async () => (await askHistory()).status === 200);
  } finally {
    await gateway.stop();
    await redis.remove();
  }
});

outage.run();
