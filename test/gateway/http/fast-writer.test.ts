import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const test = suite<{ gateway: TestGateway }>('whole responses');
test.before(async (context) => {
  // A response with all of these is larger than one piece of the draft.
  const crowd = Array.from({ length: 1000 }, (_, at) => ({
    id: `c${at}`,
    name: `Character ${at} ${'é'.repeat(40)}`,
  }));
  context.gateway = await startGateway({ ...SAMPLE_GAMES, 'tiny-game/1/crowd.json': crowd });
});

interface Asked {
  path: string;
  method?: string;
  tier?: 'free' | 'pro';
  fields?: Record<string, string>;
}

/** A response: the lines of its head except the date, and its body. */
interface Parsed {
  head: string[];
  body: string;
}

const ASKED: Asked[] = [
  { path: '/api/star-rail/characters?limit=2' },
  { path: '/api/star-rail/characters?limit=2&offset=2&sort=-name' },
  { path: '/api/star-rail/characters', method: 'HEAD' },
  { path: '/api/star-rail/characters', fields: { 'If-None-Match': '*' } },
  // It is not counted, so that it always shows the same quota.
  { path: '/api/star-rail/characters', tier: 'free', fields: { 'If-None-Match': '*' } },
  { path: '/api/tiny-game/crowd' },
  { path: '/api/tiny-game/crowd', fields: { 'Accept-Encoding': 'gzip' } },
  { path: '/api/tiny-game/crowd?limit=0' },
  { path: '/api/me' },
  { path: '/openapi.json' },
];

for (const asked of ASKED) {
  const { path, method = 'GET', tier = 'pro', fields = {} } = asked;
  test(`${tier} ${method} ${path} ${JSON.stringify(fields)} has the same head and body alone, after another request, and as the last one`, async ({
    gateway,
  }) => {
    const sent = { ...fields, Host: 'x', 'X-API-Key': gateway.keys[tier] };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    const one = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
    const last = one.replace('\r\n', '\r\nConnection: close\r\n');
    const ask = async (requests: string) => parse(await send(gateway, requests), method === 'HEAD');
    const [alone, closing] = await ask(one + last);
    const [first, second, third] = await ask(one + one + last);
    const expected = alone as Parsed;
    assert.match(expected.head[0] as string, /^HTTP\/1\.1 (200 OK|304 Not Modified)$/);
    assert.equal(expected.head.slice(-2), ['Connection: keep-alive', 'Keep-Alive: timeout=65']);
    assert.is(
      expected.head.some((line) => line.startsWith('RateLimit: ')),
      tier === 'free',
    );
    assert.equal([first, second], [alone, alone]);
    const closed = { ...expected, head: [...expected.head.slice(0, -2), 'Connection: close'] };
    assert.equal([closing, third], [closed, closed]);
  });
}

test('a 304 in HTTP/1.0 has the same head alone and after another request', async ({ gateway }) => {
  const fields = `If-None-Match: *\r\nHost: x\r\nX-API-Key: ${gateway.keys.pro}\r\n\r\n`;
  const last = `GET /api/games HTTP/1.0\r\nConnection: keep-alive\r\n${fields}`;
  const [alone] = parse(await send(gateway, last), false);
  const [, behind] = parse(await send(gateway, `GET /api/games HTTP/1.1\r\n${fields}${last}`), false);
  assert.match(alone?.head[0] as string, ' 304 ');
  assert.equal(behind, alone);
});

/** Sends requests, of which the last closes the connection. @returns everything that is received */
async function send({ address }: TestGateway, requests: string): Promise<Buffer> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.write(requests);
  return Buffer.concat(await socket.toArray());
}

function parse(received: Buffer, isHead: boolean): Parsed[] {
  const responses: Parsed[] = [];
  let bytes = received;
  while (bytes.length > 0) {
    const end = bytes.indexOf('\r\n\r\n');
    const lines = bytes.toString('latin1', 0, end).split('\r\n');
    const length = isHead
      ? 0
      : Number(lines.find((line) => line.startsWith('Content-Length: '))?.slice(16) ?? 0);
    const body = bytes.toString('latin1', end + 4, end + 4 + length);
    responses.push({ head: lines.filter((line) => !/^(Date|X-Request-Id): /.test(line)), body });
    bytes = bytes.subarray(end + 4 + length);
  }
  return responses;
}

test.run();
