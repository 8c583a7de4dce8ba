import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Family } from '../../../gateway/metrics/family.ts';
import { Traffic } from '../../../gateway/metrics/traffic.ts';
import { trafficFamilies } from '../../../gateway/metrics/traffic-families.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROUTES } from '../../support/routes.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { sendRaw } from '../../support/send-raw.ts';
import { until } from '../../support/until.ts';

interface Context {
  gateway: TestGateway;
  traffic: Traffic;
}

const metrics = suite<Context>('the metrics of traffic');
metrics.before.each(async (context) => {
  context.traffic = new Traffic();
  const { observe } = context.traffic;
  context.gateway = await startGateway(SAMPLE_GAMES, { observe });
});
metrics.after.each(async ({ gateway }) => {
  await gateway.stop();
});

function find(traffic: Traffic, name: string): Family {
  const family = trafficFamilies(traffic).find((each) => each.name === name);
  if (!family) throw new Error(`no metric ${name}`);
  return family;
}

function counts(traffic: Traffic): string[] {
  const { values } = find(traffic, 'gateway_requests');
  return values.map(({ labels, value }) => `${labels.route} ${labels.tier} ${labels.status} ${value}`).sort();
}

const total = (traffic: Traffic) =>
  find(traffic, 'gateway_requests').values.reduce((sum, { value }) => sum + value, 0);

metrics('count each response by its route, the tier of its caller and its status', async (context) => {
  const { gateway, traffic } = context;
  const { free, pro } = gateway.keys;
  await gateway.ask('/api/star-rail/characters?element=Pyro', { key: free });
  await gateway.ask('/api/star-rail/characters', { key: pro });
  await gateway.ask('/api/tiny-game/characters', { key: pro, method: 'HEAD' });
  await gateway.ask('/api/games', { key: null });
  await gateway.ask('/api/star-rail/history', { key: free });
  await gateway.ask('/api/no-such-game/facets', { key: pro });
  await gateway.ask('/nothing/here', { key: pro });
  await fetch(`${gateway.address}/`);
  await fetch(`${gateway.address}/favicon.svg`);
  await gateway.ask('/healthz', { key: null });
  await gateway.ask('/api/games', { key: null, method: 'DELETE' });
  await until(() => total(traffic) === 11);
  assert.equal(counts(traffic), [
    '/ none 200 1',
    '/api/:game/characters free 200 1',
    '/api/:game/characters pro 200 2',
    '/api/:game/facets pro 404 1',
    '/api/:game/history free 403 1',
    '/api/games none 401 1',
    '/healthz none 200 1',
    'asset none 200 1',
    'none none 404 1',
    'none none 405 1',
  ]);
});

metrics('count what is not a valid request under one route', async ({ gateway, traffic }) => {
  await sendRaw(gateway, 'SOMETHING ELSE\r\n\r\n');
  await sendRaw(gateway, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n');
  await until(() => total(traffic) === 2);
  assert.equal(counts(traffic), ['invalid none 400 1', 'none none 405 1']);
});

metrics('have no label that comes from a request', async ({ gateway, traffic }) => {
  const hostile = [
    '/%00',
    '/api/a"b\\n{}',
    '/x?route="',
    '/api/star-rail/{slug}',
    '/files/a/b',
    '/API/games',
  ];
  for (const target of hostile) await fetch(gateway.address + target, { headers: { 'x-api-key': '"x"' } });
  await until(() => total(traffic) === hostile.length);
  const known = new Set(['none', 'asset', ...ROUTES.map(({ path }) => path)]);
  for (const family of trafficFamilies(traffic)) {
    for (const { labels } of family.values) {
      assert.ok(labels.route === undefined || known.has(labels.route), labels.route);
      assert.match(labels.tier ?? 'none', /^(none|free|pro)$/);
    }
  }
});

metrics('count durations in buckets that add up', () => {
  const traffic = new Traffic();
  for (const ms of [0.1, 0.5, 0.6, 30, 20_000]) traffic.observe({ pattern: '/a' } as never, 200, ms);
  const { values } = find(traffic, 'gateway_request_duration_seconds');
  const shown = values.map(({ metricName = '', labels, value }) => [
    metricName.replace('gateway_request_duration_seconds_', ''),
    labels.le ?? '',
    value,
  ]);
  assert.equal(shown.slice(0, 3), [
    ['bucket', '0.0005', 2],
    ['bucket', '0.001', 3],
    ['bucket', '0.0025', 3],
  ]);
  const [infinity, sum, count] = shown.slice(-3);
  assert.equal(
    [infinity, count],
    [
      ['bucket', '+Inf', 5],
      ['count', '', 5],
    ],
  );
  assert.ok(Math.abs((sum?.[2] as number) - 20.0312) < 1e-9);
});

metrics('begin the count of failures at 0, and count every 5xx', () => {
  const traffic = new Traffic();
  assert.is(find(traffic, 'gateway_failed_requests').values[0]?.value, 0);
  for (const status of [200, 404, 500, 503]) traffic.observe({ pattern: '/a' } as never, status, 1);
  assert.is(find(traffic, 'gateway_failed_requests').values[0]?.value, 2);
});

metrics.run();
