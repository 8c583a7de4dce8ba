import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { sendRaw } from '../../support/send-raw.ts';

const again = suite<{ gateway: TestGateway }>('a repeated request');
again.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});

const PATHS = [
  '/api/games',
  '/api/star-rail/characters?sort=-rarity&limit=2',
  '/api/star-rail/characters/unit-10',
  '/api/star-rail/compare?ids=unit-10,unit-2',
  '/api/star-rail/facets',
  '/api/star-rail/banners',
  '/api/star-rail/history',
  '/api/star-rail/history/unit-10',
  '/api/star-rail/snapshot/latest',
  '/api/star-rail/diff?from=1.0&to=1.1',
];
const FORMS: Record<string, string>[] = [
  {},
  { 'accept-encoding': 'gzip' },
  { 'accept-encoding': 'br' },
  { accept: 'application/json-patch+json' },
];

for (const path of PATHS) {
  again(`gets the same response the second and third time, in each form: ${path}`, async ({ gateway }) => {
    const ask = async (headers: Record<string, string>) => {
      const { status, headers: fields, text } = await gateway.ask(path, { headers });
      const { date: _, 'x-request-id': __, ...lasting } = Object.fromEntries(fields);
      return { status, lasting, text };
    };
    const first = [];
    for (const form of FORMS) first.push(await ask(form));
    for (const time of [2, 3]) {
      for (const [index, form] of FORMS.entries())
        assert.equal(await ask(form), first[index], `time ${time}`);
    }
    const headers = { 'if-none-match': first[0]?.lasting.etag ?? '' };
    assert.is(
      (await gateway.ask(path, { headers: { 'accept-encoding': 'identity', ...headers } })).status,
      200,
    );
  });
}

again('uses its own key, also on a shared connection', async ({ gateway }) => {
  const { keys, store } = gateway;
  const other = await issueKey(store, 'pro');
  const wrong = keys.pro.replace(/.$/, '!');
  const sent = [keys.pro, keys.pro, 'gdr_x', keys.free, other, wrong, keys.pro, keys.free];
  const request = (key: string, last: boolean) =>
    `GET /api/star-rail/history HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: ${last ? 'close' : 'keep-alive'}\r\n\r\n`;
  const requests = sent.map((key, at) => request(key, at === sent.length - 1));
  const statuses = [...(await sendRaw(gateway, requests.join(''))).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
    ([, status]) => Number(status),
  );
  assert.equal(statuses, [200, 200, 401, 403, 200, 401, 200, 403]);
});

again.run();
