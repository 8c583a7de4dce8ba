import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { exchange } from '../../support/exchange.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';

const ids = suite<{ gateway: TestGateway; behindProxy: TestGateway }>('request ids');
ids.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
  const { isFromProxy } = readTrustedProxies('127.0.0.1');
  context.behindProxy = await startGateway(SAMPLE_GAMES, { isFromProxy });
});

const TARGETS = [
  '/api/star-rail/characters',
  '/api/star-rail/snapshot/latest',
  '/api/nothing',
  '/terms',
  '/openapi.json',
  '/healthz',
];

/** Sends a request. @returns the id in the response */
async function idOf({ address, keys }: TestGateway, target: string, method: string, given?: string) {
  const fields = [
    'Host: x',
    `X-API-Key: ${keys.pro}`,
    ...(given === undefined ? [] : [`X-Request-Id: ${given}`]),
  ];
  const bytes = Buffer.from(`${method} ${target} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  const [response] = await exchange(address, { bytes, isHead: method === 'HEAD' });
  return response?.headers['x-request-id'] ?? '';
}

/** Waits for the line of a request in the log. */
async function isLogged({ logged }: TestGateway, id: string): Promise<void> {
  await until(() => logged.some((line) => (JSON.parse(line) as { request_id?: string }).request_id === id));
}

ids('are in every response and in its line of the log, and no two are the same', async ({ gateway }) => {
  const seen = new Set<string>();
  for (const target of TARGETS) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
      const id = await idOf(gateway, target, method);
      assert.match(id, /^[\w-]{8}-[0-9a-z]+$/, `${method} ${target}`);
      await isLogged(gateway, id);
      assert.not.ok(seen.has(id));
      seen.add(id);
    }
  }
});

ids('from a trusted proxy are used', async ({ behindProxy }) => {
  for (const target of TARGETS) {
    const id = `a1:${target}=`;
    assert.is(await idOf(behindProxy, target, 'GET', id), id);
    await isLogged(behindProxy, id);
  }
});

ids('from others, and ids that could damage a log, are not used', async ({ gateway, behindProxy }) => {
  assert.is.not(await idOf(gateway, '/healthz', 'GET', 'mine'), 'mine');
  for (const harmful of ['"', 'a b', 'x'.repeat(129), '', '\xe9', 'a\tb']) {
    assert.match(await idOf(behindProxy, '/healthz', 'GET', harmful), /^[\w-]{8}-[0-9a-z]+$/);
  }
});

/** Bytes that are not a valid request, and the status of the response to them. */
const REFUSED: [bytes: string, status: number][] = [
  ['SOMETHING ELSE\r\n\r\n', 400],
  ['GET /a b HTTP/1.1\r\n\r\n', 400],
  [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 414],
  [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n', 405],
];

ids('are in the response to what is not a valid request, which is logged too', async ({ gateway }) => {
  for (const [bytes, status] of REFUSED) {
    const [response] = await exchange(gateway.address, { bytes: Buffer.from(bytes) });
    assert.is(response?.status, status);
    const id = response?.headers['x-request-id'] ?? '';
    assert.match(id, /^[\w-]{8}-[0-9a-z]+$/);
    await isLogged(gateway, id);
    const entry = gateway.logged.map((line) => JSON.parse(line)).find((each) => each.request_id === id);
    const { message, level, method, path } = entry;
    assert.equal([message, level, method, path, entry.status], ['response', 'info', '-', '-', status]);
    assert.ok(entry.bytes > 200, String(entry.bytes));
  }
});

ids.run();
