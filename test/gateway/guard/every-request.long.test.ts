import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { Vault } from '../../../gateway/people/alerts/vault.ts';
import { readPlatforms } from '../../../gateway/people/membership/platforms.ts';
import { peopleEndpoints } from '../../../gateway/people/people.ts';
import { exchange, type RawResponse } from '../../support/exchange.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { seededRandom, timesOf } from '../../support/random.ts';
import { randomRequest } from '../../support/raw-requests.ts';
import { ROUTES } from '../../support/routes.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const LARGE_BYTES = 900_000;
const REQUESTS = 1500;
/** With fewer, a status may be missing by chance. */
const MIN_REQUESTS = 400;
/** How many connections are open at once. */
const AT_ONCE = 40;

const every = suite<{ gateway: TestGateway; paths: string[] }>('every request');
every.before(async (context) => {
  const mailer = { send: async () => {} };
  const endpointPaths: string[] = [];
  context.gateway = await startGateway(SAMPLE_GAMES, {
    endpoints: (parts) => {
      const endpoints = peopleEndpoints({
        ...parts,
        mailer,
        signupMailer: mailer,
        accountMailer: mailer,
        platforms: readPlatforms({ KOFI_VERIFICATION_TOKEN: 'token', KOFI_TIERS: 'Gold' }),
        policy: { isStrict: true },
        vault: new Vault([]),
        publicUrl: () => 'https://api.example.org',
        ...readTrustedProxies(''),
      });
      endpointPaths.push(...endpoints.map(({ path }) => path));
      return endpoints;
    },
  });
  const VALUES: Record<string, string> = {
    game: 'star-rail',
    dataset: 'banners',
    id: 'unit-1',
    build: 'latest',
    file: 'snapshot.json',
    token: 'gdf_x',
  };
  const fill = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => VALUES[name] ?? name);
  const pages = ['/', '/terms', '/problems', '/favicon.svg', '/nowhere'];
  context.paths = [...ROUTES.map(({ path }) => path), ...endpointPaths].map(fill).concat(pages);
});
every.after(({ gateway }) => gateway.stop());

/** Sends one request and returns the status of its response. */
async function ask({ address }: TestGateway, lines: string[], body: string | Buffer = ''): Promise<number> {
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const [first] = await exchange(address, { bytes: Buffer.concat([head, Buffer.from(body)]) });
  return (first as RawResponse).status;
}

for (const range of ['bytes=5-2', 'bytes=-0', 'bytes=a-b', 'bytes=999999-', 'bytes=5--2', 'bytes=1-3']) {
  every(`for a page with Range: ${range} gets the page`, async ({ gateway }) => {
    for (const page of ['/', '/terms', '/problems', '/favicon.svg']) {
      assert.is(await ask(gateway, [`GET ${page} HTTP/1.1`, 'Host: x', `Range: ${range}`]), 200, page);
    }
  });
}

every('with a body that nobody wants gets its response, and the body is dropped', async ({ gateway }) => {
  const body = Buffer.alloc(LARGE_BYTES, 'a');
  const EXPECTED: [line: string, status: number][] = [
    ['POST /signup', 413],
    ['POST /account', 413],
    ['POST /webhooks/ko-fi', 413],
    ['POST /webhooks/patreon', 404],
    ['POST /nowhere', 405],
    ['GET /', 400],
    ['GET /api/games', 400],
    ['OPTIONS /api/games', 204],
  ];
  for (const [line, status] of EXPECTED) {
    for (const further of [[], ['Connection: close'], ['Sec-Fetch-Site: cross-site']]) {
      const fields = ['Host: x', `X-API-Key: ${gateway.keys.pro}`, ...further];
      const type = 'Content-Type: application/x-www-form-urlencoded';
      const request = [`${line} HTTP/1.1`, ...fields, type, `Content-Length: ${body.length}`];
      const isRefused =
        further.includes('Sec-Fetch-Site: cross-site') && status === 413 && !line.includes('ko-fi');
      assert.is(await ask(gateway, request, body), isRefused ? 403 : status, `${line} ${further}`);
    }
  }
});

every('whose body is cut or is not HTTP gets a response', async ({ gateway }) => {
  const head = ['POST /signup HTTP/1.1', 'Host: x', 'Content-Type: application/x-www-form-urlencoded'];
  const chunked = `${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`;
  const sized = `${[...head, 'Content-Length: 100'].join('\r\n')}\r\n\r\nemail=`;
  for (const text of [`${chunked}zz\r\n`, `${chunked}5\r\nemail\r\nzz\r\n`, `${chunked}5\r\nem`, sized]) {
    const responses = await exchange(gateway.address, { bytes: Buffer.from(text), endsEarly: true });
    assert.equal(
      responses.map(({ status }) => status),
      [400],
      text,
    );
  }
});

every('before what is not HTTP gets its response, also when it has to wait', async ({ gateway }) => {
  const request = `GET /api/me HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.keys.free}\r\n\r\n`;
  const bytes = Buffer.from(`${request.repeat(3)}garbage\r\n\r\n`);
  for (const endsEarly of [false, true]) {
    const responses = await exchange(gateway.address, { bytes, endsEarly });
    assert.equal(
      responses.map(({ status }) => status),
      [200, 200, 200],
    );
  }
});

every('of a client that closes its side at once gets its response', async ({ gateway }) => {
  for (const path of [
    '/',
    '/api/me',
    '/api/games',
    '/readyz',
    '/account',
    '/api/star-rail/snapshot/latest',
  ]) {
    const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.keys.pro}\r\n\r\n`);
    const [response] = await exchange(gateway.address, { bytes, endsEarly: true });
    assert.is(response?.status, 200, path);
  }
});

every('for a tunnel or another protocol gets a response', async ({ gateway }) => {
  const EXPECTED: [lines: string[], status: number][] = [
    [['CONNECT x:443 HTTP/1.1', 'Host: x'], 405],
    [['PRI * HTTP/2.0', '', 'SM'], 400],
    [['GET / HTTP/1.1', 'Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'], 200],
    [['GET / HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'], 200],
  ];
  for (const [lines, status] of EXPECTED) assert.is(await ask(gateway, lines), status, lines[0]);
});

every('of thousands that may be wrong in any way gets a complete response', async ({ gateway, paths }) => {
  const random = seededRandom();
  const keys = [gateway.keys.pro, gateway.keys.pro, gateway.keys.free, 'gdr_x'];
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  let left = Math.max(timesOf(REQUESTS), MIN_REQUESTS);
  const lane = async () => {
    while (left-- > 0) {
      const request = randomRequest({ paths, keys }, random);
      try {
        for (const { status } of await exchange(gateway.address, request)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      } catch (error) {
        const sent = request.bytes.toString('latin1').slice(0, 300);
        failures.push(`${JSON.stringify({ ...request, bytes: sent })}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  assert.equal(failures.slice(0, 5), []);
  assert.ok([200, 400, 405].every((status) => statuses.has(status)));
  assert.equal(
    [...statuses.keys()].filter((status) => status >= 500),
    [],
    'faults of the gateway',
  );
});

every.run();
